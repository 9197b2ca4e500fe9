# SPDX-License-Identifier: MIT
# Every protocol's image for the Tigon2 and its variants, by the rule of fw-runtime/build.mk.
#
#   build/firmware/NAME_a.elf            to ship
#   build/firmware/NAME_a_traced.elf     the same with a trace ring, if the image to ship has none
#   build/firmware/NAME_a_observed.elf   whose runs are recorded and replayed (docs/conformance.md)
#   build/firmware/NAME_a_published.elf  whose functions are charged the papers' costs (docs/board-accuracy.md), of a protocol with
#                                        a firmware/published.charges; with PLACEMENT=DSR a published_DSR.charges
#   build/firmware/NAME_a_checked.elf    which stops the board where a promise of the spec is broken
#                                        (docs/generated-code.md), of a protocol with a boards.scenario

# What crosses the protocol's border is out of line, where a simulator sees each call. This variant also checks everything,
# unless OBSERVED_CHECKS says less. With the functions that the image to ship dissolves the protocol does not fit the
# scratchpad: it lies in SRAM, because firmware.lds.in does not know this object.
OBSERVED_CHECKS ?= ALL

# What is out of line and checked takes more stack, and more of the SRAM.
FW_CHECKED_MEMORY  := -DTIGON2_STACK_BYTES=576 -DTIGON2_LARGER_IMAGE
FW_OBSERVED_SCRIPT := $(FIRMWARE)/observed.lds
$(FW_OBSERVED_SCRIPT): $(FW_SCRIPT_NEEDS) FORCE
	$(call FW_MAKE_SCRIPT,$(FW_CHECKED_MEMORY))

# The functions that published.charges names are out of line, with their arguments where the calling convention has them;
# and there is no trace ring, whose own cost the steps do not know.
FW_CHARGES           = spec/$(1)/firmware/published$(PLACEMENT:%=_%).charges
FW_UNTRACED         := -UNIC_TRACE -DNIC_TRACE=0
FW_PUBLISHED_CFLAGS  = $(FW_CFLAGS) $(FW_UNTRACED)
$(eval $(call FW_OBJECTS,$(FW_PORT)/,$(FIRMWARE)/published/,FW_PUBLISHED_CFLAGS,$(FW_NEEDS)))

# An image whose data path may not fit into the scratchpad: $(call FW_FITTED,NAME,SUFFIX,DIRECTORY/,FLAGS,CHECKS,FLAGS OF THE
# SCRIPT). Its object is DIRECTORY/image.o below build/firmware/NAME. Which functions lie in the scratchpad, a run of traffic shows that has all of
# them in SRAM. The traffic is a scenario, FW_TRAFFIC_NAME in the protocol's firmware/build.mk or spec/NAME/boards.scenario.
FW_TRAFFIC = $(or $(FW_TRAFFIC_$(1)),spec/$(1)/boards.scenario)
define FW_FITTED
$(call FW_IMAGE,$(1),$(2),$(3)image.o,-DNIC_FITTED $(4),$(FW_RUNTIME) $(FIRMWARE)/$(1)/$(3)chosen.lds,$(5))

$(FIRMWARE)/$(1)/$(3)none $(FIRMWARE)/$(1)/$(3)none_second: FORCE
	$$(call make_file,NONE,$$@,: > $$@)

$(FIRMWARE)/$(1)/$(3)none.elf: $(call FW_STARTS,$(1),$(FW_RUNTIME)) $(FIRMWARE)/$(1)/$(3)image.o \
    $(call FW_SECOND,$(1),$(3)image.o) $(FIRMWARE)/$(1)/$(3)none.lds FORCE
	$$(call FW_LINK,--gc-sections $(FW_OVERLAP),check_instructions.py)

$(FIRMWARE)/$(1)/$(3)profile.folded: $(FIRMWARE)/$(1)/$(3)none.elf $(FW_TRAFFIC) FORCE | $(TIGONSIM) $(BUILD)/$(1)/host.so
	$$(call make_file,PROFILE,$$@,sed 's|"[^"]*/$(1)_a.elf"|"$$(abspath $$<)"|; s|"[./]*/build/|"$(abspath $(BUILD))/|' $(FW_TRAFFIC) \
	    > $$(@:.folded=.scenario) && \
	    $(TIGONSIM) run $$(@:.folded=.scenario) --quiet --profile=$$@)

$(FIRMWARE)/$(1)/$(3)chosen: fw-runtime/tools/fill_scratchpad.py \
    $(addprefix $(FIRMWARE)/$(1)/$(3),profile.folded none.elf image.o) FORCE
	$$(call make_file,CHOOSE,$$@,$$(FROM) > $$@)

$(if $(DIVIDED_$(1)),$(FIRMWARE)/$(1)/$(3)chosen_second: fw-runtime/tools/fill_scratchpad.py \
    $(addprefix $(FIRMWARE)/$(1)/$(3),profile.folded none.elf) $(call FW_SECOND,$(1),$(3)image.o) FORCE
	$$(call make_file,CHOOSE,$$@,$$(FROM) > $$@)
)
$(addprefix $(FIRMWARE)/$(1)/$(3),none.lds chosen.lds): %.lds: % $(if $(DIVIDED_$(1)),%_second) $(FW_SCRIPT_NEEDS) FORCE
	$$(call FW_MAKE_SCRIPT,$(6) -DCHOSEN_FUNCTIONS='"$$<"' $(if $(DIVIDED_$(1)),-DCHOSEN_SECOND='"$$<_second"'))
endef

# The image to ship has all of its data path in the scratchpad. If that overflows after a change of a spec: say `rare` there of
# an action or event that runs once for a message (build/firmware/NAME_a.map has the sizes), or say FW_FITS_NAME := no in the
# protocol's firmware/build.mk. FW_TRACE_NAME := 0 there says that the image to ship has no trace ring; FW_MEMORY_NAME has
# flags that change sizes in memory_map.h.
FW_SHIPPED_FLAGS = $(if $(filter 0,$(FW_TRACE_$(1))),$(FW_UNTRACED))
FW_SHIPPED = $(if $(filter no,$(FW_FITS_$(1)))$(DIVIDED_$(1))$(DYNAMIC_$(1)),$(call FW_FITTED,$(1),_a,,$(FW_SHIPPED_FLAGS) $(FW_MEMORY_$(1)),check_indirect.py,$(FW_MEMORY_$(1))),$(call \
    FW_IMAGE,$(1),_a,image.o,$(FW_SHIPPED_FLAGS),$(FW_RUNTIME) $(FW_SCRIPT),check_indirect.py))

# The image to ship, for GDB on processor B (docs/board-debugging.md): without the debugging information of A's unit, whose
# functions in the scratchpad have the same addresses as B's.
define FW_FOR_B
$(FIRMWARE)/$(1)/for_b/image.o: $(FIRMWARE)/$(1)/image.o FORCE
	$$(call make_file,FWCC,$$@,$$(FW_OBJCOPY) --strip-debug $$< $$@)

$(FIRMWARE)/$(1)_b.elf: $(call FW_STARTS,$(1),$(FW_RUNTIME)) $(FIRMWARE)/$(1)/for_b/image.o $(call FW_SECOND,$(1),image.o) \
    $(FIRMWARE)/$(1)/chosen.lds FORCE
	$$(call FW_LINK,--gc-sections $(FW_OVERLAP))
endef

# CHECKED names the kinds of checks, as in fw-runtime/hsm_checks.h: make firmware-checked CHECKED='REFERENCE RANGE'. The
# scratchpad has no room for checks.
CHECKED ?= ALL

# The ring takes 8 kB.
FW_TRACED_MEMORY := -DTIGON2_LARGER_IMAGE

define FW_SAME_TRACED
$(FIRMWARE)/$(1)_a_traced.elf: $(FIRMWARE)/$(1)_a.elf FORCE
	$$(call make_file,COPY,$$@,cp $$< $$@)
endef

# $(call FW_VARIANTS,NAME,NAME IN CAPITALS WITHOUT UNDERSCORES)
define FW_VARIANTS
$(FW_SHIPPED)

$(if $(DIVIDED_$(1)),$(FW_FOR_B))

$(call FW_IMAGE,$(1),_a_observed,observed.o,\
    -UHSM_CHECKED $(call hsm_checked,$(OBSERVED_CHECKS)) -ffixed-30 -D$(2)_OBSERVED $(FW_CHECKED_MEMORY),$(FW_RUNTIME) $(FW_OBSERVED_SCRIPT))

$(if $(DIVIDED_$(1))$(DYNAMIC_$(1)),$(call FW_FITTED,$(1),_a_published,published/,$(FW_UNTRACED) -D$(2)_CHARGED),$(call \
    FW_IMAGE,$(1),_a_published,published/image.o,\
    $(FW_UNTRACED) -D$(2)_CHARGED,$(FIRMWARE)/published/start.o $(FIRMWARE)/$(FW_PORT)/memory.o $(FW_SCRIPT)))

$(FIRMWARE)/$(1)/published/image.o: $(BUILD)/gen/$(1)/$(1)_charged.h
$(BUILD)/gen/$(1)/$(1)_charged.h: $(FW_CHARGES) fw-runtime/tools/charged_functions.awk FORCE
	$$(call make_file,CHARGES,$$@,awk -f fw-runtime/tools/charged_functions.awk $$< > $$@)

$(if $(filter 0,$(FW_TRACE_$(1))),$(call \
    FW_FITTED,$(1),_a_traced,traced/,-UNIC_TRACE -DNIC_TRACE=1 $(FW_TRACED_MEMORY) $(FW_MEMORY_$(1)),,$(FW_TRACED_MEMORY) $(FW_MEMORY_$(1))),$(FW_SAME_TRACED))

$(call FW_FITTED,$(1),_a_checked,checked/,-UHSM_CHECKED $(call hsm_checked,$(CHECKED)) $(FW_CHECKED_MEMORY),,$(FW_CHECKED_MEMORY))
endef
$(foreach name,$(FW_PROTOCOLS),\
    $(eval $(call FW_VARIANTS,$(name),$(shell echo $(name) | tr -d _ | tr '[:lower:]' '[:upper:]'))))

FW_IMAGES_CHECKED := $(foreach name,$(FW_PROTOCOLS),$(if $(wildcard spec/$(name)/boards.scenario),$(FIRMWARE)/$(name)_a_checked.elf))

.PHONY: firmware-checked
firmware-checked: $(FW_IMAGES_CHECKED) ## the images with run-time checks: build/firmware/NAME_a_checked.elf (CHECKED=kinds)
	$(Q)$(foreach image,$^,fw-runtime/tools/sizes.py $(image) &&) true
