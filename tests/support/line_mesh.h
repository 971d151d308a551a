// A small mesh of bars or beams outside of any model: assembly into dense matrices, Newton's method
// for statics, frequencies by LAPACK, and the checks that every finite element has to pass. Any
// class of finite_element.h fits.
#ifndef PERCUSS_TESTS_LINE_MESH_H
#define PERCUSS_TESTS_LINE_MESH_H

#include "base/random.h"
#include "elements/finite_element.h"

enum {
    LINE_NODES_MAX = 65,
    LINE_ELEMENTS_MAX = 64,
    LINE_UNKNOWNS_MAX = 6 * LINE_NODES_MAX,
    LINE_CONSTANTS_MAX = 32
};

typedef struct line_mesh {
    const pcs_fe_class *class;
    pcs_fe_property property;
    pcs_mat3 axes; // of the mesh at the start
    int32_t n_nodes, n_elements;
    pcs_vec3 X[LINE_NODES_MAX];
    int32_t nodes[LINE_ELEMENTS_MAX][PCS_FE_NODES_MAX];
    double constants[LINE_ELEMENTS_MAX][LINE_CONSTANTS_MAX];
    // The state
    pcs_vec3 x[LINE_NODES_MAX], v[LINE_NODES_MAX], w[LINE_NODES_MAX];
    pcs_quat p[LINE_NODES_MAX];
    bool fixed[LINE_UNKNOWNS_MAX];
} line_mesh;

// The numbers of a test program's trials, from one seed.
void line_random_init(uint64_t seed);
double line_between(double low, double high);
pcs_vec3 line_vector(int32_t dimension, double size);
pcs_quat line_rotation(int32_t dimension);

// Steel-like numbers of size one, so that all strains count in the checks.
pcs_fe_property line_property(int32_t dimension);

void line_mesh_init(line_mesh *mesh, const pcs_fe_class *class, const pcs_fe_property *property);
// One element, somewhere, in a mesh whose axes lie anyhow.
void line_mesh_single(line_mesh *mesh, const pcs_fe_class *class, const pcs_fe_property *property);
int32_t line_mesh_add_node(line_mesh *mesh, pcs_vec3 X);
// An element between the nodes a and b. Prepares it; fails the test when that fails.
void line_mesh_add_element(line_mesh *mesh, int32_t a, int32_t b);
// n elements of the same length from a to b, in the axes `axes`.
void line_mesh_straight(line_mesh *mesh, const pcs_fe_class *class, const pcs_fe_property *property,
                        pcs_vec3 a, pcs_vec3 b, int32_t n);
void line_mesh_reset(line_mesh *mesh); // the state at the start, at rest

int32_t line_mesh_node_unknowns(const line_mesh *mesh);
int32_t line_mesh_unknowns(const line_mesh *mesh);
void line_mesh_fix_node(line_mesh *mesh, int32_t node);
void line_mesh_retract(line_mesh *mesh, double s, const double *d); // q [+] s d
void line_mesh_set_velocity(line_mesh *mesh, const double *v);
void line_mesh_random_state(line_mesh *mesh, double size, double angle);
// The state after a rotation and translation of everything, seen from the world.
void line_mesh_turn(line_mesh *mesh, pcs_quat p, pcs_vec3 shift);

double line_mesh_force(const line_mesh *mesh, double *f); // returns the viscous power
double line_mesh_energy(const line_mesh *mesh);
void line_mesh_tangent(const line_mesh *mesh, double scale_K, double scale_C, double *A);
void line_mesh_mass(const line_mesh *mesh, double *M);
void line_mesh_results(const line_mesh *mesh, int32_t element, double *out);

// Newton's method for force + load = 0 with `load` constant in the layout of f; stops when the
// residual is below `tolerance`. Returns the iterations, or -1 after `limit` of them.
int32_t line_mesh_solve(line_mesh *mesh, const double *load, double tolerance, int32_t limit);
// The angular frequencies of the unknowns that are not fixed, ascending; returns their number.
int32_t line_mesh_frequencies(const line_mesh *mesh, double *omega);

// ---- Checks that hold for every class ----

// K, C against finite differences of the force, the force at rest against the gradient of the
// energy, the viscous power against f.v, in the state of the mesh. `tolerance` relative to the
// largest entry.
void line_mesh_check_derivatives(line_mesh *mesh, double tolerance);

#endif
