# SPDX-License-Identifier: MIT
# `make install PREFIX= DESTDIR=`: libemp, the command emp, the simulator, the image, manual pages. All of it is of one
# profile of EMP, because a library knows one: modern, unless PROFILE says another.

PREFIX          ?= /usr/local
DESTDIR         ?=
INSTALL_PROFILE := modern

LIBEMP_SONAME  := libemp.so.$(firstword $(subst ., ,$(VERSION)))
LIBEMP_SHARED  := $(BUILD)/lib/libemp.so.$(VERSION)
LIBEMP_LINK    := -shared -Wl,-soname,$(LIBEMP_SONAME) -Wl,--version-script=host/emp/libemp.map -Wl,--no-undefined
LIBEMP_STATIC  := $(BUILD)/lib/libemp.a
# Without the simulator, whose boards the library reaches by sockets only.
LIBEMP_OBJECTS := $(call HOST_OBJECTS,pic,$(filter-out host/board/sim.c,$(HOST_LIBRARY_SOURCES)))
$(LIBEMP_OBJECTS): | $(HOST_LAYOUT)

$(LIBEMP_SHARED): $(LIBEMP_OBJECTS) host/emp/libemp.map FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) $(LIBEMP_LINK) \
	    -o $@ $(LIBEMP_OBJECTS) -lelf -lz && \
	    ln -sf $(@F) $(@D)/$(LIBEMP_SONAME) && \
	    ln -sf $(@F) $(@D)/libemp.so)

$(LIBEMP_STATIC): $(LIBEMP_OBJECTS) FORCE
	$(call make_file,AR,$@,rm -f $@ && $(AR) rcs $@ $(FROM))

INSTALLED := $(LIBEMP_SHARED) $(LIBEMP_STATIC) $(EMP_TOOL) $(TIGONSIM) $(FIRMWARE)/emp_a.bin

.PHONY: install install-files installed-files
install:         ## libemp, emp, tigonsim, image and manual pages below DESTDIR/PREFIX (default /usr/local)
	@scripts/setup.sh demo
	$(Q)$(MAKE) --no-print-directory $(if $(PROFILE),,PROFILE=$(INSTALL_PROFILE) BUILD=build/$(INSTALL_PROFILE)) install-files

installed-files: $(INSTALLED)

# $(call INSTALL,MODE,DIRECTORY,FILES)
INSTALL = install -m $(1) -D -t $(DESTDIR)$(PREFIX)/$(2) $(3)

install-files: $(INSTALLED)
	$(SAY) INSTALL $(DESTDIR)$(PREFIX)
	$(Q)$(call INSTALL,644,include/libemp,host/board/board.h)
	$(Q)sed 's|"host/board/board.h"|"board.h"|' host/emp/libemp.h > $(DESTDIR)$(PREFIX)/include/libemp/libemp.h
	$(Q)$(call INSTALL,755,lib,$(LIBEMP_SHARED))
	$(Q)ln -sf $(notdir $(LIBEMP_SHARED)) $(DESTDIR)$(PREFIX)/lib/$(LIBEMP_SONAME)
	$(Q)ln -sf $(LIBEMP_SONAME) $(DESTDIR)$(PREFIX)/lib/libemp.so
	$(Q)$(call INSTALL,644,lib,$(LIBEMP_STATIC))
	$(Q)mkdir -p $(DESTDIR)$(PREFIX)/lib/pkgconfig
	$(Q)sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' host/emp/libemp.pc \
	    > $(DESTDIR)$(PREFIX)/lib/pkgconfig/libemp.pc
	$(Q)mkdir -p $(DESTDIR)$(PREFIX)/lib/firmware/emp
	$(Q)install -m 644 $(FIRMWARE)/emp_a.bin $(DESTDIR)$(PREFIX)/lib/firmware/emp/emp.bin
	$(Q)$(call INSTALL,755,bin,$(EMP_TOOL) $(TIGONSIM))
	$(Q)$(call INSTALL,644,share/bash-completion/completions,host/tools/completion/emp)
	$(Q)$(call INSTALL,644,share/man/man1,$(wildcard host/man/*.1))
	$(Q)$(call INSTALL,644,share/man/man3,$(wildcard host/man/*.3))
	$(Q)$(call INSTALL,644,share/man/man7,$(wildcard host/man/*.7))
	$(Q)cd host/man && for page in *.3; do \
	    for name in $$(sed -n '/^.SH NAME/{n;s/ .- .*//;s/,//g;p}' $$page); do \
	        [ $$name.3 = $$page ] || echo ".so man3/$$page" > $(DESTDIR)$(PREFIX)/share/man/man3/$$name.3; \
	    done; done
	$(Q)$(call INSTALL,644,share/doc/libemp/examples,$(wildcard host/examples/*))
	$(Q)$(call INSTALL,755,share/libemp,host/tools/plot_perf.py)
