#include "recorder/agent/base/text.h"

#include <string.h>

#include "format/character.h"

/* The UTF-16 surrogate that JNI spells in three bytes at `at`, 0 when there is none. */
static uint32_t read_surrogate(const char *at, size_t left)
{
    const unsigned char *bytes = (const unsigned char *)at;
    if (left < 3 || bytes[0] != 0xed || bytes[1] < 0xa0 || bytes[1] > 0xbf ||
        (bytes[2] & 0xc0) != 0x80)
        return 0;
    return 0xd000u | (uint32_t)(bytes[1] & 0x3f) << 6 | (bytes[2] & 0x3f);
}

/* One character as the JVM spells it: how many bytes of `from` it takes, at least one. */
static size_t read_java(const char *from, size_t left, uint32_t *ret_character)
{
    size_t length = pm_character_read(from, left, ret_character);
    if (length > 0)
        return length;
    *ret_character = '?';
    uint32_t high = read_surrogate(from, left);
    if (high == 0)
        return left >= 2 && memcmp(from, "\xc0\x80", 2) == 0 ? 2 : 1;
    uint32_t low = high < 0xdc00 ? read_surrogate(from + 3, left - 3) : 0;
    if (low < 0xdc00)
        return 3;
    *ret_character = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    return 6;
}

size_t pm_text_from_java(char *to, size_t size, const char *from)
{
    size_t left = strlen(from), used = 0;
    while (left > 0) {
        uint32_t character;
        char spelt[4];
        size_t taken = read_java(from, left, &character);
        size_t length = pm_character_write(character, spelt);
        if (used + length >= size)
            break;
        memcpy(to + used, spelt, length);
        used += length;
        from += taken;
        left -= taken;
    }
    to[used] = 0;
    return used;
}

size_t pm_text_plain(char *to, size_t size, struct pm_text text)
{
    size_t used = 0;
    for (size_t i = 0; i < text.length;) {
        uint32_t character;
        char spelt[4] = "?";
        size_t taken = pm_character_read(text.bytes + i, text.length - i, &character);
        size_t length = 1;
        if (taken > 0 && !pm_character_acts(character))
            length = pm_character_write(character, spelt);
        if (used + length >= size)
            break;
        memcpy(to + used, spelt, length);
        used += length;
        i += taken > 0 ? taken : 1;
    }
    to[used] = 0;
    return used;
}
