# SPDX-License-Identifier: MIT
"""Puts our hash and compression of state vectors, models/state_vector.c, into a verifier in place of SPIN's, has it begin
with the count of what it executes, models/spin_support.h, and leaves memory untouched that it does not need."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path

from ..failure import Failure
from .subject import TOP

SOURCES = [str(TOP / "models" / name) for name in ("state_vector.c", "tcc_functions.c")]
OBJECT = "model.o"
COMPILATION = (
    *("gcc", "-O2", "-march=native", "-Wall", "-r", "-nostdlib"),
    *("-o", OBJECT, *SOURCES),
)
LINKED = (OBJECT, "-lxxhash")

# In pan.c of SPIN 6.5: before the only caller of the hash, where it is chosen, where compression begins, and
# where the program begins.
CALLER = "void\ns_hash(uchar *cp, int om)\n"
CHOICE = "hasher = d_sfh;"
COMPRESSION = "compress(char *vin, int n)\t/* default compression */\n{\n"
BEGINNING = "\tefd = stderr;\t/* default */\n"
# All memory comes from the first, and the second clears it, though it has not been used before. The stack for a depth of
# millions is hundreds of megabytes, of which most searches use little.
TAKEN = "\ttmp = (char *) malloc(n);\n"
CLEARED = "\tmemset(tmp, 0, n);\n\treturn tmp;\n}\nvoid\ndfs_Uerror("
TAKEN_CLEAR = "\ttmp = (char *) calloc(1, n);\n"
NOT_CLEARED = CLEARED.replace("\tmemset(tmp, 0, n);\n", "")

CALLS_HASH = """void model_hash(const uchar *, int, ulong *);
int model_compress(char *, const char *, int, const uchar *);

static void
hash_vector(uchar *vector, int bytes)
{	ulong hash[2];
	model_hash(vector, bytes, hash);
	K1 = hash[0];
	K2 = hash[1];
}

"""
CALLS_COMPRESSION = """#ifndef HC
	return model_compress((char *) &comp_now, vin, n, Mask);
#endif
"""


COUNTS_COVERAGE = "\tspin_count_coverage();\n"


@functools.cache
def object_code() -> bytes:
    """Of SOURCES, to be linked with a verifier. It is the same for all of them, and takes longer than most take to compile."""
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run(
            COMPILATION, cwd=directory, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise Failure(f"{' '.join(SOURCES)} do not compile:\n{done.stderr}")
        return (Path(directory) / OBJECT).read_bytes()


def quicken(directory: Path) -> None:
    """Puts OBJECT beside pan.c, made by SPIN, and changes pan.c to use it. Fails where SPIN writes it otherwise than it did."""
    (directory / OBJECT).write_bytes(object_code())
    verifier = directory / "pan.c"
    text = verifier.read_text()
    for place, instead in (
        (CALLER, CALLS_HASH + CALLER),
        (CHOICE, "hasher = hash_vector;"),
        (COMPRESSION, COMPRESSION + CALLS_COMPRESSION),
        (BEGINNING, COUNTS_COVERAGE + BEGINNING),
        (TAKEN, TAKEN_CLEAR),
        (CLEARED, NOT_CLEARED),
    ):
        if text.count(place) != 1:
            raise Failure(
                f"{verifier} is not as SPIN 6.5 makes it: {place!r} is there {text.count(place)} times, not once. "
                "Install SPIN 6.5.2 (scripts/setup.sh verify), or adapt gen/hsmc/verification/state_vector.py"
            )
        text = text.replace(place, instead)
    verifier.write_text(text)
