# SPDX-License-Identifier: MIT
# EMP's image: its parser, and the two other builds of it.

FW_NEEDS_emp := $(BUILD)/gen/emp/frame.c

# GCC's own threshold again (FW_NO_MULTIPLY): nothing in this image multiplies where GCC optimises for size, and it carries
# 1363 Mb/s both ways instead of 1344 (`build/tests/measure_firmware`). Remove this if "unable to generate reloads" appears.
FW_FLAGS_emp := --param=hot-bb-frequency-fraction=1000

# The parser: ranges from the layouts, then Ragel. -G2 is the only style that is right for words.
$(BUILD)/gen/emp/frame_ranges: spec/emp/frame_ranges.c $(BUILD)/gen/emp/emp_layout.h
	$(SAY) CC $<
	$(Q)$(CC) $(CFLAGS) -I$(BUILD)/gen/emp -o $@ $<

$(BUILD)/gen/emp/frame_ranges.rl: $(BUILD)/gen/emp/frame_ranges
	$(Q)$(abspath $<) > $@

$(BUILD)/gen/emp/frame.c: spec/emp/frame.rl $(BUILD)/gen/emp/frame_ranges.rl
	$(SAY) RAGEL $<
	$(Q)ragel -G2 -L -I $(BUILD)/gen/emp -o $@ $<

# The image with what crosses the protocol's border out of line, where a simulator sees each call (docs/conformance.md).
# It also checks everything, unless OBSERVED_CHECKS says less. It is no image to ship: with the functions that the other one
# dissolves the protocol does not fit the scratchpad, and lies in SRAM, because firmware.lds.in does not know this object.
OBSERVED_CHECKS ?= ALL
FW_OBSERVED     := $(FIRMWARE)/emp/observed.o
$(eval $(call FW_IMAGE,emp,$(FW_OBSERVED),-UHSM_CHECKED $(call hsm_checked,$(OBSERVED_CHECKS)) -ffixed-30 -DEMP_OBSERVED))
$(FW_OBSERVED): $(BUILD)/gen/emp/emp_observed.h

OBSERVED_IMAGE := $(FIRMWARE)/emp_a_observed.elf
$(OBSERVED_IMAGE): $(FW_RUNTIME) $(FW_OBSERVED) $(FIRMWARE)/firmware.lds
	$(call FW_LINK)

# The same for published-cost mode (docs/board.md): the functions that a table charges are out of line, with their
# arguments where the calling convention has them, and there is no trace ring, whose own cost the steps do not know.
FW_CHARGES         := spec/emp/firmware/published.charges
FW_PUBLISHED       := $(FIRMWARE)/emp/published/image.o
FW_PUBLISHED_FLAGS := -UNIC_TRACE -DNIC_TRACE=0

$(BUILD)/gen/emp/emp_charged.h: $(FW_CHARGES)
	@mkdir -p $(@D)
	$(Q)sed -n 's/#.*//; s/^charge.* \(before\|after\) *\([a-z0-9_]*\).*/__typeof__(\2) \2 __attribute__((noipa));/p' $< \
	    | sort -u > $@

$(eval $(call FW_IMAGE,emp,$(FW_PUBLISHED),$(FW_PUBLISHED_FLAGS) -DEMP_CHARGED))
$(FW_PUBLISHED): $(BUILD)/gen/emp/emp_charged.h

$(FIRMWARE)/published/start.o: $(FW_PORT)/start.S $(FW_FLAGS_STAMP) $(FW_PORT)/core.inc
	@mkdir -p $(@D)
	$(Q)$(FW_CC) $(FW_CFLAGS) $(FW_PUBLISHED_FLAGS) -MMD -MP -c -o $@ $<

PUBLISHED_IMAGE := $(FIRMWARE)/emp_a_published.elf
$(PUBLISHED_IMAGE): $(FIRMWARE)/$(FW_PORT)/memory.o $(FIRMWARE)/published/start.o $(FW_PUBLISHED) $(FIRMWARE)/firmware.lds
	$(call FW_LINK)

# The same with checks: a promise of the spec that is broken stops the board (docs/generated-code.md). CHECKED names the
# kinds, as in fw-runtime/hsm_checks.h: make firmware-checked CHECKED='REFERENCE RANGE'.
CHECKED          ?= ALL
CHECKED_DIR      := $(FIRMWARE)/emp/checked
FW_CHECKED       := $(CHECKED_DIR)/image.o
FW_CHECKED_FLAGS := -UHSM_CHECKED $(call hsm_checked,$(CHECKED))
$(eval $(call FW_IMAGE,emp,$(FW_CHECKED),$(FW_CHECKED_FLAGS)))
$(FW_CHECKED): $(CHECKED_DIR)/flags
$(CHECKED_DIR)/flags: FORCE
	@mkdir -p $(@D)
	@echo "$(FW_CHECKED_FLAGS)" | cmp -s - $@ || echo "$(FW_CHECKED_FLAGS)" > $@

# The scratchpad has no room for checks, so some functions lie in SRAM. Which ones, an exchange of messages tells that is
# run with all of them there.
$(CHECKED_DIR)/none:
	$(Q)mkdir -p $(@D) && : > $@

$(CHECKED_DIR)/profile.folded: $(CHECKED_DIR)/none.elf sim/scenarios/emp-ping.scenario | $(BUILD)/tigonsim
	$(Q)sed 's|[^"]*/emp_a.elf|$(abspath $<)|; s|"--count=50"|"--bytes=4096", &|' sim/scenarios/emp-ping.scenario \
	    > $(@:.folded=.scenario)
	$(Q)$(BUILD)/tigonsim run $(@:.folded=.scenario) --quiet --profile=$@

$(CHECKED_DIR)/chosen: fw-runtime/tools/fill_scratchpad.py $(CHECKED_DIR)/profile.folded $(CHECKED_DIR)/none.elf \
                       $(FW_CHECKED)
	$(Q)$^ > $@

$(addprefix $(CHECKED_DIR)/,none.lds chosen.lds): %.lds: % $(FW_PORT)/firmware.lds.in $(FW_PORT)/memory_map.h
	$(Q)$(FW_CC) -E -P -undef -x c -I. -DCHOSEN_FUNCTIONS='"$<"' -o $@ $(FW_PORT)/firmware.lds.in

CHECKED_IMAGE := $(FIRMWARE)/emp_a_checked.elf
$(CHECKED_DIR)/none.elf: $(CHECKED_DIR)/none.lds
$(CHECKED_IMAGE): $(CHECKED_DIR)/chosen.lds
$(CHECKED_DIR)/none.elf $(CHECKED_IMAGE): $(FW_RUNTIME) $(FW_CHECKED)
	$(call FW_LINK)

.PHONY: firmware-checked
firmware-checked: $(CHECKED_IMAGE) ## EMP's image with run-time checks: build/firmware/emp_a_checked.elf (CHECKED=kinds)
	$(Q)fw-runtime/tools/sizes.py $<
