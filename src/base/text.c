// Edit distance with swaps of neighbours (optimal string alignment), by rows of the usual table:
//   d(i,j) = min( d(i-1,j) + 1, d(i,j-1) + 1, d(i-1,j-1) + [a_i != b_j],
//                 d(i-2,j-2) + 1 if a_i a_{i-1} = b_{j-1} b_j ).
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static char fold_char(char c)
{
    // not tolower, which depends on the locale
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

static bool is_same(char a, char b, bool fold)
{
    return fold ? fold_char(a) == fold_char(b) : a == b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int distance(const char *a, const char *b, bool fold)
{
    size_t length_a = strlen(a), length_b = strlen(b);
    size_t longer = length_a > length_b ? length_a : length_b;
    if (longer > PCS_TEXT_LONGEST_WORD)
        return strcmp(a, b) == 0 ? 0 : (int)(longer < 1000000 ? longer : 1000000);

    int n = (int)length_a, m = (int)length_b;
    int rows[3][PCS_TEXT_LONGEST_WORD + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2]; // i-2, i-1, i
    for (int j = 0; j <= m; j++)
        last[j] = before[j] = j;
    for (int i = 1; i <= n; i++) {
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int replaced = last[j - 1] + !is_same(a[i - 1], b[j - 1], fold);
            row[j] = smaller(replaced, smaller(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2], fold) &&
                is_same(a[i - 2], b[j - 1], fold))
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        int *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[m];
}

int pcs_text_distance(const char *a, const char *b)
{
    return distance(a, b, false);
}

const char *pcs_text_nearest(const char *word, const char *const *candidates, int count)
{
    const char *best = NULL;
    int best_folded = 0, best_exact = 0;
    for (int k = 0; k < count; k++) {
        if (!candidates[k])
            continue;
        size_t length = strlen(word), other = strlen(candidates[k]);
        size_t longer = length > other ? length : other;
        size_t shorter = length > other ? other : length;
        // One slip in three characters is a typing error, more is another word; one slip is
        // allowed in words of two, but something must be left in common.
        size_t allowed = longer > 3 ? longer / 3 : 1;
        int folded = distance(word, candidates[k], true);
        int exact = distance(word, candidates[k], false);
        if ((size_t)folded > allowed || (folded > 0 && (size_t)folded >= shorter))
            continue;
        if (!best || folded < best_folded || (folded == best_folded && exact < best_exact)) {
            best = candidates[k];
            best_folded = folded;
            best_exact = exact;
        }
    }
    return best;
}

// Bytes of the character that begins here; 0: none does, or not all of them are there.
static int character_length(const unsigned char *at)
{
    const int length = at[0] < 0x80   ? 1
                       : at[0] < 0xc2 ? 0
                       : at[0] < 0xe0 ? 2
                       : at[0] < 0xf0 ? 3
                       : at[0] < 0xf5 ? 4
                                      : 0;
    for (int i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

void pcs_text_mend(char *text)
{
    const unsigned char *from = (const unsigned char *)text;
    char *to = text;
    while (*from) {
        int length = character_length(from);
        if (length > 0) {
            while (length-- > 0)
                *to++ = (char)*from++;
            continue;
        }
        *to++ = '?';
        for (from++; (*from & 0xc0) == 0x80;)
            from++;
    }
    *to = '\0';
}
