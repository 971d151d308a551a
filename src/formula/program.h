// Many results from one shared expression graph, compiled to one tape.
//
// Terms are expressions under construction: texts are parsed into one graph, sums, products and
// derivatives are formed in it, and equal subexpressions are stored once for all of them. A program
// is what remains: instructions for the chosen outputs alone.
//
// An output belongs to a stage (mass matrix, forces, tangents...), because not everybody needs
// everything. Each instruction knows the set of stages that need it; instructions of one set stand
// together in a segment. What a stage uses is in the segments whose set contains it, and since an
// operand is needed by at least the stages of its user, segments of larger sets come first. So a
// stage evaluates exactly what it needs, and nothing twice that an earlier stage has left behind.
//
// All values live in the caller's array; a program is immutable and may be run by many at a time.
#ifndef PCS_FORMULA_PROGRAM_H
#define PCS_FORMULA_PROGRAM_H

#include "percuss/formula.h"

typedef struct pcs_terms pcs_terms;
typedef int32_t pcs_term; // valid for its pcs_terms; PCS_TERM_ZERO is the number 0 in all of them

enum { PCS_TERM_ZERO = 0, PCS_PROGRAM_STAGES_MAX = 32 };

pcs_status pcs_terms_create(pcs_context *ctx, pcs_terms **out) PCS_MUST_CHECK;
void pcs_terms_destroy(pcs_terms *terms);
// As pcs_formula_create, with the same errors.
pcs_status pcs_terms_parse(pcs_terms *terms, const char *text, pcs_symbol_fn resolve, void *user,
                           pcs_term *out) PCS_MUST_CHECK;

// Building never fails; a lack of memory is remembered and reported by compile().
pcs_term pcs_terms_number(pcs_terms *terms, double value);
pcs_term pcs_terms_variable(pcs_terms *terms, int32_t variable);
pcs_term pcs_terms_add(pcs_terms *terms, pcs_term a, pcs_term b);
pcs_term pcs_terms_subtract(pcs_terms *terms, pcs_term a, pcs_term b);
pcs_term pcs_terms_multiply(pcs_terms *terms, pcs_term a, pcs_term b);
// out[i] = d of[i] / d variable, in one pass over the graph; out may be `of`.
void pcs_terms_differentiate(pcs_terms *terms, int32_t n, const pcs_term *of, int32_t variable,
                             pcs_term *out);
// Whether one of the n terms contains a variable from first to end - 1; `which` (or NULL) gets the
// lowest.
bool pcs_terms_contain(pcs_terms *terms, int32_t n, const pcs_term *of, int32_t first, int32_t end,
                       int32_t *which);
// Whether the term is a number, and which.
bool pcs_terms_is_number(const pcs_terms *terms, pcs_term term, double *value);
bool pcs_terms_failed(const pcs_terms *terms); // memory

typedef struct pcs_program pcs_program;

// Output i is terms[i] in stage[i].
pcs_status pcs_program_compile(const pcs_terms *terms, int32_t n_outputs, const pcs_term *outputs,
                               const uint8_t *stage, int32_t n_variables, pcs_program **out)
    PCS_MUST_CHECK;
void pcs_program_destroy(pcs_program *program);

int32_t pcs_program_slots(const pcs_program *program); // size of the array to run with
int32_t pcs_program_variable(const pcs_program *program, int32_t variable);  // its slot
const int32_t *pcs_program_outputs(const pcs_program *program);              // slot of each output
int32_t pcs_program_zero(const pcs_program *program);                        // slot that holds 0
int32_t pcs_program_operations(const pcs_program *program, uint32_t stages); // instructions
bool pcs_program_reads(const pcs_program *program, int32_t variable);        // occurs in an output

// The view of a program (formula/tape.h); its steps are released with pcs_free() of the same context.
struct pcs_tape_view;
pcs_status pcs_program_view(pcs_context *ctx, const pcs_program *program,
                            struct pcs_tape_view *view) PCS_MUST_CHECK;

// Writes the constants; once for an array.
void pcs_program_prepare(const pcs_program *program, double *slots);
// Evaluates the stages (bits) that are wanted and not yet done at the present variables.
void pcs_program_run(const pcs_program *program, uint32_t wanted, uint32_t done, double *slots);

#endif
