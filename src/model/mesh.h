// Meshes in the model: nodes, elements by part, groups, loads. The finite elements themselves are
// in elements/; here they are gathered, evaluated one part after the other, and assembled.
//
// M is constant and assembled once, in blocks of node pairs. The weight of a node is that of its
// share of the mass (row sums of the translations), so that it has a potential. Gyroscopic moments
// come from the rotary inertia of beam nodes. C = a M + b K: b is in the elements (strain rates), a
// is here.
#ifndef PCS_MODEL_MESH_H
#define PCS_MODEL_MESH_H

#include "elements/finite_element.h"
#include "linalg/saddle.h"
#include "model/configuration.h"
#include "percuss/formula.h"

typedef struct pcs_mesh_part {
    char *name;
    const pcs_fe_class *class;
    pcs_fe_property property;
    int32_t n_elements;
    int32_t *nodes;    // class->n_nodes for each element, numbers in the mesh
    double *constants; // class->n_constants for each element
} pcs_mesh_part;

typedef struct pcs_mesh_group {
    char *name;
    int32_t *nodes; // ascending, each once; those of the faces included
    int32_t n_nodes;
    int32_t (*faces)[PCS_FACE_NODES_MAX];
    int32_t n_faces;
} pcs_mesh_group;

// What keeps a group in place; becomes joints, one for each node, when the model is finished.
typedef struct pcs_mesh_fixation {
    int32_t group;
    bool fixed[6], linked;
    pcs_body_id body;
} pcs_mesh_fixation;

// Mass matrix in blocks: diagonal by node, then the pairs. A block is one number (times the
// identity) where all elements agree to that, as for points; otherwise n_v x n_v, row-major.
typedef struct pcs_mesh_mass {
    bool scalar;
    int32_t block;      // numbers of a block
    int32_t n_pairs;    // node pairs i < j in the mesh, ascending
    int32_t (*pair)[2]; // M_ji = M_ij^T
    double *diagonal, *coupling;
} pcs_mesh_mass;

typedef struct pcs_mesh {
    char *name;
    int32_t first_node, n_nodes; // in the model
    pcs_node_kind kind;
    int32_t n_v;       // of a node
    pcs_vec3 *X;       // nodes at the start, world
    pcs_vec3 position; // of the mesh frame at the start
    pcs_mat3 R;        // its axes, and those of all nodes that are frames
    pcs_quat rotation; // the same
    double angle;      // the same in the plane, any number of turns
    pcs_vec3 velocity, angular_velocity;
    pcs_mesh_part *parts;
    int32_t n_parts;
    pcs_mesh_group *groups; // "all" first, then "surface" where there are solids, then the user's
    int32_t n_groups;
    pcs_mesh_fixation *fixations;
    int32_t n_fixations;
    pcs_mesh_mass mass;
    double *node_mass; // share of the mass
    pcs_mat3 *rotary;  // rotary inertia of beam nodes, node axes; NULL: none
    double mass_damping;
} pcs_mesh;

// A load on the nodes or faces of a group of a mesh.
typedef struct pcs_mesh_load {
    pcs_mesh_load_kind kind;
    int32_t mesh, group;
    double number[3];
    pcs_formula *formula[3]; // NULL: the number
} pcs_mesh_load;

void pcs_mesh_free(pcs_context *ctx, pcs_mesh *mesh);
// Number of the group, or -1.
int32_t pcs_mesh_find_group(const pcs_mesh *mesh, const char *name);
// The mesh of a node of the model, or -1.
int32_t pcs_model_mesh_of_node(const struct pcs_model *model, int32_t node);
// Pose of a mesh node at the start: axes of the mesh for frames, of the world for points.
pcs_pose pcs_mesh_initial_pose(const pcs_mesh *mesh, int32_t node);
void pcs_model_initial_meshes(const struct pcs_model *model, double *q, double *v);
static inline pcs_fe pcs_mesh_part_element(const pcs_mesh_part *part, int32_t element)
{
    return (pcs_fe){part->class, &part->property,
                    part->constants + (int64_t)element * part->class->n_constants};
}

// Positions and velocities of the nodes of an element.
void pcs_mesh_gather(const pcs_mesh *mesh, const pcs_mesh_part *part, const pcs_configuration *c,
                     int32_t element, pcs_fe_state *state);
// Results of the elements of a part: class->n_results numbers for each.
void pcs_mesh_part_results(const pcs_mesh *mesh, const pcs_mesh_part *part,
                           const pcs_configuration *c, double *out);
double pcs_mesh_kinetic(const struct pcs_model *model, const pcs_mesh *mesh,
                        const pcs_configuration *c);
// Of the elements alone, without gravity.
double pcs_mesh_strain_energy(const pcs_mesh *mesh, const pcs_configuration *c);

#endif
