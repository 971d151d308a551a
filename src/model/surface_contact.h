// Contacts of surfaces: every node of a group is a slot of its own, kept for the run, that looks
// for the nearest place of its target (docs/theory/surface-contacts.md). The target is a shape on a
// frame or the faces of a mesh group.
#ifndef PCS_MODEL_SURFACE_CONTACT_H
#define PCS_MODEL_SURFACE_CONTACT_H

#include "geometry/bounding_tree.h"
#include "geometry/contact_shapes.h"
#include "model/contact.h"

// Nodes and faces of a mesh group. Boxes and normals belong to a configuration: they are made when
// they are first asked for, in pcs_configuration.surfaces, and kept until the configuration
// changes.
typedef struct pcs_mesh_surface {
    int32_t mesh, group;
    int32_t n_nodes, n_faces;
    int32_t *node;                         // of the model
    int32_t (*face)[PCS_FACE_NODES_MAX];   // nodes of the model, -1 behind the last
    int32_t (*corner)[PCS_FACE_NODES_MAX]; // the same as places in `node`
    // Face across edge k of a face (from its corner k to the next; segments: beyond corner k), -1:
    // none
    int32_t (*neighbour)[PCS_FACE_NODES_MAX];
    // Edges of the faces, for each node to the other ends (nodes of the model):
    // edge_node[edge_start[i]] ... edge_node[edge_start[i + 1] - 1]
    int32_t *edge_start, *edge_node;
    pcs_bounding_tree *tree; // NULL without faces
    double size;             // of the largest face at the start
    double volume;           // times the dimension, at the start, if the faces close it
    bool closed;             // around a volume: what is not in its box is outside
    int64_t work;            // place of its numbers in pcs_configuration.surfaces
} pcs_mesh_surface;

typedef struct pcs_surface_contact {
    char *name;
    int32_t mesh;
    int32_t n_nodes;
    int32_t *node;       // that touch, of the model
    int32_t skin;        // surface that has their normals, -1: none
    int32_t *skin_place; // of each node in it, -1: not there
    pcs_target_shape shape;
    pcs_attachment frame; // of the shape
    int32_t target;       // surface with the faces, -1: a shape
    double node_radius, reach;
    pcs_law law;
    pcs_formula *surface[2]; // NULL: the number
    double surface_number[2];
    int32_t first_slot, row_size;
    bool hidden; // its shape is drawn by someone else
} pcs_surface_contact;

void pcs_mesh_surface_free(pcs_context *ctx, pcs_mesh_surface *surface);
void pcs_surface_contact_free(pcs_context *ctx, pcs_surface_contact *contact);
// Numbers that a configuration keeps for a surface.
int64_t pcs_mesh_surface_work(const pcs_mesh_surface *surface);

// What pcs_model_contacts() and its companions (contact.h) do for the slots of surfaces.
// Rows over the faces of a mesh change their nodes. The nodes of the rows of a slot whose contact
// is held on a face (pcs_configuration.face), or 0 where they never change.
int32_t pcs_surface_contact_nodes(const struct pcs_model *model, int32_t slot, int32_t face,
                                  int32_t node[PCS_ROW_NODES_MAX]);
void pcs_surface_contacts_evaluate(const struct pcs_model *model, const pcs_configuration *c,
                                   bool rows, pcs_contact *contacts);
void pcs_surface_contacts_convective(const struct pcs_model *model, const pcs_configuration *c,
                                     pcs_contact *contacts);
void pcs_surface_contacts_slip(const struct pcs_model *model, const pcs_configuration *from,
                               const pcs_contact *at_from, const pcs_configuration *to,
                               const pcs_contact *at_to, double *slip);
void pcs_surface_contacts_tangent(const struct pcs_model *model, const pcs_configuration *c,
                                  const pcs_contact *contacts, const double *r, double scale,
                                  struct pcs_saddle *saddle);

#endif
