// What the parts of the problem file reader and writer share.
#ifndef PCS_IO_PROBLEM_FILE_H
#define PCS_IO_PROBLEM_FILE_H

#include <stdio.h>

#include "nonsmooth/problem.h"

// Triplets that grow while a matrix is read.
typedef struct pcs_triplet_list {
    int32_t rows, columns;
    int32_t count, capacity;
    int32_t *row, *column;
    double *value;
} pcs_triplet_list;

// Room for `more` further triplets; `name` stands for the matrix in the message.
pcs_status pcs_triplet_list_reserve(pcs_context *ctx, pcs_triplet_list *list, const char *name,
                                    int64_t more) PCS_MUST_CHECK;
void pcs_triplet_list_free(pcs_context *ctx, pcs_triplet_list *list);
pcs_triplets pcs_triplet_list_view(const pcs_triplet_list *list);

static inline void pcs_triplet_list_add(pcs_triplet_list *list, int32_t row, int32_t column,
                                        double value)
{
    list->row[list->count] = row;
    list->column[list->count] = column;
    list->value[list->count++] = value;
}

pcs_status pcs_problem_read_fclib(pcs_context *ctx, const char *path, pcs_problem **out)
    PCS_MUST_CHECK;
// Creates the file `part_path`; messages name `path`, the name that the file will get.
pcs_status pcs_problem_write_fclib(const pcs_problem *problem, const char *path,
                                   const char *part_path, const double *r) PCS_MUST_CHECK;
// Failures of the stream are left to the caller (ferror).
void pcs_problem_write_text(const pcs_problem *problem, FILE *file);

#endif
