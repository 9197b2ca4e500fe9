/* SPDX-License-Identifier: MIT */
/* Hash and compression of state vectors, for verifiers that SPIN has made: they call these
 * functions in place of SPIN's own (gen/hsmc/verification/state_vector.py).
 *
 * A vector of EMP has about 1000 bytes, and is hashed at every transition. SPIN's functions take it
 * in steps of one to four bytes, and used two thirds of the time of a search. These change neither
 * the order of a search nor which states are equal. They are compiled with optimisation, whatever
 * compiles the verifier.
 */
#include <limits.h>
#include <string.h>
#include <xxhash.h>
#ifdef __BMI2__
#include <immintrin.h>
#endif

enum { WORD_BYTES = sizeof(unsigned long) };

void model_hash(const unsigned char *vector, int bytes, unsigned long hash[2]);
int model_compress(char *compressed, const char *vector, int bytes, const unsigned char *mask);

/* As SPIN's d_hash: two words, of which hash compaction stores both. */
void model_hash(const unsigned char *vector, int bytes, unsigned long hash[2]) {
    const XXH128_hash_t found = XXH3_128bits(vector, (size_t)bytes);
    hash[0] = found.low64;
    hash[1] = found.high64;
}

/* As SPIN's compress: leaves out the bytes that `mask` names, and fills the last word with zeros.
 * Returns the number of bytes written. */
int model_compress(char *compressed, const char *vector, int bytes, const unsigned char *mask) {
    char *to = compressed;
    int from = 0;
    for (; from + WORD_BYTES <= bytes; from += WORD_BYTES) {
        unsigned long masked;
        memcpy(&masked, mask + from, WORD_BYTES);
        if (!masked) {
            memcpy(to, vector + from, WORD_BYTES);
            to += WORD_BYTES;
            continue;
        }
#ifdef __BMI2__ /* takes a quarter off a search for cycles */
        unsigned long word;
        memcpy(&word, vector + from, WORD_BYTES);
        word = _pext_u64(word, ~(masked * UCHAR_MAX));
        memcpy(to, &word, WORD_BYTES);
        to += WORD_BYTES - __builtin_popcountl(masked);
#else
        for (int i = from; i < from + WORD_BYTES; i++) {
            *to = vector[i];
            to += !mask[i];
        }
#endif
    }
    for (; from < bytes; from++) {
        *to = vector[from];
        to += !mask[from];
    }
    while ((to - compressed) % WORD_BYTES != 0)
        *to++ = 0;
    return (int)(to - compressed);
}
