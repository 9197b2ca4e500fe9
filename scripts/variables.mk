# SPDX-License-Identifier: MIT
# What may be said of the variables of make, before anything is made. One that is not here may be anything (PREFIX,
# OPTIONS_emp).
#
#   ONE_OF_NAME   the values of NAME
#   EACH_OF_NAME  what each of its words may be
#   NUMBER_NAME   the least and the greatest
#   EXISTS_NAME   the path in NAME, which there must be
#
# The value of the command line or of the environment counts; an empty one is as none.

profiles   = $(shell sed -n 's/^profile \([a-z0-9_]*\).*/\1/p' $(PROTOCOL_SPECS))
# Those that give the second processor something to do, of protocols with firmware.
placements = $(shell awk '/^placement / { name = $$2 } /^$$/ { name = "" } name && / on (.* )?B/ { print name }' $(foreach name,$(FW_PROTOCOLS),$(dir $(SPEC_$(name)))*.hsm))
numbers    = $(foreach name,$(2),$(eval NUMBER_$(name) := $(1)))
kinds      = ALL $(shell sed -n 's/^.define HSM_CHECK_\([A-Z]*\) *[0-9]* .\*.*/\1/p' fw-runtime/hsm_checks.h)

ONE_OF_PROFILE   = $(sort $(profiles))
ONE_OF_PLACEMENT = $(sort $(placements))
ONE_OF_NAME      = $(strip $(PROTOCOLS))
ONE_OF_BOARDS    = $(shell for number in 2 4 8 16 32 64 128 256; do test $$number -gt $(or $(NODES),16) || echo $$number; done)
ONE_OF_FW_PORT   = $(patsubst %/port.mk,%,$(wildcard fw-runtime/port/*/port.mk))
ONE_OF_NIC_TRACE := 0 1
ONE_OF_V         := 0 1
ONE_OF_PLAIN     := 1

EACH_OF_FW_CHECKS       = $(kinds)
EACH_OF_CHECKED         = $(kinds)
EACH_OF_OBSERVED_CHECKS = $(kinds)
EACH_OF_OPERATORS       = $(shell sed -n '/^OPERATORS = /,/^}/s/^ *"\([a-z_-]*\)":.*/\1/p' gen/hsmc/testing/mutation.py)

$(call numbers,2 256,NODES)
$(call numbers,0 4294967295,SEED)
$(call numbers,1 1000000000000,FRAMES JOBS SPECS RUNS SAMPLE MESSAGES WORLDS BOARDS_KILLED BOARDS_QUIETED SEQUENCES DAMAGES)

EXISTS_FILE        = $(FILE)
EXISTS_TESTS       = $(firstword $(subst ::, ,$(TESTS)))
EXISTS_KERNEL      = $(KERNEL)
EXISTS_TIGON_IMAGE = $(firstword $(subst :, ,$(TIGON_IMAGE)))
$(foreach name,$(PROTOCOLS),$(eval EXISTS_SPEC_$(name) = $$(SPEC_$(name))))

# In single quotes for the shell.
quoted   = '$(subst ','\'',$(1))'
one_word = $(subst $(space),_,$(strip $(1)))
space   := $() $()
# The variables of a table that the caller gave a value.
said_of  = $(foreach name,$(patsubst $(1)_%,%,$(filter $(1)_%,$(.VARIABLES))),$(if \
    $(and $($(name)),$(filter command environment,$(firstword $(origin $(name))))),$(name)))
nearest  = $(shell $(PYTHON) -SE -c 'import difflib, sys; names = {name.lower(): name for name in sys.argv[2:]}; \
    print(*(names[name] for name in difflib.get_close_matches(sys.argv[1].lower(), names, 1, 0.65)))' $(call quoted,$(1)) $(2))
mean     = $(patsubst %,; did you mean '%'?,$(call nearest,$(1),$(2)))
number   = $(shell expr $(call quoted,$(1)) : '[0-9]\{1,15\}$$' > /dev/null && test $(call quoted,$(1)) -ge $(word 1,$(2)) && \
    test $(call quoted,$(1)) -le $(word 2,$(2)) && echo yes)

# $(call refuse,WHAT WAS EXPECTED,WHAT WAS FOUND,ALL THAT MIGHT BE MEANT)
refuse   = $(error $(name)=$($(name)): expected $(1), found '$(2)'$(call mean,$(2),$(3)))

$(foreach name,$(call said_of,ONE_OF),$(if $(filter-out $(ONE_OF_$(name)),$(call one_word,$($(name)))),\
    $(call refuse,one of $(ONE_OF_$(name)),$($(name)),$(ONE_OF_$(name)))))
$(foreach name,$(call said_of,EACH_OF),$(foreach found,$(filter-out $(EACH_OF_$(name)),$($(name))),\
    $(call refuse,each word to be one of $(EACH_OF_$(name)),$(found),$(EACH_OF_$(name)))))
$(foreach name,$(call said_of,NUMBER),$(if $(call number,$($(name)),$(NUMBER_$(name))),,\
    $(call refuse,a number from $(word 1,$(NUMBER_$(name))) to $(word 2,$(NUMBER_$(name))),$($(name)))))
$(foreach name,$(call said_of,EXISTS),$(if $(shell test -e $(call quoted,$(EXISTS_$(name))) && echo yes),,\
    $(call refuse,the path of something that is there,$(EXISTS_$(name)))))

# A variable that no makefile speaks of, whose name is nearly that of another.
known_names  = $(foreach table,ONE_OF EACH_OF NUMBER EXISTS,$(patsubst $(table)_%,%,$(filter $(table)_%,$(.VARIABLES)))) \
    $(foreach name,$(PROTOCOLS),OPTIONS_$(name) OUTPUTS_$(name)) BUILD PREFIX DESTDIR AGAIN TIGON_IMAGE_NAME
said_names   = $(foreach word,$(filter-out -%,$(subst \$(space),_,$(MAKEOVERRIDES))),$(if $(findstring =,$(word)),$(firstword $(subst =, ,$(word)))))
$(foreach name,$(filter-out $(known_names),$(said_names)),$(if $(shell grep -lw -- $(call quoted,$(name)) $(MAKEFILE_LIST)),,\
    $(if $(call nearest,$(name),$(known_names)),$(error there is no variable $(name)$(call mean,$(name),$(known_names))))))
