// Mechanisms with published or computed reference motions, as unfinished scenes (support/scenes.h),
// shared by tests and benchmarks. The parameters and their sources stand before the functions in
// mechanisms.c. Bodies are numbered in the order of their names here.
#ifndef PCS_TESTS_SUPPORT_MECHANISMS_H
#define PCS_TESTS_SUPPORT_MECHANISMS_H

#include "support/scenes.h"

// ---- Pendulums ----

typedef enum pendulum_kind {
    PENDULUM_POINT, // point mass with a distance joint
    PENDULUM_RIGID  // body with a hinge, reduced length 1
} pendulum_kind;

// IFToMM A01 in the x-y plane from (1, 0); the motion of the point at distance 1 is the same for
// both kinds. `arm` gives where that point lies in the frame of body 0.
void mechanism_pendulum(scene *s, int32_t dimension, pendulum_kind kind, pcs_vec3 *arm);
// The rigid pendulum, planar, against a vertical wall through the hinge: it hits at the lowest
// point.
void mechanism_pendulum_wall(scene *s, double restitution);
// Two uniform rods upper and lower in the x-y plane, given by their angles from +x; at rest.
#define DOUBLE_PENDULUM_LENGTH ((const double[2]){1.1, 0.9})
#define DOUBLE_PENDULUM_MASS ((const double[2]){1.3, 0.8})
void mechanism_double_pendulum(scene *s, int32_t dimension, const double angle[2]);

// Links link0, link1, ... from the origin along +x, body frames in their middles. Gravity is -z
// with hinges along y in space, -y in the plane.
#define CHAIN_LINK_LENGTH 0.25
#define CHAIN_LINK_MASS 0.078125
void mechanism_chain(scene *s, int32_t links, int32_t dimension);

// ---- Tops ----

// A symmetrical top with its tip in a spherical joint at the origin: centre of mass at distance
// `length` on its z axis.
typedef struct top_data {
    double mass, length;
    pcs_vec3 inertia; // about the centre of mass
    pcs_quat rotation;
    pcs_vec3 angular_velocity; // body frame
} top_data;

void mechanism_top(scene *s, const top_data *data);
// A free body without gravity.
void mechanism_free_body(scene *s, double mass, pcs_vec3 inertia, pcs_vec3 angular_velocity);

// ---- Linkages in the plane ----

// IFToMM A02: crank0 .. crankN, then coupler0 .. coupler(N-1).
void mechanism_windows(scene *s, int32_t windows);
// IFToMM A03: K1 .. K7; joint 5 (P3) joins K2 and K3.
void mechanism_squeezer(scene *s);
enum { SQUEEZER_JOINT_P3 = 5 };
// Four-bar and slider-crank of [Haddouni2015]: rod1, rod2, rod3 and crank, rod, slider. The last
// joint carries the constraint force lambda of the digest on its body b.
void mechanism_four_bar(scene *s);
// Its states, with the force of the open pin (digest of [Haddouni2015, 4.1], "converged
// reference").
enum { FOUR_BAR_TIMES = 3 };
typedef struct four_bar_state {
    double t, q[3], v[3], lambda[2];
    double digit; // the last one of lambda
} four_bar_state;
extern const four_bar_state four_bar_reference[FOUR_BAR_TIMES];
enum { FOUR_BAR_JOINT_LAMBDA = 3 };
void mechanism_slider_crank(scene *s);
enum { SLIDER_CRANK_JOINT_LAMBDA = 3 };
// crank, rod, slider; the four corners of the slider are the contact slots.
void mechanism_slider_crank_clearance(scene *s);

// ---- In space ----

// IFToMM A04: rod1 .. rod5; the body frame of rod2 has its origin at P3.
void mechanism_bricard(scene *s);
enum { BRICARD_ROD2 = 1 };

#endif
