// Functions of one contact whose zeros are its solutions, with an element of their generalised
// Jacobians: the equations of the semismooth Newton methods. All in units of velocity.
#ifndef PCS_NONSMOOTH_CONTACT_FUNCTION_H
#define PCS_NONSMOOTH_CONTACT_FUNCTION_H

#include <stdint.h>

typedef enum pcs_contact_function {
    PCS_FUNCTION_ALART_CURNIER,
    PCS_FUNCTION_JEAN_MOREAU,
    PCS_FUNCTION_NATURAL_MAP,
    PCS_FUNCTION_FISCHER_BURMEISTER
} pcs_contact_function;

// What a contact brings along: rho > 0 are the inverse mobilities, normal and tangential.
typedef struct pcs_contact_data {
    int32_t size;
    double mu, rho_N, rho_T;
} pcs_contact_data;

// value = F(r, u) (size values); A = dF/dr, B = dF/du, size x size row-major, or both NULL.
void pcs_contact_function_compute(pcs_contact_function function, const pcs_contact_data *data,
                                  const double *r, const double *u, double *value, double *A,
                                  double *B);

#endif
