// Words: whole characters, edit distance and the nearest known word, for "did you mean" suggestions.
#ifndef PCS_BASE_TEXT_H
#define PCS_BASE_TEXT_H

// Words longer than this are compared for equality only.
enum { PCS_TEXT_LONGEST_WORD = 127 };

// Smallest number of single-character insertions, deletions, replacements and swaps of neighbours
// that turn `a` into `b`.
int pcs_text_distance(const char *a, const char *b);

// The candidate that `word` most probably stands for, or NULL when none is near enough. Upper and
// lower case, and '-' and '_', count as alike. NULL candidates are skipped; of equals the first
// wins.
const char *pcs_text_nearest(const char *word, const char *const *candidates, int count);

// Puts '?' for what a cut has left of a character of UTF-8, and for bytes that are none.
void pcs_text_mend(char *text);

#endif
