// One contact with its matrix prepared once: what a sweep needs each time it visits the contact.
#ifndef PCS_NONSMOOTH_ONE_CONTACT_H
#define PCS_NONSMOOTH_ONE_CONTACT_H

#include <stdbool.h>
#include <stdint.h>

// u = W r + q with the normal impulse eliminated: where u_N = 0,
//     r_N = -q_N / W_NN + c . r_T,     u_T = S r_T + b,     b = q_T - d q_N,
//     c = -W_NT / W_NN,   d = W_TN / W_NN,   S = W_TT - W_TN W_NT / W_NN.
typedef struct pcs_one_contact {
    const double *W; // the block, row-major; not copied
    int32_t size;
    bool bilateral; // u = 0 and r free
    bool prepared;  // what follows is known
    double mu;
    double inverse_NN; // 1 / W_NN; 0 when no impulse moves the contact
    double c[2], d[2];
    double S[4];
    double trace, det; // of S; det is 0 when S is singular to rounding
    double inverse[4]; // S^-1, or the pseudo-inverse when S is singular
} pcs_one_contact;

void pcs_one_contact_prepare(pcs_one_contact *contact, int32_t size, const double *W, double mu);
// A bilateral block: r = -W^-1 q, with the pseudo-inverse of what is left after the elimination of
// a first row that moves; a row without mobility gets no impulse.
void pcs_one_contact_prepare_bilateral(pcs_one_contact *contact, int32_t size, const double *W);
// A contact or bilateral block that pcs_one_contact_update prepares when it first closes: many
// never do.
void pcs_one_contact_init(pcs_one_contact *contact, int32_t size, const double *W, double mu,
                          bool bilateral);
// The rule of pcs_one_contact_solve for the prepared contact.
void pcs_one_contact_compute(const pcs_one_contact *contact, const double *q, double *r);
// The same inside an iteration, where q changes little between calls: *slip has the slip root
// s = |u_T|/|r_T| of the last call (0: none) as the start of the root finding.
void pcs_one_contact_update(pcs_one_contact *contact, const double *q, double *slip, double *r);
#endif
