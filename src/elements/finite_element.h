// Finite elements: force, tangent, mass and stresses of ONE element of a mesh. A class is one table
// row; the mesh (model/mesh.h) holds the nodes, loops over the elements and assembles.
//
// The unknowns of an element are those of its nodes, one node after the other, in the layout of a
// model's v: a point has its translations (2 in the plane, 3 in space); a frame has in the plane
// (x', y', phi') and in space (x', y', z') of the world followed by Omega in node axes. f is the
// generalised force in that layout, K = -df/dq for the perturbation q [+] d (x + d_x, R
// exp(S(d_Omega))), C = -df/dv. All node frames of a mesh start with the same axes, those of the
// mesh.
//
// M of every class is constant. Its part between rotations of frames in space is block diagonal, so
// that the mesh knows the gyroscopic moments: -Omega x J Omega with J the rotary block of a node.
#ifndef PCS_ELEMENTS_FINITE_ELEMENT_H
#define PCS_ELEMENTS_FINITE_ELEMENT_H

#include "math/rotation.h"
#include "percuss/mesh.h"

enum { PCS_FE_NODES_MAX = 8, PCS_FE_UNKNOWNS_MAX = 24, PCS_FE_RESULTS_MAX = 8 };

// Material and section of a part of a mesh.
typedef struct pcs_fe_property {
    int32_t dimension; // of the model, 2 or 3
    pcs_material material;
    pcs_section section;
    bool lumped;
} pcs_fe_property;

typedef struct pcs_fe_class pcs_fe_class;
struct pcs_solid_shape; // solid.h

// An element to look at: what it is, what it is made of, and what prepare() found for it.
typedef struct pcs_fe {
    const pcs_fe_class *class;
    const pcs_fe_property *property;
    const double *constants;
} pcs_fe;

// Where its nodes are, and how fast.
typedef struct pcs_fe_state {
    pcs_vec3 x[PCS_FE_NODES_MAX], v[PCS_FE_NODES_MAX]; // world
    pcs_mat3 R[PCS_FE_NODES_MAX];                      // frames: node axes to world
    pcs_vec3 w[PCS_FE_NODES_MAX];                      // frames: angular velocity, node axes
    // Solids: x is the middle of a step along `way`, and strains are the mean of those at its ends
    bool has_way;
    pcs_vec3 way[PCS_FE_NODES_MAX];
} pcs_fe_state;

struct pcs_fe_class {
    pcs_element_kind kind;
    const char *name, *help;
    int32_t n_nodes;
    bool frames;          // its nodes turn
    bool planar, spatial; // where it is allowed
    bool solid;           // has faces; otherwise it is a line and has a section
    int32_t n_faces;
    int32_t face_nodes;  // 3 or 4
    int32_t face[6][4];  // nodes of each face, counterclockwise seen from outside
    int32_t n_constants; // numbers that prepare() makes for an element
    int32_t n_results;   // numbers of results(), at most PCS_FE_RESULTS_MAX
    const char *results_names
        [PCS_FE_RESULTS_MAX]; // "mises", "axial_force", ...; the first one colours pictures

    // Checks the property once for a part: what the class needs is there and sensible. The message
    // names the number and the remedy; the caller puts the mesh and the part before it.
    pcs_status (*check)(pcs_context *ctx, const pcs_fe_property *property);
    // Reference configuration: X the nodes and R the axes that all node frames have there.
    // PCS_ERROR_MODEL for an element that is degenerate or inside out, with the reason.
    pcs_status (*prepare)(pcs_context *ctx, const pcs_fe_property *property, const pcs_vec3 *X,
                          const pcs_mat3 *R, double *constants);
    // Solids: the integration points of an element, what the functions of solid.h work on
    struct pcs_solid_shape (*shape)(const pcs_fe *element);
    // M (overwritten), n x n row-major, consistent or lumped as the property says
    void (*mass)(const pcs_fe *element, double *M);
    // f (overwritten): elastic and viscous forces; returns the power of the viscous ones (<= 0)
    double (*force)(const pcs_fe *element, const pcs_fe_state *state, double *f);
    // A (overwritten) = scale_K K + scale_C C, n x n row-major
    void (*tangent)(const pcs_fe *element, const pcs_fe_state *state, double scale_K,
                    double scale_C, double *A);
    double (*energy)(const pcs_fe *element, const pcs_fe_state *state);
    void (*results)(const pcs_fe *element, const pcs_fe_state *state, double *out);
};

// NULL if there is no such kind.
const pcs_fe_class *pcs_fe_class_find(pcs_element_kind kind);

static inline int32_t pcs_fe_node_unknowns(const pcs_fe_class *class, int32_t dimension)
{
    return class->frames ? (dimension == 2 ? 3 : 6) : dimension;
}

extern const pcs_fe_class pcs_fe_bar;
extern const pcs_fe_class pcs_fe_beam;        // geometrically exact
extern const pcs_fe_class pcs_fe_linear_beam; // Euler-Bernoulli
extern const pcs_fe_class pcs_fe_linear_timoshenko;
extern const pcs_fe_class pcs_fe_hexahedron;
extern const pcs_fe_class pcs_fe_hexahedron_plain;
extern const pcs_fe_class pcs_fe_tetrahedron;

#endif
