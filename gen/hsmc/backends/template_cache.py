# SPDX-License-Identifier: MIT
"""Compiled templates, kept from one run to the next."""

from __future__ import annotations

import jinja2
from jinja2.bccache import Bucket

from .. import disk_cache


class TemplateCache(jinja2.BytecodeCache):
    """Jinja2 asks by template and drops what was made of another text of it."""

    def load_bytecode(self, bucket: Bucket) -> None:
        content = disk_cache.read(f"{bucket.key}.template")
        if content is not None:
            try:
                bucket.bytecode_from_string(content)
            except Exception:  # spoilt, in whatever way
                bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        disk_cache.write(f"{bucket.key}.template", bucket.bytecode_to_string())
