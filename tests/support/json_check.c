#include "support/json_check.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct reader {
    const unsigned char *at, *end;
    int depth;
} reader;

static bool take(reader *r, int c)
{
    if (r->at < r->end && *r->at == c) {
        r->at++;
        return true;
    }
    return false;
}

static bool take_word(reader *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static void skip_space(reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->at++;
}

// One character above ASCII.
static bool take_utf8(reader *r)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int n = *r->at >= 0xf0 ? 4 : *r->at >= 0xe0 ? 3 : 2;
    if (*r->at < 0xc0 || *r->at > 0xf7 || r->end - r->at < n)
        return false;
    uint32_t code = *r->at & (0xffu >> (n + 1));
    for (int i = 1; i < n; i++) {
        if ((r->at[i] & 0xc0) != 0x80)
            return false;
        code = code << 6 | (r->at[i] & 0x3f);
    }
    if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return false;
    r->at += n;
    return true;
}

static bool take_escape(reader *r)
{
    if (take(r, 'u')) {
        for (int i = 0; i < 4; i++, r->at++) {
            if (r->at >= r->end || !isxdigit(*r->at))
                return false;
        }
        return true;
    }
    if (r->at < r->end && *r->at && strchr("\"\\/bfnrt", *r->at)) {
        r->at++;
        return true;
    }
    return false;
}

static bool take_string(reader *r)
{
    if (!take(r, '"'))
        return false;
    while (r->at < r->end && *r->at != '"') {
        if (take(r, '\\')) {
            if (!take_escape(r))
                return false;
        } else if (*r->at >= 0x80) {
            if (!take_utf8(r))
                return false;
        } else if (*r->at < 0x20)
            return false;
        else
            r->at++;
    }
    return take(r, '"');
}

static bool take_digits(reader *r)
{
    const unsigned char *start = r->at;
    while (r->at < r->end && isdigit(*r->at))
        r->at++;
    return r->at > start;
}

static bool take_number(reader *r)
{
    take(r, '-');
    if (!take(r, '0') && !take_digits(r))
        return false;
    if (take(r, '.') && !take_digits(r))
        return false;
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '+'))
            take(r, '-');
        return take_digits(r);
    }
    return true;
}

static bool take_value(reader *r);

static bool take_entries(reader *r, bool keys, int close)
{
    skip_space(r);
    if (take(r, close))
        return true;
    do {
        skip_space(r);
        if (keys) {
            if (!take_string(r))
                return false;
            skip_space(r);
            if (!take(r, ':'))
                return false;
        }
        if (!take_value(r))
            return false;
        skip_space(r);
    } while (take(r, ','));
    return take(r, close);
}

static bool take_value(reader *r)
{
    enum { DEEPEST = 100 };
    bool ok;
    if (++r->depth > DEEPEST)
        return false;
    skip_space(r);
    if (take(r, '{'))
        ok = take_entries(r, true, '}');
    else if (take(r, '['))
        ok = take_entries(r, false, ']');
    else if (r->at < r->end && *r->at == '"')
        ok = take_string(r);
    else
        ok = take_word(r, "true") || take_word(r, "false") || take_word(r, "null") ||
             take_number(r);
    r->depth--;
    return ok;
}

const char *json_find_mistake(const char *text, size_t size)
{
    reader r = {(const unsigned char *)text, (const unsigned char *)text + size, 0};
    if (!take_value(&r))
        return (const char *)r.at;
    skip_space(&r);
    return r.at == r.end ? NULL : (const char *)r.at;
}
