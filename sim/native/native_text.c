/* SPDX-License-Identifier: MIT */
/* Translated text that cores share: see native_text.h. */
#include "sim/native/native_private.h"

#include <sys/mman.h>

/* Of the blocks that begin at a word: text that changes all the time is not worth a long search. */
#define CANDIDATES 4

struct native_text *native_text_create(void) {
    struct native_text *text = mmap(NULL, sizeof *text, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (text == MAP_FAILED)
        return NULL;
    if (mprotect(text->code, sizeof text->code, PROT_READ | PROT_WRITE | PROT_EXEC) != 0 ||
        !tigon_native_make_stubs(text)) {
        munmap(text, sizeof *text);
        return NULL;
    }
    text->cores = 1;
    text->stubs = text->used;
    native_text_clear(text);
    return text;
}

void native_text_release(struct native_text *text) {
    if (--text->cores == 0)
        munmap(text, sizeof *text);
}

bool native_text_full(const struct native_text *text) {
    return text->used + NATIVE_BLOCK_BYTES > NATIVE_CODE_BYTES / 2u ||
           text->cold_used + NATIVE_BLOCK_BYTES > NATIVE_CODE_BYTES ||
           text->access_count + NATIVE_BLOCK_WORDS > NATIVE_ACCESSES ||
           text->block_count == NATIVE_BLOCKS ||
           text->source_count + NATIVE_BLOCK_WORDS > NATIVE_SOURCES ||
           text->jump_count + NATIVE_BLOCK_WORDS > NATIVE_JUMPS;
}

void native_text_clear(struct native_text *text) {
    memset(text->newest, 0, sizeof text->newest);
    text->used = text->stubs;
    text->cold_used = NATIVE_CODE_BYTES / 2u;
    text->access_count = text->block_count = text->source_count = text->jump_count = 0;
    text->searches = 0;
    text->blocks[0] = (struct native_block){0};
}

/* The block under construction. */
static struct native_block *unfinished(struct native_text *text) {
    return &text->blocks[text->block_count];
}

void native_text_drop(struct native_text *text) {
    struct native_block *block = unfinished(text);
    text->source_count -= block->sources;
    text->jump_count -= block->jumps;
    *block = (struct native_block){0};
}

void native_text_add_source(struct native_text *text, uint32_t index, uint32_t word) {
    struct native_block *block = unfinished(text);
    if (block->sources++ == 0)
        block->first_source = text->source_count;
    text->sources[text->source_count++] = (struct native_source){index, word};
}

void native_text_add_jump(struct native_text *text, uint32_t index, const uint8_t *entry) {
    struct native_block *block = unfinished(text);
    uint32_t number = text->newest[index];
    while (number != 0 && text->blocks[number - 1u].entry != entry)
        number = text->blocks[number - 1u].older;
    if (block->jumps++ == 0)
        block->first_jump = text->jump_count;
    text->jumps[text->jump_count++] = number - 1u;
}

void native_text_add(struct native_text *text, uint32_t index, const uint8_t *entry,
                     bool trusting) {
    struct native_block *block = unfinished(text);
    block->entry = entry;
    block->index = index;
    block->trusting = trusting;
    block->older = text->newest[index];
    text->newest[index] = ++text->block_count;
    if (text->block_count < NATIVE_BLOCKS)
        *unfinished(text) = (struct native_block){0};
}

static bool fits(const struct tigon_native *native, const struct native_block *block) {
    const struct native_source *source = &native->text->sources[block->first_source];
    for (uint32_t i = 0; i < block->sources; i++)
        if (tigon_load_be32(native->scratchpad + 4u * source[i].index) != source[i].word)
            return false;
    return true;
}

/* `text->found` becomes the block and all blocks it reaches by unchecked jumps. Returns their
 * number, 0 if one of them does not fit. */
static uint32_t find_all(const struct tigon_native *native, uint32_t number) {
    struct native_text *text = native->text;
    uint32_t count = 1;
    text->searches++;
    text->found[0] = number;
    text->blocks[number].met = text->searches;
    for (uint32_t i = 0; i < count; i++) {
        const struct native_block *block = &text->blocks[text->found[i]];
        if (!fits(native, block))
            return 0;
        for (uint32_t j = 0; j < block->jumps; j++) {
            const uint32_t next = text->jumps[block->first_jump + j];
            if (text->blocks[next].met == text->searches)
                continue;
            text->blocks[next].met = text->searches;
            text->found[count++] = next;
        }
    }
    return count;
}

static bool distrusted(const struct tigon_native *native, const struct native_block *block) {
    return block->trusting && native->distrusted[block->index];
}

static void know(struct tigon_native *native, const struct native_block *block) {
    uint8_t *const known = native->cpu->memory->scratchpad_text[native->cpu->core];
    const struct native_source *source = &native->text->sources[block->first_source];
    for (uint32_t i = 0; i < block->sources; i++)
        memset(&known[4u * source[i].index], TIGON_TEXT_TRANSLATED, 4);
    if (native->entry[block->index] == native->leave && !distrusted(native, block))
        native->entry[block->index] = block->entry;
}

bool native_text_adopt(struct tigon_native *native, uint32_t index) {
    struct native_text *text = native->text;
    uint32_t number = text->newest[index];
    for (unsigned i = 0; i < CANDIDATES && number != 0; i++) {
        const struct native_block *block = &text->blocks[number - 1u];
        const uint32_t count = distrusted(native, block) ? 0 : find_all(native, number - 1u);
        for (uint32_t j = 0; j < count; j++)
            know(native, &text->blocks[text->found[j]]);
        if (count != 0)
            return true;
        number = block->older;
    }
    return false;
}
