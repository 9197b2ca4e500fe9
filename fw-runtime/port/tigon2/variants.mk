# SPDX-License-Identifier: MIT
# The variants of every protocol's image for the Tigon2, by the rule of fw-runtime/build.mk.
#
#   build/firmware/NAME_a_observed.elf   whose runs are recorded and replayed (docs/conformance.md)
#   build/firmware/NAME_a_published.elf  whose functions are charged the papers' costs (docs/board-accuracy.md), of a protocol with
#                                        a firmware/published.charges
#   build/firmware/NAME_a_checked.elf    which stops the board where a promise of the spec is broken
#                                        (docs/generated-code.md), of a protocol with a boards.scenario

# What crosses the protocol's border is out of line, where a simulator sees each call. This variant also checks everything,
# unless OBSERVED_CHECKS says less. With the functions that the image to ship dissolves the protocol does not fit the
# scratchpad: it lies in SRAM, because firmware.lds.in does not know this object.
OBSERVED_CHECKS ?= ALL

# The functions that published.charges names are out of line, with their arguments where the calling convention has them;
# and there is no trace ring, whose own cost the steps do not know.
FW_PUBLISHED_FLAGS  := -UNIC_TRACE -DNIC_TRACE=0
FW_PUBLISHED_CFLAGS  = $(FW_CFLAGS) $(FW_PUBLISHED_FLAGS)
$(eval $(call FW_OBJECTS,$(FW_PORT)/,$(FIRMWARE)/published/,FW_PUBLISHED_CFLAGS,$(FW_FLAGS_STAMP) $(FW_NEEDS)))

# CHECKED names the kinds of checks, as in fw-runtime/hsm_checks.h: make firmware-checked CHECKED='REFERENCE RANGE'. The
# scratchpad has no room for checks, so some functions lie in SRAM. Which ones, a run of the protocol's scenario shows that
# has all of them there.
CHECKED ?= ALL

# $(call FW_VARIANTS,NAME,NAME IN CAPITALS)
define FW_VARIANTS
$(call FW_IMAGE,$(1),_a_observed,observed.o,\
    -UHSM_CHECKED $(call hsm_checked,$(OBSERVED_CHECKS)) -ffixed-30 -D$(2)_OBSERVED,$(FW_RUNTIME) $(FW_SCRIPT))

$(call FW_IMAGE,$(1),_a_published,published/image.o,\
    $(FW_PUBLISHED_FLAGS) -D$(2)_CHARGED,$(FIRMWARE)/published/start.o $(FIRMWARE)/$(FW_PORT)/memory.o $(FW_SCRIPT))

$(FIRMWARE)/$(1)/published/image.o: $(BUILD)/gen/$(1)/$(1)_charged.h
$(BUILD)/gen/$(1)/$(1)_charged.h: spec/$(1)/firmware/published.charges
	@mkdir -p $$(@D)
	$$(Q)sed -n 's/#.*//; s/^charge.* \(before\|after\) *\([a-z0-9_]*\).*/__typeof__(\2) \2 __attribute__((noipa));/p' $$< \
	    | sort -u > $$@

$(call FW_IMAGE,$(1),_a_checked,checked/image.o,\
    -UHSM_CHECKED $(call hsm_checked,$(CHECKED)),$(FW_RUNTIME) $(FIRMWARE)/$(1)/checked/chosen.lds)

$(FIRMWARE)/$(1)/checked/none:
	$$(Q)mkdir -p $$(@D) && : > $$@

$(FIRMWARE)/$(1)/checked/none.elf: $(FW_RUNTIME) $(FIRMWARE)/$(1)/checked/image.o $(FIRMWARE)/$(1)/checked/none.lds
	$$(call FW_LINK,--gc-sections,check_instructions.py)

$(FIRMWARE)/$(1)/checked/profile.folded: $(FIRMWARE)/$(1)/checked/none.elf spec/$(1)/boards.scenario \
    | $(BUILD)/tigonsim $(BUILD)/$(1)/host.so
	$$(Q)sed 's|[^"]*/$(1)_a.elf|$$(abspath $$<)|; s|"../../build/|"$(abspath $(BUILD))/|' spec/$(1)/boards.scenario \
	    > $$(@:.folded=.scenario)
	$$(Q)$(BUILD)/tigonsim run $$(@:.folded=.scenario) --quiet --profile=$$@

$(FIRMWARE)/$(1)/checked/chosen: fw-runtime/tools/fill_scratchpad.py \
    $(addprefix $(FIRMWARE)/$(1)/checked/,profile.folded none.elf image.o)
	$$(Q)$$^ > $$@

$(addprefix $(FIRMWARE)/$(1)/checked/,none.lds chosen.lds): %.lds: % $(FW_PORT)/firmware.lds.in $(FW_PORT)/memory_map.h
	$$(Q)$$(FW_CC) $$(FW_SCRIPT_FLAGS) -DCHOSEN_FUNCTIONS='"$$<"' -o $$@ $(FW_PORT)/firmware.lds.in
endef
$(foreach name,$(FW_PROTOCOLS),\
    $(eval $(call FW_VARIANTS,$(name),$(shell echo $(name) | tr '[:lower:]' '[:upper:]'))))

FW_IMAGES_CHECKED := $(foreach name,$(FW_PROTOCOLS),$(if $(wildcard spec/$(name)/boards.scenario),$(FIRMWARE)/$(name)_a_checked.elf))

.PHONY: firmware-checked
firmware-checked: $(FW_IMAGES_CHECKED) ## the images with run-time checks: build/firmware/NAME_a_checked.elf (CHECKED=kinds)
	$(Q)$(foreach image,$^,fw-runtime/tools/sizes.py $(image) &&) true
