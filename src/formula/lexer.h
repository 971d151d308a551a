// Splits the text of a formula into tokens.
#ifndef PCS_FORMULA_LEXER_H
#define PCS_FORMULA_LEXER_H

#include "base/context.h"

typedef enum pcs_token_kind {
    PCS_TOKEN_END,
    PCS_TOKEN_ERROR, // the error is recorded in the context
    PCS_TOKEN_NUMBER,
    PCS_TOKEN_NAME,
    PCS_TOKEN_PLUS,
    PCS_TOKEN_MINUS,
    PCS_TOKEN_STAR,
    PCS_TOKEN_SLASH,
    PCS_TOKEN_POWER, // ^ or **
    PCS_TOKEN_LT,
    PCS_TOKEN_LE,
    PCS_TOKEN_GT,
    PCS_TOKEN_GE,
    PCS_TOKEN_EQ,
    PCS_TOKEN_NE,
    PCS_TOKEN_AND,
    PCS_TOKEN_OR,
    PCS_TOKEN_NOT,
    PCS_TOKEN_QUESTION,
    PCS_TOKEN_COLON,
    PCS_TOKEN_COMMA,
    PCS_TOKEN_OPEN,
    PCS_TOKEN_CLOSE,
} pcs_token_kind;

typedef struct pcs_token {
    pcs_token_kind kind;
    size_t start; // offset in the text; the column is start + 1
    size_t length;
    double value; // of a number
} pcs_token;

typedef struct pcs_lexer {
    pcs_context *ctx;
    const char *text;
    size_t length;
    size_t at;
} pcs_lexer;

pcs_token pcs_lexer_next(pcs_lexer *lexer);

#endif
