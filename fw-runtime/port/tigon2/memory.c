/* SPDX-License-Identifier: MIT */
/*
 * What a freestanding compiler may call behind our back. Not for the data path.
 */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *left, const void *right, size_t bytes);

void *memcpy(void *to, const void *from, size_t bytes) {
    unsigned char *t = to;
    const unsigned char *f = from;
    while (bytes-- != 0)
        *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t bytes) {
    unsigned char *t = to;
    const unsigned char *f = from;
    if (t <= f)
        return memcpy(to, from, bytes);
    while (bytes-- != 0)
        t[bytes] = f[bytes];
    return to;
}

void *memset(void *to, int value, size_t bytes) {
    unsigned char *t = to;
    while (bytes-- != 0)
        *t++ = (unsigned char)value;
    return to;
}

int memcmp(const void *left, const void *right, size_t bytes) {
    const unsigned char *l = left;
    const unsigned char *r = right;
    for (; bytes != 0; bytes--, l++, r++)
        if (*l != *r)
            return *l - *r;
    return 0;
}
