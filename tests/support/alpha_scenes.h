// Benchmarks of [Galvez2020] that have no example file, as unfinished scenes for the nonsmooth
// generalized-alpha scheme. Numbers: digest of the thesis, section 4; what it leaves open is filled
// in where a builder says so.
#ifndef PCS_TESTS_SUPPORT_ALPHA_SCENES_H
#define PCS_TESTS_SUPPORT_ALPHA_SCENES_H

#include "support/scenes.h"

// B1: a box of 46.8 kg with a spin of 60 rad/s about x and y falls on the floor; e = 0.8, all eight
// corners carry a contact, the box starts upright.
void alpha_scene_box(scene *s);
// B5: a point mass on a slope of pi/12 with 2 m/s uphill. x is uphill, y the normal.
void alpha_scene_incline(scene *s);
// B6: the rod over two supports, the right one lower by h2, friction mu1 (left) and mu2 (right).
void alpha_scene_rod(scene *s, double h2, double mu1, double mu2);
// B10: a pendulum of 1.3 m, 1 m above a sprung plate that turns about its centre; e = 0, mu = 0.3.
void alpha_scene_plate(scene *s);
// B11: the woodpecker; `fixed` keeps the sleeve on the axis of the pole and leaves contacts 4 and 5
// out.
void alpha_scene_woodpecker(scene *s, bool fixed, double mu);

#endif
