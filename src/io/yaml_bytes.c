// The bytes of a YAML text: UTF-8 without control characters, no tabs in the indentation. libyaml
// would refuse most of this too, but without a place or with a message about tokens.
#include "io/yaml_bytes.h"

typedef struct cursor {
    const char *bytes;
    size_t at;
    pcs_yaml_mark mark;
    bool indenting; // only blanks so far in this line
} cursor;

size_t pcs_yaml_decode(const char *bytes, size_t left, uint32_t *character)
{
    const unsigned char *p = (const unsigned char *)bytes;
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = p[0] < 0x80             ? 1
                    : (p[0] & 0xE0) == 0xC0 ? 2
                    : (p[0] & 0xF0) == 0xE0 ? 3
                    : (p[0] & 0xF8) == 0xF0 ? 4
                                            : 0;
    if (length == 0 || length > left)
        return 0;
    uint32_t value = length == 1 ? p[0] : p[0] & (0xFFu >> (length + 1));
    for (size_t k = 1; k < length; k++) {
        if ((p[k] & 0xC0) != 0x80)
            return 0;
        value = (value << 6) | (p[k] & 0x3Fu);
    }
    if (value < smallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *character = value;
    return length;
}

bool pcs_yaml_is_control(uint32_t character)
{
    if (character < 0x20)
        return character != '\t' && character != '\n' && character != '\r';
    return character == 0x7F || (character >= 0x80 && character < 0xA0 && character != 0x85) ||
           character == 0xFEFF || character == 0xFFFE || character == 0xFFFF;
}

pcs_status pcs_yaml_check_bytes(const pcs_yaml_document *doc, int32_t source, const char *bytes,
                                size_t size)
{
    cursor c = {bytes, 0, {source, 1, 1}, true};
    while (c.at < size) {
        uint32_t character = 0;
        size_t length = pcs_yaml_decode(bytes + c.at, size - c.at, &character);
        if (length == 0)
            return pcs_yaml_error(doc, c.mark, "byte 0x%02X is not UTF-8; save the file as UTF-8",
                                  (unsigned char)c.bytes[c.at]);
        if (character == 0)
            return pcs_yaml_error(doc, c.mark, "a NUL byte; this is not a text file");
        if (pcs_yaml_is_control(character))
            return pcs_yaml_error(doc, c.mark, "control character U+%04X is not allowed",
                                  (unsigned)character);
        if (c.indenting && character == '\t')
            return pcs_yaml_error(doc, c.mark, "a tab in the indentation; use spaces");
        bool crlf = character == '\r' && c.at + 1 < size && c.bytes[c.at + 1] == '\n';
        if (character == '\n' || (character == '\r' && !crlf)) {
            c.mark.line++;
            c.mark.column = 1;
            c.indenting = true;
        } else {
            c.mark.column++;
            c.indenting = c.indenting && character == ' ';
        }
        c.at += length;
    }
    return PCS_OK;
}
