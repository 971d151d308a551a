// Lexer of formulas. It knows ASCII only and does not depend on the locale.
#include "formula/lexer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_char(char c)
{
    return is_name_start(c) || is_digit(c) || c == '.';
}

static char peek(const pcs_lexer *lexer, size_t ahead)
{
    return lexer->at + ahead < lexer->length ? lexer->text[lexer->at + ahead] : '\0';
}

// Decimal digits as strtod wants them, but without a decimal point: that character depends on the
// locale, "125e-5" does not. A double is decided by its first 767 significant digits and whether
// anything follows them.
enum { KEPT_DIGITS = 780, EXPONENT_LIMIT = 1000000 };

typedef struct decimal {
    char digits[KEPT_DIGITS + 16]; // with room for the exponent
    int count;
    long exponent;
} decimal;

static void add_digit(decimal *number, char digit, bool after_point)
{
    if (number->count == 0 && digit == '0') { // leading zero
        number->exponent -= after_point;
        return;
    }
    if (number->count < KEPT_DIGITS) {
        number->digits[number->count++] = digit;
        number->exponent -= after_point;
        return;
    }
    if (digit != '0')
        number->digits[KEPT_DIGITS - 1] = '1'; // sticky
    number->exponent += !after_point;
}

static long read_exponent(pcs_lexer *lexer)
{
    char next = peek(lexer, 1);
    bool has_sign = next == '+' || next == '-';
    if ((peek(lexer, 0) != 'e' && peek(lexer, 0) != 'E') || !is_digit(peek(lexer, 1 + has_sign)))
        return 0; // not an exponent: the parser will say what is wrong with a name here
    lexer->at += 1 + (size_t)has_sign;
    long exponent = 0;
    for (; is_digit(peek(lexer, 0)); lexer->at++)
        if (exponent < EXPONENT_LIMIT)
            exponent = 10 * exponent + (peek(lexer, 0) - '0');
    return next == '-' ? -exponent : exponent;
}

static pcs_token read_number(pcs_lexer *lexer)
{
    pcs_token token = {.kind = PCS_TOKEN_NUMBER, .start = lexer->at};
    decimal number;
    number.count = 0;
    number.exponent = 0;
    bool after_point = false;
    for (;; lexer->at++) {
        char c = peek(lexer, 0);
        if (is_digit(c))
            add_digit(&number, c, after_point);
        else if (c == '.' && !after_point)
            after_point = true;
        else
            break;
    }
    number.exponent += read_exponent(lexer);
    token.length = lexer->at - token.start;
    if (number.count == 0)
        return token; // zero
    snprintf(number.digits + number.count, sizeof number.digits - (size_t)number.count, "e%ld",
             number.exponent);
    token.value = strtod(number.digits, NULL);
    if (isinf(token.value)) {
        pcs_error(lexer->ctx, PCS_ERROR_INPUT,
                  "column %zu: the number is too large (the largest is about 1.8e308)",
                  token.start + 1);
        token.kind = PCS_TOKEN_ERROR;
    }
    return token;
}

static pcs_token read_name(pcs_lexer *lexer)
{
    pcs_token token = {.kind = PCS_TOKEN_NAME, .start = lexer->at};
    while (is_name_char(peek(lexer, 0)))
        lexer->at++;
    token.length = lexer->at - token.start;
    for (size_t i = 0; i < token.length; i++) {
        bool last = i + 1 == token.length;
        if (lexer->text[token.start + i] == '.' &&
            (last || lexer->text[token.start + i + 1] == '.')) {
            pcs_error(lexer->ctx, PCS_ERROR_INPUT, "column %zu: expected a name after '.'",
                      token.start + i + 2);
            token.kind = PCS_TOKEN_ERROR;
            break;
        }
    }
    return token;
}

// Code point of the UTF-8 sequence at `at`; 0 if it is not well formed.
static unsigned read_code_point(const pcs_lexer *lexer)
{
    unsigned lead = (unsigned char)peek(lexer, 0);
    unsigned more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC2 ? 1 : 0;
    if (more == 0 || lead > 0xF4)
        return 0;
    unsigned code = lead & (0x3Fu >> more);
    for (unsigned k = 1; k <= more; k++) {
        unsigned byte = (unsigned char)peek(lexer, k);
        if ((byte & 0xC0u) != 0x80u)
            return 0;
        code = code << 6 | (byte & 0x3Fu);
    }
    return code;
}

static pcs_token unknown_character(pcs_lexer *lexer)
{
    pcs_token token = {.kind = PCS_TOKEN_ERROR, .start = lexer->at, .length = 1};
    size_t column = lexer->at + 1;
    unsigned char c = (unsigned char)peek(lexer, 0);
    unsigned code = read_code_point(lexer);
    const char *hint = c == '='   ? "; to compare, write =="
                       : c == '&' ? "; write && for 'and'"
                       : c == '|' ? "; write || for 'or', abs(x) for the absolute value"
                       : c == '%' ? "; the remainder is mod(x, y)"
                                  : "";
    if (code)
        pcs_error(lexer->ctx, PCS_ERROR_INPUT,
                  "column %zu: character U+%04X cannot be used; formulas are plain ASCII%s", column,
                  code, code == 0x2212 || code == 0x2013 ? " (the minus sign is '-')" : "");
    else if (c >= 0x20 && c < 0x7F)
        pcs_error(lexer->ctx, PCS_ERROR_INPUT, "column %zu: unexpected character '%c'%s", column, c,
                  hint);
    else
        pcs_error(lexer->ctx, PCS_ERROR_INPUT,
                  "column %zu: byte 0x%02X cannot be used; formulas are plain ASCII", column, c);
    return token;
}

static const struct {
    char text[3];
    pcs_token_kind kind;
} symbols[] = {
    // the longer ones first
    {"**", PCS_TOKEN_POWER},   {"<=", PCS_TOKEN_LE},   {">=", PCS_TOKEN_GE},
    {"==", PCS_TOKEN_EQ},      {"!=", PCS_TOKEN_NE},   {"&&", PCS_TOKEN_AND},
    {"||", PCS_TOKEN_OR},      {"+", PCS_TOKEN_PLUS},  {"-", PCS_TOKEN_MINUS},
    {"*", PCS_TOKEN_STAR},     {"/", PCS_TOKEN_SLASH}, {"^", PCS_TOKEN_POWER},
    {"<", PCS_TOKEN_LT},       {">", PCS_TOKEN_GT},    {"!", PCS_TOKEN_NOT},
    {"?", PCS_TOKEN_QUESTION}, {":", PCS_TOKEN_COLON}, {",", PCS_TOKEN_COMMA},
    {"(", PCS_TOKEN_OPEN},     {")", PCS_TOKEN_CLOSE},
};

pcs_token pcs_lexer_next(pcs_lexer *lexer)
{
    char c = peek(lexer, 0);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        lexer->at++;
        c = peek(lexer, 0);
    }
    pcs_token token = {.kind = PCS_TOKEN_END, .start = lexer->at};
    if (lexer->at == lexer->length)
        return token;
    if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1))))
        return read_number(lexer);
    if (is_name_start(c))
        return read_name(lexer);
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        size_t length = strlen(symbols[i].text);
        if (c == symbols[i].text[0] && (length == 1 || peek(lexer, 1) == symbols[i].text[1])) {
            token.kind = symbols[i].kind;
            token.length = length;
            lexer->at += length;
            return token;
        }
    }
    return unknown_character(lexer);
}
