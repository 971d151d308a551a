// Dense kernels. All matrices are row-major and contiguous. Nothing here allocates: work arrays
// come from the caller, with their sizes from the *_work_size functions. Singularity is reported by
// a return value, because only the caller knows which node or row the matrix belongs to.
#ifndef PCS_LINALG_DENSE_H
#define PCS_LINALG_DENSE_H

#include <stdbool.h>
#include <stdint.h>

// Small blocks (any size is correct; tuned for 1..6).

// C (m x n) += s A (m x k) B (k x n)
void pcs_dense_multiply_add(int32_t m, int32_t k, int32_t n, double s, const double *A,
                            const double *B, double *C);
// C (m x n) += s A (m x k) B^T with B n x k
void pcs_dense_multiply_add_transposed(int32_t m, int32_t k, int32_t n, double s, const double *A,
                                       const double *B, double *C);
// y (m) += s A (m x n) x and y (n) += s A^T x (m)
void pcs_dense_vector_add(int32_t m, int32_t n, double s, const double *A, const double *x,
                          double *y);
void pcs_dense_transposed_vector_add(int32_t m, int32_t n, double s, const double *A,
                                     const double *x, double *y);

// P A = L U in place, pivot[n] gets the row exchanges. Returns -1, or the column c without a usable
// pivot: |u_cc| <= PCS_DENSE_SINGULAR max_q |u_qc| (or a NaN).
int32_t pcs_dense_small_factor(int32_t n, double *A, int32_t *pivot);
// x <- A^{-1} x
void pcs_dense_small_solve(int32_t n, const double *LU, const int32_t *pivot, double *x);
// inverse <- A^{-1}; A is left alone. Returns -1, or the column c whose pivot is below
// PCS_DENSE_SINGULAR max_i |A_ic|. work: n*n + n values.
// For an exactly symmetric A the inverse is exactly symmetric.
int32_t pcs_dense_small_inverse(int32_t n, const double *A, double *inverse, double *work);
// The same for n = 3 by cofactors; false when |det| <= PCS_DENSE_SINGULAR * product of row norms.
bool pcs_dense_inverse3(const double *A, int32_t row_length, double *inverse,
                        int32_t inverse_length);
bool pcs_dense_is_symmetric(int32_t n, const double *A);

// A pivot below this fraction of its column's largest entry is rounding error: about 45 units in
// the last place of the entries it was subtracted from.
#define PCS_DENSE_SINGULAR 1e-14

// BLAS and LAPACK.

// The lower triangle of C (n x n) += A^T B + B^T A with A and B k x n
void pcs_dense_symmetric_add(int32_t n, int32_t k, const double *A, const double *B, double *C);

// P A = L U in place. Returns -1, or the first column with a zero pivot.
int32_t pcs_dense_lu_factor(int32_t n, double *A, int32_t *pivot);
// Each of the n_rhs consecutive vectors of length n in x becomes A^{-1} x.
void pcs_dense_lu_solve(int32_t n, const double *LU, const int32_t *pivot, int32_t n_rhs,
                        double *x);
// A = L L^T in place, L in the lower triangle. Returns -1, or the first column where A is not
// positive definite.
int32_t pcs_dense_cholesky_factor(int32_t n, double *A);
void pcs_dense_cholesky_solve(int32_t n, const double *L, int32_t n_rhs, double *x);

// Rank of the rows of A (m x n) by QR with column pivoting of A^T after scaling each row to unit
// length: dependent[i] is set for the rows that are linear combinations of the others kept, up to
// `tolerance` relative to unit length. A is destroyed. index: m values.
int32_t pcs_dense_rank_rows(int32_t m, int32_t n, double *A, double tolerance, uint8_t *dependent,
                            int32_t *index, double *work, int32_t work_size);
int32_t pcs_dense_rank_rows_work_size(int32_t m, int32_t n);

// Minimum-norm least squares min |A x - b|, A m x n of any rank (singular values below `tolerance`
// times the largest count as zero). A is left alone; x has n values. index: n values.
// Returns the rank.
int32_t pcs_dense_least_squares(int32_t m, int32_t n, const double *A, const double *b,
                                double tolerance, double *x, int32_t *index, double *work,
                                int32_t work_size);
int32_t pcs_dense_least_squares_work_size(int32_t m, int32_t n);

#endif
