#!/bin/sh
# SPDX-License-Identifier: MIT
# Warnings of clang and findings of clang-tidy: lint_c.sh FLAG... -- FILE...
set -eu

flags=
while [ "$1" != -- ]; do
    flags="$flags '$1'"
    shift
done
shift
eval "clang $flags -fsyntax-only \"\$@\""
eval "clang-tidy --quiet \"\$@\" -- $flags" 2>/dev/null
