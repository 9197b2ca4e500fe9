# SPDX-License-Identifier: MIT
# The site about the protocols: build/docs/index.html. It is made anew, so that no page of a renamed machine stays.
docs:            ## the protocols as web pages: build/docs/index.html
	@scripts/setup.sh docs
	$(SAY) DOC $(BUILD)/docs/index.html
	$(Q)rm -rf $(BUILD)/docs
	$(Q)gen/bin/hsmc doc $(PROTOCOL_SPECS) --output $(BUILD)/docs $(addprefix --manual ,$(wildcard docs/*.md docs/reference/*.md))
