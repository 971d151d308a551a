// Contact impulses between the frames of an export, as vectors in the world: all of a contact since
// the frame exported before, and the part of its impacts. Frames that are left out count.
#ifndef PCS_IO_VTK_IMPULSES_H
#define PCS_IO_VTK_IMPULSES_H

#include "io/result_file.h"
#include "math/vector.h"

typedef struct pcs_vtk_impulses {
    pcs_context *ctx;
    pcs_result *result;
    const double *times;                // of all frames of the result
    bool stored;                        // false: the file has no contact impulses
    int64_t next_frame;                 // the first one that has not been summed
    int64_t next_event;                 // likewise
    double *all, *impact;               // since the frame exported before, 3 for each contact, N s
    int32_t *impacts;                   // their number
    double *impulse, *normal, *tangent; // of one frame
} pcs_vtk_impulses;

// Sums begin behind the frame before `first`. free() may be called after a failure.
pcs_status pcs_vtk_impulses_create(pcs_context *ctx, pcs_result *result, const double *times,
                                   int64_t first, pcs_vtk_impulses *sums) PCS_MUST_CHECK;
void pcs_vtk_impulses_free(pcs_vtk_impulses *sums);

// Sums over the frames since the last call, up to `frame`.
pcs_status pcs_vtk_impulses_gather(pcs_vtk_impulses *sums, int64_t frame) PCS_MUST_CHECK;

// n r_N + t1 r_T1 + t2 r_T2, t2 = n x t1
pcs_vec3 pcs_vtk_contact_vector(const double *normal, const double *tangent, const double *r);

#endif
