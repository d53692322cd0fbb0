#include "format/character.h"

size_t pm_character_read(const char *bytes, size_t left, uint32_t *ret_character)
{
    /* By the number of bytes: the least that needs so many. */
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)bytes;
    size_t length = at[0] < 0x80 ? 1 : at[0] < 0xc0 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (length == 0 || length > left || at[0] > 0xf4)
        return 0;
    uint32_t character = length == 1 ? at[0] : at[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        character = character << 6 | (at[i] & 0x3f);
    }
    if (character < least[length] || character > 0x10ffff ||
        (character >= 0xd800 && character <= 0xdfff))
        return 0;
    *ret_character = character;
    return length;
}

size_t pm_character_write(uint32_t character, char ret_bytes[4])
{
    size_t length = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; character >>= 6)
        ret_bytes[i] = (char)(0x80 | (character & 0x3f));
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    ret_bytes[0] = (char)(first[length] | character);
    return length;
}

bool pm_character_acts(uint32_t character)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x0000, 0x001f},   /* C0 */
        {0x007f, 0x009f},   /* delete, C1: U+009B is as good as escape and bracket */
        {0x061c, 0x061c},   /* Arabic letter mark */
        {0x180e, 0x180e},   /* Mongolian vowel separator */
        {0x200b, 0x200b},   /* zero-width space; the joiners behind it are part of words */
        {0x200e, 0x200f},   /* left-to-right, right-to-left mark */
        {0x2028, 0x202e},   /* line and paragraph separator, embeddings, overrides */
        {0x2060, 0x206f},   /* word joiner, invisible operators, isolates, deprecated */
        {0xfeff, 0xfeff},   /* byte order mark */
        {0xfff9, 0xfffb},   /* interlinear annotation */
        {0x1d173, 0x1d17a}, /* musical formatting */
        {0xe0000, 0xe007f}, /* tags: text that nobody sees */
    };
    if (character >= 0x20 && character < 0x7f)
        return false;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (character >= ranges[i].first && character <= ranges[i].last)
            return true;
    return false;
}
