// The problem files hold millions of numbers of 25 digits. Nearly all of them are converted with
// integers: the first 19 digits w and the decimal exponent k give w 5^k 2^k, kept as a 64-bit
// mantissa with a bound on its error; if the bound leaves the rounding to 53 bits open, or the
// exponent is out of the ordinary, strtod decides.
#include "io/problem_scan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Numbers ----

__extension__ typedef unsigned __int128 uint128;

enum {
    DIGITS_EXACT = 19,        // any 19 digits fit 64 bits
    POWER_MAX = 27,           // 5^27 is the last power of five below 2^63
    EXPONENT_LIMIT = 1000000, // beyond any double, far from overflow
    KEPT_DIGITS = 780         // 767 significant digits decide a double, with a sticky one behind
};

// The number of a token apart from its sign.
typedef struct decimal {
    uint64_t mantissa; // the first DIGITS_EXACT significant digits, or all if they are fewer
    bool is_cut;       // digits follow them
    int32_t exponent;  // of ten, for mantissa
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool scan_exponent(const char *at, const char *end, int32_t *exponent)
{
    const bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end)
        return false;
    int32_t value = 0;
    for (; at < end && is_digit(*at); at++)
        if (value < EXPONENT_LIMIT)
            value = 10 * value + (*at - '0');
    *exponent = negative ? -value : value;
    return at == end;
}

// Digits with at most one point, then perhaps an exponent; false: not a number.
static bool scan_decimal(const char *at, const char *end, decimal *number)
{
    uint64_t mantissa = 0;
    int64_t behind_point = 0, zeros = 0, dropped = 0; // zeros: seen, but not yet needed
    int32_t used = 0, exponent = 0;
    bool has_digits = false, after_point = false;
    for (; at < end; at++) {
        if (*at == '.' && !after_point) {
            after_point = true;
            continue;
        }
        if (!is_digit(*at))
            break;
        has_digits = true;
        behind_point += after_point;
        if (dropped > 0) {
            dropped++;
        } else if (*at == '0') { // trailing zeros do not use up the 19 digits
            zeros += used > 0;
        } else {
            const bool fits = used + zeros < DIGITS_EXACT;
            for (; zeros > 0 && used < DIGITS_EXACT; zeros--, used++)
                mantissa *= 10;
            if (fits) {
                mantissa = 10 * mantissa + (uint64_t)(*at - '0');
                used++;
            } else {
                dropped = zeros + 1;
                zeros = 0;
            }
        }
    }
    if (!has_digits ||
        (at < end && ((*at != 'e' && *at != 'E') || !scan_exponent(at + 1, end, &exponent))))
        return false;
    int64_t power = exponent - behind_point + zeros + dropped;
    if (power > EXPONENT_LIMIT || power < -EXPONENT_LIMIT)
        power = power > 0 ? EXPONENT_LIMIT : -EXPONENT_LIMIT;
    *number = (decimal){mantissa, dropped > 0, (int32_t)power};
    return true;
}

// A positive number between mantissa 2^exponent and (mantissa + error) 2^exponent, with the top bit
// of the mantissa set.
typedef struct binary {
    uint64_t mantissa;
    uint64_t error;
    int32_t exponent;
} binary;

static void normalise(binary *x)
{
    const int shift = __builtin_clzll(x->mantissa);
    x->mantissa <<= shift;
    x->error <<= shift;
    x->exponent -= shift;
}

static const uint64_t power_of_five[POWER_MAX + 1] = {1u,
                                                      5u,
                                                      25u,
                                                      125u,
                                                      625u,
                                                      3125u,
                                                      15625u,
                                                      78125u,
                                                      390625u,
                                                      1953125u,
                                                      9765625u,
                                                      48828125u,
                                                      244140625u,
                                                      1220703125u,
                                                      6103515625u,
                                                      30517578125u,
                                                      152587890625u,
                                                      762939453125u,
                                                      3814697265625u,
                                                      19073486328125u,
                                                      95367431640625u,
                                                      476837158203125u,
                                                      2384185791015625u,
                                                      11920928955078125u,
                                                      59604644775390625u,
                                                      298023223876953125u,
                                                      1490116119384765625u,
                                                      7450580596923828125u};

// x <- x 5^n, 0 <= n <= POWER_MAX. With F = 5^n 2^s < 2^64 the product's high half is
// floor(m F / 2^64), its error at most error + 1.
static void multiply(binary *x, int32_t n)
{
    const uint64_t five = power_of_five[n];
    const int shift = __builtin_clzll(five);
    const uint128 product = (uint128)x->mantissa * (five << shift);
    const bool exact = x->error == 0 && (uint64_t)product == 0;
    x->mantissa = (uint64_t)(product >> 64);
    x->error = exact ? 0 : x->error + 1;
    x->exponent += 64 - shift;
    normalise(x);
}

// x <- x / 5^n. With F as above the quotient floor(m 2^63 / F) lies between 2^62 and 2^64.
static void divide(binary *x, int32_t n)
{
    const uint64_t five = power_of_five[n];
    const int shift = __builtin_clzll(five);
    const uint128 numerator = (uint128)x->mantissa << 63;
    const uint128 quotient = numerator / (five << shift);
    const bool exact = x->error == 0 && quotient * (five << shift) == numerator;
    x->mantissa = (uint64_t)quotient;
    x->error = exact ? 0 : x->error + 1;
    x->exponent += shift - 63;
    normalise(x);
}

// Rounds to 53 bits, ties to even; false if the error leaves it open.
static bool round_binary(const binary *x, double *value)
{
    enum { DROPPED = 11, HALF = 1 << (DROPPED - 1), REST = (1 << DROPPED) - 1 };
    uint64_t mantissa = x->mantissa >> DROPPED;
    const uint64_t rest = x->mantissa & REST;
    if (rest > HALF)
        mantissa++;
    else if (rest == HALF && x->error == 0)
        mantissa += mantissa & 1;
    else if (rest + x->error >= HALF)
        return false;
    *value = ldexp((double)mantissa, x->exponent + DROPPED);
    return true;
}

static bool convert(const decimal *number, double *value)
{
    static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int32_t k = number->exponent, size = k < 0 ? -k : k;
    if (number->mantissa == 0) {
        *value = 0.0;
        return true;
    }
    if (!number->is_cut && number->mantissa < (uint64_t)1 << 53 && size <= 22) {
        // both exact in double, so that one operation rounds once
        *value = k < 0 ? (double)number->mantissa / power_of_ten[size]
                       : (double)number->mantissa * power_of_ten[size];
        return true;
    }
    if (size > 2 * POWER_MAX)
        return false;
    binary x = {number->mantissa, number->is_cut, k};
    normalise(&x);
    for (int32_t left = size, n; left > 0; left -= n) {
        n = left < POWER_MAX ? left : POWER_MAX;
        if (k < 0)
            divide(&x, n);
        else
            multiply(&x, n);
    }
    return round_binary(&x, value);
}

// The hard cases: digits without a point, whose character depends on the locale, for strtod.
static double convert_slowly(const char *at, const char *end)
{
    char digits[KEPT_DIGITS + 16]; // with room for the exponent
    int32_t count = 0, exponent = 0;
    int64_t power = 0;
    bool after_point = false;
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            after_point = true;
        } else if (count == 0 && *at == '0') { // leading zero
            power -= after_point;
        } else if (count < KEPT_DIGITS) {
            digits[count++] = *at;
            power -= after_point;
        } else {
            if (*at != '0')
                digits[KEPT_DIGITS - 1] = '1'; // sticky
            power += !after_point;
        }
    }
    if (at < end)
        (void)scan_exponent(at + 1, end, &exponent);
    power += exponent;
    if (power > EXPONENT_LIMIT || power < -EXPONENT_LIMIT)
        power = power > 0 ? EXPONENT_LIMIT : -EXPONENT_LIMIT;
    snprintf(digits + count, sizeof digits - (size_t)count, "e%ld", (long)power);
    return strtod(digits, NULL);
}

static bool is_word(const char *text, size_t length, const char *word)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
        if (word[i] == '\0' || c != word[i])
            return false;
    }
    return word[length] == '\0';
}

bool pcs_decimal_read(const char *text, size_t length, double *value)
{
    const char *at = text, *end = text + length;
    const bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    decimal number;
    if (scan_decimal(at, end, &number)) {
        if (!convert(&number, value))
            *value = convert_slowly(at, end);
    } else {
        const size_t left = (size_t)(end - at);
        if (is_word(at, left, "nan"))
            *value = NAN;
        else if (is_word(at, left, "inf") || is_word(at, left, "infinity"))
            *value = INFINITY;
        else
            return false;
    }
    if (negative)
        *value = -*value;
    return true;
}

// ---- Tokens ----

static void skip_space(pcs_scan *scan)
{
    while (scan->at < scan->end && is_space(*scan->at))
        scan->at++;
}

pcs_token_text pcs_scan_token(pcs_scan *scan)
{
    skip_space(scan);
    const char *start = scan->at;
    while (scan->at < scan->end && !is_space(*scan->at))
        scan->at++;
    return (pcs_token_text){start, (size_t)(scan->at - start)};
}

const char *pcs_scan_place(pcs_scan *scan)
{
    skip_space(scan);
    return scan->at;
}

bool pcs_scan_word(pcs_scan *scan, const char *word)
{
    const char *back = scan->at;
    const pcs_token_text token = pcs_scan_token(scan);
    if (token.length == strlen(word) && memcmp(token.text, word, token.length) == 0)
        return true;
    scan->at = back;
    return false;
}

int64_t pcs_scan_count(const pcs_scan *scan, int64_t limit)
{
    pcs_scan copy = *scan;
    int64_t count = 0;
    while (count < limit && pcs_scan_token(&copy).length > 0)
        count++;
    return count;
}

static bool read_integer(pcs_token_text token, int64_t *value)
{
    const bool negative = token.length > 0 && token.text[0] == '-';
    const size_t sign = negative || (token.length > 0 && token.text[0] == '+');
    if (token.length == sign)
        return false;
    *value = 0;
    for (size_t i = sign; i < token.length; i++) {
        if (!is_digit(token.text[i]))
            return false;
        if (*value < INT64_MAX / 100)
            *value = 10 * *value + (token.text[i] - '0');
    }
    *value = negative ? -*value : *value;
    return true;
}

bool pcs_scan_peek_integer(pcs_scan *scan, int32_t *value)
{
    const char *back = scan->at;
    int64_t found;
    if (read_integer(pcs_scan_token(scan), &found) && found >= INT32_MIN && found <= INT32_MAX) {
        *value = (int32_t)found;
        return true;
    }
    scan->at = back;
    return false;
}

// ---- Errors and checked reading ----

pcs_status pcs_scan_error(const pcs_scan *scan, const char *at, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    int64_t line = 1;
    for (const char *c = scan->start; c < at; c++)
        line += *c == '\n';
    return pcs_error(scan->ctx, PCS_ERROR_INPUT, "%s:%lld: %s", scan->name, (long long)line, text);
}

// A token for a message: printable ASCII alone, shortened.
static const char *show(pcs_token_text token, char text[40])
{
    size_t n = 0;
    for (; n < token.length && n < 32; n++)
        text[n] = token.text[n] > ' ' && token.text[n] < 127 ? token.text[n] : '?';
    memcpy(text + n, n < token.length ? "..." : "", n < token.length ? 4 : 1);
    return text;
}

static pcs_status out_of_range(const pcs_scan *scan, pcs_token_text token, const char *what,
                               int64_t low, int64_t high)
{
    char text[40];
    if (token.length == 0)
        return pcs_scan_error(scan, token.text,
                              "the file ends where the %s should be; it is cut "
                              "off: copy or write it again",
                              what);
    if (low == high)
        return pcs_scan_error(scan, token.text, "the %s is '%s'; expected %lld", what,
                              show(token, text), (long long)low);
    if (high >= INT32_MAX - 1)
        return pcs_scan_error(scan, token.text,
                              "the %s is '%s'; expected an integer from %lld on, "
                              "below 2^31",
                              what, show(token, text), (long long)low);
    return pcs_scan_error(scan, token.text, "the %s is '%s'; expected an integer from %lld to %lld",
                          what, show(token, text), (long long)low, (long long)high);
}

pcs_status pcs_scan_integer(pcs_scan *scan, const char *what, int64_t low, int64_t high,
                            int32_t *value)
{
    const pcs_token_text token = pcs_scan_token(scan);
    int64_t found;
    if (!read_integer(token, &found) || found < low || found > high)
        return out_of_range(scan, token, what, low, high);
    *value = (int32_t)found;
    return PCS_OK;
}

pcs_status pcs_scan_index(pcs_scan *scan, const char *what, int64_t low, int64_t high,
                          int32_t *value)
{
    const pcs_token_text token = pcs_scan_token(scan);
    int64_t found;
    double real;
    if (!read_integer(token, &found)) {
        if (!pcs_decimal_read(token.text, token.length, &real) || !(fabs(real) <= INT32_MAX) ||
            real != floor(real))
            return out_of_range(scan, token, what, low, high);
        found = (int64_t)real;
    }
    if (found < low || found > high)
        return out_of_range(scan, token, what, low, high);
    *value = (int32_t)found;
    return PCS_OK;
}

pcs_status pcs_scan_real(pcs_scan *scan, const char *what, int64_t done, int64_t count,
                         double *value)
{
    char text[40];
    const pcs_token_text token = pcs_scan_token(scan);
    if (token.length == 0)
        return pcs_scan_error(scan, token.text,
                              "the file ends in the middle of %s: %lld of %lld values; it is cut "
                              "off: copy or write it again",
                              what, (long long)done, (long long)count);
    if (!pcs_decimal_read(token.text, token.length, value))
        return pcs_scan_error(scan, token.text,
                              "'%s' in %s (value %lld of %lld) is not a number; check the sizes "
                              "above it",
                              show(token, text), what, (long long)done + 1, (long long)count);
    if (!isfinite(*value))
        return pcs_scan_error(scan, token.text,
                              "'%s' in %s (value %lld of %lld); all data must be finite",
                              show(token, text), what, (long long)done + 1, (long long)count);
    return PCS_OK;
}

pcs_status pcs_scan_expect(const pcs_scan *scan, const char *what, int64_t count, int32_t tokens)
{
    // A token and the space behind it take two bytes.
    const int64_t possible = ((int64_t)(scan->end - scan->at) + 1) / 2;
    if (count <= possible / tokens)
        return PCS_OK;
    return pcs_scan_error(scan, scan->end,
                          "the file ends in the middle of %s: %lld of %lld values; it is cut off "
                          "(copy or write it again) or a size is wrong",
                          what, (long long)(pcs_scan_count(scan, possible) / tokens),
                          (long long)count);
}

pcs_status pcs_scan_vector(pcs_scan *scan, const char *what, int32_t count, double **out)
{
    *out = NULL;
    PCS_TRY(pcs_scan_expect(scan, what, count, 1));
    double *values = PCS_NEW_ARRAY(scan->ctx, double, count);
    if (!values)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < count; i++) {
        pcs_status status = pcs_scan_real(scan, what, i, count, &values[i]);
        if (status < 0) {
            pcs_free(scan->ctx, values);
            return status;
        }
    }
    *out = values;
    return PCS_OK;
}
