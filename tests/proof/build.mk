# SPDX-License-Identifier: MIT
# The proofs of models/proof, and that they fail where they should, stand on the generated C.

TEST_NEEDS += $(BUILD)/gen/emp/frame.c generate
