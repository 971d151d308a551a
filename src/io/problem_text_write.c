// Writes contact problems as text that reads back to the last bit and that Siconos' numerics read:
// LCP and MLCP dense, local problems by blocks, global ones as triplets.
#include <string.h>

#include "io/problem_file.h"

// %.17g with a point, whatever the locale's decimal mark is.
static void put_number(FILE *file, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.17g", value);
    char *mark = text + strspn(text, "0123456789+-e");
    const char *behind = mark + strcspn(mark, "0123456789+-e"); // the mark may have several bytes
    const char *point = behind > mark ? "." : "";
    fprintf(file, "%.*s%s%s", (int)(mark - text), text, point, behind);
}

static void put_vector(FILE *file, int32_t count, const double *x)
{
    for (int32_t i = 0; i < count; i++) {
        put_number(file, x[i]);
        putc(' ', file);
    }
    putc('\n', file);
}

// By columns, one line for each.
static void put_dense(FILE *file, int32_t n, const double *A)
{
    fprintf(file, "0\n%d\n%d\n%d\t%d\n", (int)n, (int)n, (int)n, (int)n);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++) {
            put_number(file, A[(int64_t)i * n + j]);
            putc(' ', file);
        }
        putc('\n', file);
    }
}

static void put_integers(FILE *file, int32_t count, const int32_t *x)
{
    for (int32_t i = 0; i < count; i++)
        fprintf(file, "%d ", (int)x[i]);
    putc('\n', file);
}

static void put_blocks(FILE *file, const pcs_block_matrix *W)
{
    const int rows = (int)W->offset[W->n], n = (int)W->n, blocks = (int)W->row_start[W->n];
    fprintf(file, "1\n%d\n%d\n%d\n%d\n%d\n", rows, rows, blocks, n, n);
    put_integers(file, W->n, W->offset + 1);
    put_integers(file, W->n, W->offset + 1);
    fprintf(file, "%d\n%d\n", n + 1, blocks);
    put_integers(file, W->n + 1, W->row_start);
    put_integers(file, W->row_start[W->n], W->column);
    for (int32_t i = 0; i < W->n; i++) {
        const int32_t height = W->offset[i + 1] - W->offset[i];
        for (int32_t e = W->row_start[i]; e < W->row_start[i + 1]; e++) {
            const double *block = W->value + W->value_start[e];
            const int32_t j = W->column[e], width = W->offset[j + 1] - W->offset[j];
            fprintf(file, "%d\n", (int)e);
            for (int32_t c = 0; c < width; c++) {
                for (int32_t r = 0; r < height; r++) {
                    put_number(file, block[r * width + c]);
                    putc('\n', file);
                }
            }
        }
    }
}

static void put_triplets(FILE *file, const pcs_sparse *A)
{
    const pcs_sparse_pattern *P = &A->pattern;
    const int rows = (int)P->n_rows, columns = (int)P->n_columns;
    const int entries = (int)P->start[P->n_columns];
    fprintf(file, "2\n%d\n%d\n1\nCSparse layout, written by Percuss %s\n", rows, columns,
            pcs_version());
    fprintf(file, "triplet: %d-by-%d, nzmax: %d nnz: %d\n", rows, columns, entries, entries);
    for (int32_t j = 0; j < P->n_columns; j++) {
        for (int32_t e = P->start[j]; e < P->start[j + 1]; e++) {
            fprintf(file, "    %d %d : ", (int)P->index[e], (int)j);
            put_number(file, A->value[e]);
            putc('\n', file);
        }
    }
}

// Ends of the runs of equal rows, then their kinds.
static void put_row_blocks(FILE *file, int32_t n, const uint8_t *equality)
{
    fputs("0 ", file);
    for (int32_t i = 0; i < n; i++) {
        if (i + 1 == n || equality[i] != equality[i + 1])
            fprintf(file, "%d ", (int)i + 1);
    }
    putc('\n', file);
    for (int32_t i = 0; i < n; i++) {
        if (i + 1 == n || equality[i] != equality[i + 1])
            fprintf(file, "%d ", equality[i] ? 0 : 1);
    }
    putc('\n', file);
}

void pcs_problem_write_text(const pcs_problem *problem, FILE *file)
{
    const int32_t n = problem->rows;
    switch (problem->problem_class) {
    case PCS_PROBLEM_LCP:
        fprintf(file, "%d\n", (int)n);
        put_dense(file, n, problem->M_dense);
        put_vector(file, n, problem->q);
        break;
    case PCS_PROBLEM_MLCP:
        fprintf(file, "1\n0\n%d\n%d\n", (int)problem->bilateral_rows, (int)problem->contacts);
        put_row_blocks(file, n, problem->kind);
        put_dense(file, n, problem->M_dense);
        put_vector(file, n, problem->q);
        break;
    case PCS_PROBLEM_LOCAL:
        fprintf(file, "%d\n%d\n", (int)problem->dimension, (int)problem->contacts);
        put_blocks(file, &problem->W);
        put_vector(file, n, problem->q);
        put_vector(file, problem->contacts, problem->mu);
        break;
    case PCS_PROBLEM_GLOBAL:
        fprintf(file, "%d\n%d\n", (int)problem->dimension, (int)problem->contacts);
        put_triplets(file, &problem->M);
        put_triplets(file, &problem->H);
        put_vector(file, problem->dofs, problem->f);
        put_vector(file, n, problem->q);
        put_vector(file, problem->contacts, problem->mu);
        break;
    }
}
