# SPDX-License-Identifier: MIT
# A file is made anew when what it was made from has changed, and when the command that made it would be another one
# today: other flags, another compiler, other options of hsmc, another list of objects. Each rule that makes a file says
#
#   file: prerequisites FORCE
#   	$(call make_file,WORD,WHAT,COMMAND)
#
# WORD and WHAT are shown. The command is kept beside the file, in file.command. Its prerequisites without FORCE are
# $(FROM). A comma that is not within parentheses would end COMMAND: it is written $(comma). Where one command makes
# several files, the fourth argument names the file whose command it is, because $@ is now one of them, now another.
#
# `make -n` shows more than make would do: it takes each file that asks for one that changes.
#
# In a directory that several calls of make share (SIM_BUILD), a command must not name what differs between them
# (BUILD).

.PHONY: FORCE
FORCE:

comma := ,
FROM   = $(filter-out FORCE,$^)

# How a program is optimised at its link makes no other program: what was linked for speed stays as it is for a test
# (TEST_LINK), whatever LTO_LINK is now. Objects that can be optimised so have -ffat-lto-objects besides. Nor does the
# place of the tree.
command_kept   = $(strip $(filter-out -flto -flto=auto -fno-lto,$(subst $(CURDIR),.,$(1))))
same_text      = $(and $(findstring x$(1)x,x$(2)x),$(findstring x$(2)x,x$(1)x))
# The target is there, nothing that it is made from is newer, and the command of $(2).command is $(1). GNU make 4.3
# reads a file with or without its last newline.
made_as_before = $(and $(wildcard $@),$(if $(filter-out FORCE,$?),,yes),$(call same_text,$(strip $(file <$(2).command)),$(1)))

# The command takes its place after it has succeeded.
define make_file_from
$(if $(call made_as_before,$(4),$(5)),,$(if $(wildcard $(@D)/.),,$(shell mkdir -p $(@D)))$(file >$(5).command.new,$(4))$(SAY) $(1) $(2)
	$(Q)$(3)
	@mv $(5).command.new $(5).command)
endef
make_file = $(call make_file_from,$(1),$(2),$(3),$(call command_kept,$(3)),$(or $(4),$@))
