// The flexible benchmarks of [Galvez2020] (digest B2, B3, B4, B9), unfinished scenes as those of
// scenes.h.
#ifndef PCS_TESTS_SUPPORT_FLEXIBLE_SCENES_H
#define PCS_TESTS_SUPPORT_FLEXIBLE_SCENES_H

#include "percuss/mesh.h"
#include "support/scenes.h"

// Contact of one node of a mesh against a plane of the ground: free side +y of the frame (planar)
// or +z (spatial).
void scene_node_on_plane(scene *s, const char *name, pcs_mesh_id mesh, int32_t node,
                         pcs_vec3 origin, pcs_vec3 turn, pcs_law law);

// B2: bar of 200 elements, E = 900 Pa, rho = 1, L = 10 m, A = 1 m^2 (assumed), 10 m/s, tip 5.005 m
// from the wall. Node 200 is the tip, node 191 is 0.45 m from it.
void scene_elastic_bar(scene *s);
// The same with n elements, at most 1000; node n is the tip.
void scene_elastic_bar_of(scene *s, int32_t n);
// B3: pendulum of 8 nonlinear beams, horizontal at rest, wall x = sqrt(2)/2 that the tip meets from
// the right. Node 8 is the tip.
void scene_flexible_pendulum(scene *s);
// The same of another modulus, Pa, falling with another gravity, m/s^2.
void scene_flexible_pendulum_of(scene *s, double young, double gravity);
// B4: cube of 0.1 m with n^3 hexahedra of the kind, E = 90 Pa, rho = 1, centroid 0.35 m above the
// floor. Each node of the lower face is a contact; slot i is node i.
void scene_flexible_cube(scene *s, int32_t n, pcs_element_kind kind);
// The same cube of a neo-Hookean material.
void scene_neo_hookean_cube(scene *s, int32_t n, pcs_element_kind kind);
// The same cube from another height of its centroid (0.05 m: it touches the floor), falling with
// `speed`.
void scene_landing_cube(scene *s, int32_t n, pcs_element_kind kind, double height, double speed);
// The same with one contact of surfaces, from the lower face to the floor.
void scene_flexible_cube_surface(scene *s, int32_t n, pcs_element_kind kind);
// B9: free beam of 8 elements, 35.2 degrees from the wall's normal, 2 m/s towards a rough wall 0.1
// m away. Slots: 0 lower end, 1 upper end.
void scene_oblique_beam(scene *s);

#endif
