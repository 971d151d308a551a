// A matrix entry by entry, as the problems of percuss/problem.h take it.
#ifndef PCS_TESTS_TRIPLET_LIST_H
#define PCS_TESTS_TRIPLET_LIST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "percuss/problem.h"

enum { TRIPLETS_MAX = 4000 };

typedef struct triplet_list {
    pcs_triplets A;
    int32_t row[TRIPLETS_MAX], column[TRIPLETS_MAX];
    double value[TRIPLETS_MAX];
} triplet_list;

static inline void triplets_begin(triplet_list *list, int32_t rows, int32_t columns)
{
    list->A = (pcs_triplets){.rows = rows,
                             .columns = columns,
                             .row = list->row,
                             .column = list->column,
                             .value = list->value};
}

static inline void triplets_add(triplet_list *list, int32_t i, int32_t j, double value)
{
    assert_true(list->A.count < TRIPLETS_MAX);
    list->row[list->A.count] = i;
    list->column[list->A.count] = j;
    list->value[list->A.count++] = value;
}

#endif
