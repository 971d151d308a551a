// Newton's law of impact in Moreau's form, as all schemes use it:
//
//     u = u+ + e u-,   K* \ni u + mu |u_T| e_N  \perp  r \in K     over the contacts that take part
//
// The kinetic energy changes by sum r.(u+ + u-)/2. Without friction r_N > 0 means u_N+ = -e u_N-,
// so that each contact adds (1 - e) r_N u_N- / 2: nothing is gained as long as u_N- <= 0 for all
// that carry an impulse, whatever the e of each. A contact that separates, u_N- > 0, must not take
// part: it would be held with r_N > 0 and u_N+ = 0, which adds r_N u_N- / 2. If the impact of the
// others makes it approach, it has been hit, and that is the next impact, with the velocities in
// between as those before it. docs/theory/event-driven.md, section Impact.
#ifndef PCS_SCHEMES_IMPACT_LAW_H
#define PCS_SCHEMES_IMPACT_LAW_H

#include <stdbool.h>
#include <stdint.h>

#include "percuss/model.h"

// Whether a touching contact with the normal velocity u_N takes part in an impact; `slow`: speed
// below which it counts as at rest.
static inline bool pcs_impact_takes_part(double u_N, double slow)
{
    return u_N <= slow;
}

// e u- of a contact with `size` rows: normal restitution on approach only [Brogliato2002] and if
// the rebound is faster than `rebound_least`; tangential restitution at impacts only, which are
// faster than `slow`.
static inline void pcs_impact_restitution(const pcs_law *law, int32_t size, const double *u,
                                          double slow, double rebound_least, double *e)
{
    const bool rebounds = -law->restitution * u[0] > rebound_least;
    e[0] = rebounds ? law->restitution * u[0] : 0;
    for (int32_t j = 1; j < size; ++j)
        e[j] = u[0] < -slow ? law->tangential_restitution * u[j] : 0;
}

#endif
