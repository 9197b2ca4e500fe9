# The front door. `make help` lists the targets; V=1 shows every command.
# Each directory describes its own part in build.mk; everything made lands under build/.

BUILD  := build
PYTHON := /usr/bin/python3
V      ?= 0
Q      := $(if $(filter 1,$(V)),,@)
SAY    := $(if $(filter 1,$(V)),@:,@printf '  %-8s %s\n')

CC        ?= gcc
WARNINGS  := -Wall -Wextra -Wconversion -Werror
CSTD      := -std=c11 -D_GNU_SOURCE
OPTIMISE  := -O2 -g
SANITIZE  := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g
INCLUDES  := -I.
CFLAGS    := $(CSTD) $(WARNINGS) $(OPTIMISE) $(INCLUDES)

.DEFAULT_GOAL := help
.SECONDEXPANSION:
.DELETE_ON_ERROR:

# Filled by the build.mk files.
TEST_PROGRAMS :=
LINT_C        :=

include gen/build.mk
include sim/build.mk
include fw-runtime/build.mk
include host/build.mk
include models/build.mk
include tests/build.mk
include docs/build.mk

.PHONY: help setup demo test verify firmware bench campaign docs lint format clean

help:            ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | column -t -s '|'

# C objects: build/obj/<path>.o as shipped, build/san/<path>.o with the sanitizers.
$(BUILD)/obj/%.o: %.c
	$(SAY) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CFLAGS_$(subst /,_,$(patsubst %/,%,$(dir $<)))) -MMD -MP -c -o $@ $<

$(BUILD)/san/%.o: %.c
	$(SAY) CC "$< (sanitized)"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CSTD) $(WARNINGS) $(SANITIZE) $(INCLUDES) $(CFLAGS_$(subst /,_,$(patsubst %/,%,$(dir $<)))) -MMD -MP -c -o $@ $<

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
