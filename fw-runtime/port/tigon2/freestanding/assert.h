/* SPDX-License-Identifier: MIT */
/*
 * The one thing of <assert.h> that a freestanding program can have.
 */
#ifndef FW_RUNTIME_TIGON2_ASSERT_H
#define FW_RUNTIME_TIGON2_ASSERT_H

#define static_assert _Static_assert

#endif
