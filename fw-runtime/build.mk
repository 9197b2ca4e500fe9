# SPDX-License-Identifier: MIT
# Firmware images: build/firmware/NAME_a.elf of every protocol whose folder has a firmware/image.c, found by its being
# there, and its variants build/firmware/NAME_a_VARIANT.elf. What an image needs beyond that is in the folder's own
# firmware/build.mk: FW_FLAGS_NAME, for the compiler, and FW_NEEDS_NAME, files to be made before. What the port's variants
# look at besides is described there.
#
# FW_PORT is the directory of the port. Its port.mk says how an image is compiled and linked: FW_CC, FW_CFLAGS (with
# FW_DEFINES), FW_WHOLE_PROGRAM, FW_NEEDS (files that every object hangs on), FW_RUNTIME (objects besides an image's own),
# FW_SCRIPT, FW_TOOLS, FW_LINK; its variants.mk makes the image to ship and its variants. Its port_header.h and port.c
# implement fw-runtime/port.h. port/native is of another kind: an image and its devices as part of a test
# (tests/native_port/build.mk).

FIRMWARE    := $(BUILD)/firmware
FW_PORT     ?= fw-runtime/port/tigon2
NIC_TRACE   ?= 1

# What generated code checks (fw-runtime/hsm_checks.h, docs/generated-code.md): by default what costs no cycle of a message;
# with ALL or names of kinds more, as far as there is room.
FW_CHECKS   ?= ROOM
hsm_checked  = '-DHSM_CHECKED=(0$(if $(filter ALL,$1), | HSM_CHECK_ALL,$(foreach \
                   kind,$1, | HSM_CHECK_SET(HSM_CHECK_$(kind)))))'
# An image is compiled for the port in a directory.
nic_port     = -DNIC_PORT_HEADER='"$1/port_header.h"' -DNIC_PORT_SOURCE='"$1/port.c"' -DNIC_SECOND_SOURCE='"$1/second.c"'
FW_DEFINES  := $(call hsm_checked,$(FW_CHECKS)) -DNIC_TRACE=$(NIC_TRACE) $(call nic_port,$(FW_PORT))

include $(FW_PORT)/port.mk

FW_PROTOCOLS := $(patsubst spec/%/firmware/image.c,%,$(wildcard spec/*/firmware/image.c))
FW_IMAGES    := $(FW_PROTOCOLS:%=$(FIRMWARE)/%_a.elf)
include $(wildcard spec/*/firmware/build.mk)

# An image: $(call FW_IMAGE,NAME,SUFFIX,OBJECT,FLAGS,OBJECTS BESIDES AND LINKER SCRIPT,CHECKS). Its one translation unit is
# OBJECT below build/firmware/NAME; the linker script puts into the scratchpad what is called image.o.
#
# Where a placement divides the protocol (make PLACEMENT=DSR), the unit of the second processor is spec/NAME/firmware/second.c;
# its object is second.o in a directory of its own. Both units may have functions of one name; none is called from the other.
FW_SECOND    = $(if $(DIVIDED_$(1)),$(FIRMWARE)/$(1)/$(2:.o=_second)/second.o)
# Code goes into its scratchpad by what a run shows, so no variant asks for a place there.
FW_DIVIDED   = $(if $(DIVIDED_$(1)),-DNIC_PROCESSORS=2 -DNIC_FITTED)
FW_OVERLAP   = $(if $(DIVIDED_$(1)),--no-check-sections)
# In a dynamic placement both processors run the one unit.
FW_UNIT      = $(FW_DIVIDED)$(if $(DYNAMIC_$(1)),-DNIC_DYNAMIC -DNIC_FITTED)
FW_STARTS    = $(patsubst %/start.o,$(or $(if $(DIVIDED_$(1)),$(FW_DIVIDED_STARTS)),$(if $(DYNAMIC_$(1)),$(FW_DYNAMIC_STARTS)),%/start.o),$(2))
# $(strip): what foreach gives for protocols of which none is dynamic are blanks, which count as true.
FW_ANY_DYNAMIC := $(strip $(foreach name,$(FW_PROTOCOLS),$(DYNAMIC_$(name))))
define FW_IMAGE
$(FIRMWARE)/$(1)/$(3): spec/$(1)/firmware/image.c $(FW_NEEDS) $(GENERATED_$(1)) $(FW_NEEDS_$(1)) FORCE
	$$(call make_file,FWCC,"$$(@:$(BUILD)/%=%)",\
	    $$(FW_CC) $$(FW_CFLAGS) $$(FW_WHOLE_PROGRAM) -I$(BUILD)/gen/$(1) $$(FW_FLAGS_$(1)) $(FW_UNIT) $(4) -MMD -MP -c -o $$@ $$<)

$(if $(DIVIDED_$(1)),$(call FW_SECOND,$(1),$(3)): spec/$(1)/firmware/second.c $(FIRMWARE)/$(1)/$(3) FORCE
	$$(call make_file,FWCC,"$$(@:$(BUILD)/%=%)",$$(FW_CC) $$(FW_CFLAGS) $$(FW_WHOLE_PROGRAM) -I$(BUILD)/gen/$(1) $$(FW_FLAGS_$(1)) $(FW_UNIT) $(4) -MMD -MP -c -o $$@ $$< && \
	    $$(FW_OBJCOPY) --wildcard --localize-symbol='$(1)_*' $$@)
)

$(FIRMWARE)/$(1)$(2).elf: $(call FW_STARTS,$(1),$(5)) $(FIRMWARE)/$(1)/$(3) $(call FW_SECOND,$(1),$(3)) $(FW_TOOLS) FORCE
	$$(call FW_LINK,--gc-sections $(FW_OVERLAP),check_instructions.py check_stack.py $(6))
endef

$(foreach name,$(FW_PROTOCOLS),$(if $(DIVIDED_$(name)),\
    $(eval FW_CFLAGS_$(name) = $$(FW_CFLAGS) $(addprefix -include ,$(call FW_DIVIDED_SETTINGS,$(name))))\
    $(eval $(call FW_OBJECTS,$(FW_PORT)/,$(FIRMWARE)/$(name)/divided/,FW_CFLAGS_$(name),$(FW_NEEDS) \
        $(call FW_DIVIDED_SETTINGS,$(name))))))

include $(FW_PORT)/variants.mk

# As it is flashed, for Linux drivers too (host/board/image_format.h).
FW_FLASHABLE := $(FW_IMAGES:.elf=.bin)
$(FIRMWARE)/%.bin: $(FIRMWARE)/%.elf $(BUILD)/host/make_image FORCE
	$(call make_file,IMAGE,$@,$(BUILD)/host/make_image $(VERSION) $< $@)

# For GDB on processor B, of images for both processors.
FW_FOR_B_NAMES := $(foreach name,$(FW_PROTOCOLS),$(if $(DIVIDED_$(name)),$(FIRMWARE)/$(name)_b.elf))

firmware: $(FW_IMAGES) $(FW_FLASHABLE) $(FW_FOR_B_NAMES)
firmware:        ## build the NIC images build/firmware/NAME_a.elf and .bin (to flash); print sections, stack, free memory
	$(Q)$(foreach name,$(FW_PROTOCOLS),\
	    fw-runtime/tools/sizes.py $(FIRMWARE)/$(name)_a.elf && \
	    fw-runtime/tools/check_stack.py $(FIRMWARE)/$(name)_a.elf $(FW_RUNTIME:.o=.ci) $(FIRMWARE)/$(name)/image.ci &&) true
