// A mesh from its definition: parts and their elements, groups, surface, mass matrix.
#include "model/mesh_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/node.h"

static void *copy_array(pcs_context *ctx, const void *from, int64_t count, size_t size)
{
    void *to = pcs_calloc(ctx, (size_t)(count > 0 ? count : 1), size);
    if (to && count > 0)
        memcpy(to, from, (size_t)count * size);
    return to;
}

// ---- Parts ----

static pcs_status check_part(pcs_context *ctx, const pcs_mesh_def *def, int32_t k,
                             const pcs_fe_class *class, int32_t dimension)
{
    const pcs_mesh_part_def *part = &def->parts[k];
    if (!class)
        return pcs_error(ctx, PCS_ERROR_MODEL, "part %d: there is no element kind %d", (int)k,
                         (int)part->kind);
    if (dimension == 2 ? !class->planar : !class->spatial)
        return pcs_error(ctx, PCS_ERROR_MODEL, "part %d: a %s model has no %s elements", (int)k,
                         dimension == 2 ? "planar" : "spatial", class->name);
    const pcs_fe_class *first = pcs_fe_class_find(def->parts[0].kind);
    if (first && first->frames != class->frames)
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "part %d: nodes of %s elements %s and those of %s elements %s; make two "
                         "meshes and join them",
                         (int)k, class->name, class->frames ? "turn" : "are points", first->name,
                         first->frames ? "turn" : "are points");
    if (part->n_elements <= 0 || !part->nodes)
        return pcs_error(ctx, PCS_ERROR_MODEL, "part %d: has no elements", (int)k);
    const int64_t count = (int64_t)part->n_elements * class->n_nodes;
    for (int64_t i = 0; i < count; ++i)
        if (part->nodes[i] < 0 || part->nodes[i] >= def->n_nodes)
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "part %d, element %d: there is no node %d (the mesh has %d)", (int)k,
                             (int)(i / class->n_nodes), (int)part->nodes[i], (int)def->n_nodes);
    return PCS_OK;
}

static pcs_status prepare_elements(pcs_context *ctx, const pcs_mesh *mesh, pcs_mesh_part *part)
{
    const pcs_fe_class *class = part->class;
    for (int32_t e = 0; e < part->n_elements; ++e) {
        const int32_t *nodes = part->nodes + (int64_t)e * class->n_nodes;
        pcs_vec3 X[PCS_FE_NODES_MAX];
        for (int32_t i = 0; i < class->n_nodes; ++i)
            X[i] = mesh->X[nodes[i]];
        const pcs_status status = class->prepare(ctx, &part->property, X, &mesh->R,
                                                 part->constants + (int64_t)e * class->n_constants);
        if (status < 0)
            return pcs_error_prefix(ctx, status, "part '%s', element %d", part->name, (int)e);
    }
    return PCS_OK;
}

static pcs_status build_parts(pcs_context *ctx, const pcs_mesh_def *def, int32_t dimension,
                              pcs_mesh *mesh)
{
    if (def->n_parts <= 0 || !def->parts)
        return pcs_error(ctx, PCS_ERROR_MODEL, "has no elements");
    mesh->parts = PCS_NEW_ARRAY(ctx, pcs_mesh_part, def->n_parts);
    if (!mesh->parts)
        return PCS_ERROR_MEMORY;
    for (int32_t k = 0; k < def->n_parts; ++k) {
        const pcs_mesh_part_def *from = &def->parts[k];
        const pcs_fe_class *class = pcs_fe_class_find(from->kind);
        PCS_TRY(check_part(ctx, def, k, class, dimension));
        pcs_mesh_part *part = &mesh->parts[mesh->n_parts++];
        *part = (pcs_mesh_part){.class = class,
                                .property = {dimension, from->material, from->section, def->lumped},
                                .n_elements = from->n_elements};
        part->name = pcs_strdup(ctx, from->name ? from->name : def->name);
        part->nodes = copy_array(ctx, from->nodes, (int64_t)from->n_elements * class->n_nodes,
                                 sizeof *part->nodes);
        part->constants = PCS_NEW_ARRAY(ctx, double, (int64_t)from->n_elements *class->n_constants);
        if (!part->name || !part->nodes || !part->constants)
            return PCS_ERROR_MEMORY;
        const pcs_status status = class->check(ctx, &part->property);
        if (status < 0)
            return pcs_error_prefix(ctx, status, "part '%s'", part->name);
        PCS_TRY(prepare_elements(ctx, mesh, part));
    }
    const bool frames = mesh->parts[0].class->frames;
    mesh->kind = frames ? (dimension == 2 ? PCS_NODE_PLANAR : PCS_NODE_SPATIAL)
                        : (dimension == 2 ? PCS_NODE_POINT2 : PCS_NODE_POINT3);
    mesh->n_v = pcs_node_v_size(mesh->kind);
    return PCS_OK;
}

// A node without an element would have no mass.
static pcs_status check_nodes(pcs_context *ctx, const pcs_mesh *mesh)
{
    uint8_t *used = PCS_NEW_ARRAY(ctx, uint8_t, mesh->n_nodes);
    if (!used)
        return PCS_ERROR_MEMORY;
    for (int32_t k = 0; k < mesh->n_parts; ++k) {
        const pcs_mesh_part *part = &mesh->parts[k];
        for (int64_t i = 0; i < (int64_t)part->n_elements * part->class->n_nodes; ++i)
            used[part->nodes[i]] = 1;
    }
    int32_t node = 0;
    while (node < mesh->n_nodes && used[node])
        ++node;
    pcs_free(ctx, used);
    if (node == mesh->n_nodes)
        return PCS_OK;
    return pcs_error(ctx, PCS_ERROR_MODEL,
                     "node %d belongs to no element; leave it out of the mesh", (int)node);
}

// ---- Surface and groups ----

typedef struct face_key {
    int32_t sorted[PCS_FACE_NODES_MAX]; // -1 first for triangles
    int32_t part, element, face;
} face_key;

static int compare_faces(const void *a, const void *b)
{
    return memcmp(((const face_key *)a)->sorted, ((const face_key *)b)->sorted,
                  sizeof((const face_key *)a)->sorted);
}

static void sort_face(int32_t sorted[PCS_FACE_NODES_MAX])
{
    for (int i = 1; i < PCS_FACE_NODES_MAX; ++i)
        for (int j = i; j > 0 && sorted[j] < sorted[j - 1]; --j) {
            const int32_t swap = sorted[j];
            sorted[j] = sorted[j - 1];
            sorted[j - 1] = swap;
        }
}

static void face_nodes(const pcs_mesh *mesh, const face_key *key, int32_t out[PCS_FACE_NODES_MAX])
{
    const pcs_mesh_part *part = &mesh->parts[key->part];
    const int32_t *nodes = part->nodes + (int64_t)key->element * part->class->n_nodes;
    for (int32_t i = 0; i < PCS_FACE_NODES_MAX; ++i)
        out[i] = i < part->class->face_nodes ? nodes[part->class->face[key->face][i]] : -1;
}

pcs_status pcs_mesh_find_surface(pcs_context *ctx, const pcs_mesh *mesh,
                                 int32_t (**faces)[PCS_FACE_NODES_MAX], int32_t *n_faces)
{
    int64_t count = 0;
    for (int32_t k = 0; k < mesh->n_parts; ++k)
        count += (int64_t)mesh->parts[k].n_elements * mesh->parts[k].class->n_faces;
    *n_faces = 0;
    face_key *keys = PCS_NEW_ARRAY(ctx, face_key, count);
    *faces = pcs_calloc(ctx, (size_t)(count > 0 ? count : 1), sizeof **faces);
    if (!keys || !*faces) {
        pcs_free(ctx, keys);
        return PCS_ERROR_MEMORY;
    }
    int64_t at = 0;
    for (int32_t k = 0; k < mesh->n_parts; ++k)
        for (int32_t e = 0; e < mesh->parts[k].n_elements; ++e)
            for (int32_t f = 0; f < mesh->parts[k].class->n_faces; ++f) {
                face_key *key = &keys[at++];
                *key = (face_key){.part = k, .element = e, .face = f};
                face_nodes(mesh, key, key->sorted);
                sort_face(key->sorted);
            }
    if (count > 0)
        qsort(keys, (size_t)count, sizeof *keys, compare_faces);
    for (int64_t i = 0; i < count; ++i) {
        const bool before = i > 0 && compare_faces(&keys[i], &keys[i - 1]) == 0;
        const bool behind = i + 1 < count && compare_faces(&keys[i], &keys[i + 1]) == 0;
        if (!before && !behind)
            face_nodes(mesh, &keys[i], (*faces)[(*n_faces)++]);
    }
    pcs_free(ctx, keys);
    return PCS_OK;
}

// nodes = those given and those of the faces, ascending, each once
static pcs_status collect_nodes(pcs_context *ctx, int32_t n_mesh_nodes, const int32_t *given,
                                int32_t n_given, pcs_mesh_group *group)
{
    uint8_t *member = PCS_NEW_ARRAY(ctx, uint8_t, n_mesh_nodes);
    if (!member)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < n_given; ++i)
        member[given[i]] = 1;
    for (int32_t i = 0; i < group->n_faces; ++i)
        for (int32_t j = 0; j < PCS_FACE_NODES_MAX && group->faces[i][j] >= 0; ++j)
            member[group->faces[i][j]] = 1;
    group->n_nodes = 0;
    for (int32_t i = 0; i < n_mesh_nodes; ++i)
        group->n_nodes += member[i];
    group->nodes = PCS_NEW_ARRAY(ctx, int32_t, group->n_nodes);
    for (int32_t i = 0, n = 0; group->nodes && i < n_mesh_nodes; ++i)
        if (member[i])
            group->nodes[n++] = i;
    pcs_free(ctx, member);
    return group->nodes ? PCS_OK : PCS_ERROR_MEMORY;
}

static pcs_status check_group(pcs_context *ctx, const pcs_mesh *mesh,
                              const pcs_mesh_group_def *from)
{
    if (!from->name || !*from->name)
        return pcs_error(ctx, PCS_ERROR_MODEL, "a group needs a name");
    if (pcs_mesh_find_group(mesh, from->name) >= 0)
        return pcs_error(ctx, PCS_ERROR_MODEL, "group '%s': the name is taken", from->name);
    if (from->n_nodes <= 0 && from->n_faces <= 0)
        return pcs_error(ctx, PCS_ERROR_MODEL, "group '%s': is empty", from->name);
    for (int32_t i = 0; i < from->n_nodes; ++i)
        if (from->nodes[i] < 0 || from->nodes[i] >= mesh->n_nodes)
            return pcs_error(ctx, PCS_ERROR_MODEL, "group '%s': there is no node %d", from->name,
                             (int)from->nodes[i]);
    for (int32_t i = 0; i < from->n_faces; ++i)
        for (int32_t j = 0; j < PCS_FACE_NODES_MAX; ++j)
            if (from->faces[i][j] >= mesh->n_nodes || (from->faces[i][j] < 0 && j < 2))
                return pcs_error(ctx, PCS_ERROR_MODEL, "group '%s', face %d: there is no node %d",
                                 from->name, (int)i, (int)from->faces[i][j]);
    return PCS_OK;
}

static pcs_status push_group(pcs_context *ctx, const pcs_mesh_group_def *from, pcs_mesh *mesh)
{
    pcs_mesh_group *group = &mesh->groups[mesh->n_groups++];
    *group = (pcs_mesh_group){.n_faces = from->n_faces};
    group->name = pcs_strdup(ctx, from->name);
    group->faces = copy_array(ctx, from->faces, from->n_faces, sizeof *group->faces);
    if (!group->name || !group->faces)
        return PCS_ERROR_MEMORY;
    return collect_nodes(ctx, mesh->n_nodes, from->nodes, from->n_nodes, group);
}

static pcs_status build_groups(pcs_context *ctx, const pcs_mesh_def *def, pcs_mesh *mesh)
{
    enum { OWN_GROUPS = 2 };
    mesh->groups = PCS_NEW_ARRAY(ctx, pcs_mesh_group, def->n_groups + OWN_GROUPS);
    int32_t *all = PCS_NEW_ARRAY(ctx, int32_t, mesh->n_nodes);
    int32_t(*faces)[PCS_FACE_NODES_MAX] = NULL, n_faces = 0;
    pcs_status status = mesh->groups && all ? PCS_OK : PCS_ERROR_MEMORY;
    for (int32_t i = 0; all && i < mesh->n_nodes; ++i)
        all[i] = i;
    const pcs_mesh_group_def whole = {.name = "all", .nodes = all, .n_nodes = mesh->n_nodes};
    if (status == PCS_OK)
        status = push_group(ctx, &whole, mesh);
    if (status == PCS_OK)
        status = pcs_mesh_find_surface(ctx, mesh, &faces, &n_faces);
    const pcs_mesh_group_def surface = {.name = "surface",
                                        .faces = (const int32_t(*)[PCS_FACE_NODES_MAX])faces,
                                        .n_faces = n_faces};
    if (status == PCS_OK && n_faces > 0)
        status = push_group(ctx, &surface, mesh);
    pcs_free(ctx, all);
    pcs_free(ctx, faces);
    PCS_TRY(status);
    for (int32_t i = 0; i < def->n_groups; ++i) {
        PCS_TRY(check_group(ctx, mesh, &def->groups[i]));
        PCS_TRY(push_group(ctx, &def->groups[i], mesh));
    }
    return PCS_OK;
}

// ---- Mass matrix ----

static int compare_pairs(const void *a, const void *b)
{
    const int32_t *p = a, *q = b;
    if (p[0] != q[0])
        return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

// The node pairs of all elements, ascending, each once.
static pcs_status list_pairs(pcs_context *ctx, pcs_mesh *mesh)
{
    pcs_mesh_mass *mass = &mesh->mass;
    int64_t count = 0;
    for (int32_t k = 0; k < mesh->n_parts; ++k) {
        const int32_t n = mesh->parts[k].class->n_nodes;
        count += (int64_t)mesh->parts[k].n_elements * n * (n - 1) / 2;
    }
    if (count > INT32_MAX)
        return pcs_error(ctx, PCS_ERROR_MODEL, "is too large: %lld pairs of nodes",
                         (long long)count);
    mass->pair = pcs_calloc(ctx, (size_t)(count > 0 ? count : 1), sizeof *mass->pair);
    if (!mass->pair)
        return PCS_ERROR_MEMORY;
    int32_t at = 0;
    for (int32_t k = 0; k < mesh->n_parts; ++k) {
        const pcs_mesh_part *part = &mesh->parts[k];
        const int32_t n = part->class->n_nodes;
        for (int32_t e = 0; e < part->n_elements; ++e)
            for (int32_t i = 0; i < n; ++i)
                for (int32_t j = 0; j < i; ++j, ++at) {
                    const int32_t a = part->nodes[(int64_t)e * n + i];
                    const int32_t b = part->nodes[(int64_t)e * n + j];
                    mass->pair[at][0] = a < b ? a : b;
                    mass->pair[at][1] = a < b ? b : a;
                }
    }
    qsort(mass->pair, (size_t)at, sizeof *mass->pair, compare_pairs);
    for (int32_t i = 0; i < at; ++i)
        if (mass->n_pairs == 0 || compare_pairs(mass->pair[i], mass->pair[mass->n_pairs - 1]) != 0)
            memmove(mass->pair[mass->n_pairs++], mass->pair[i], sizeof *mass->pair);
    return PCS_OK;
}

// Block of nodes a, b; for a > b the transposed one of (b, a) is meant and NULL returned
static double *mass_block(const pcs_mesh *mesh, int32_t a, int32_t b)
{
    const pcs_mesh_mass *mass = &mesh->mass;
    if (a == b)
        return mass->diagonal + (int64_t)a * mass->block;
    if (a > b)
        return NULL;
    const int32_t key[2] = {a, b};
    const int32_t(*found)[2] = bsearch(key, mass->pair, (size_t)mass->n_pairs, sizeof *mass->pair,
                                       compare_pairs);
    return mass->coupling + (found - (const int32_t(*)[2])mass->pair) * (int64_t)mass->block;
}

// Adds the mass of one element: its blocks, the shares of its nodes and their rotary inertia
static void add_element_mass(pcs_mesh *mesh, const pcs_mesh_part *part, int32_t e)
{
    const pcs_fe_class *class = part->class;
    const pcs_fe element = pcs_mesh_part_element(part, e);
    const int32_t n = class->n_nodes, size = mesh->n_v, length = n * size;
    const int32_t flat = part->property.dimension;
    double M[PCS_FE_UNKNOWNS_MAX * PCS_FE_UNKNOWNS_MAX];
    class->mass(&element, M);
    for (int32_t i = 0; i < n; ++i) {
        const int32_t a = part->nodes[(int64_t)e * n + i];
        for (int32_t j = 0; j < n; ++j) {
            const double *M_ij = M + i * size * length + j * size;
            for (int32_t r = 0; r < flat; ++r)
                mesh->node_mass[a] += M_ij[r * length + r] / flat;
            double *block = mass_block(mesh, a, part->nodes[(int64_t)e * n + j]);
            for (int32_t r = 0; block && r < size && !mesh->mass.scalar; ++r)
                for (int32_t s = 0; s < size; ++s)
                    block[r * size + s] += M_ij[r * length + s];
            if (block && mesh->mass.scalar)
                *block += M_ij[0];
        }
        if (!mesh->rotary || class->kind != PCS_ELEMENT_BEAM)
            continue;
        for (int r = 0; r < 3; ++r)
            for (int s = 0; s < 3; ++s)
                mesh->rotary[a].m[r][s] += M[(i * size + 3 + r) * length + i * size + 3 + s];
    }
}

static pcs_status build_mass(pcs_context *ctx, pcs_mesh *mesh)
{
    pcs_mesh_mass *mass = &mesh->mass;
    PCS_TRY(list_pairs(ctx, mesh));
    mass->scalar = !mesh->parts[0].class->frames; // points: the same mass in every direction
    mass->block = mass->scalar ? 1 : mesh->n_v * mesh->n_v;
    mass->diagonal = PCS_NEW_ARRAY(ctx, double, (int64_t)mesh->n_nodes * mass->block);
    mass->coupling = PCS_NEW_ARRAY(ctx, double, (int64_t)mass->n_pairs * mass->block);
    mesh->node_mass = PCS_NEW_ARRAY(ctx, double, mesh->n_nodes);
    const bool spatial = mesh->kind == PCS_NODE_SPATIAL;
    mesh->rotary = spatial ? PCS_NEW_ARRAY(ctx, pcs_mat3, mesh->n_nodes) : NULL;
    if (!mass->diagonal || !mass->coupling || !mesh->node_mass || (spatial && !mesh->rotary))
        return PCS_ERROR_MEMORY;
    for (int32_t k = 0; k < mesh->n_parts; ++k)
        for (int32_t e = 0; e < mesh->parts[k].n_elements; ++e)
            add_element_mass(mesh, &mesh->parts[k], e);
    return PCS_OK;
}

// ---- The whole ----

static pcs_status check_numbers(pcs_context *ctx, const pcs_mesh_def *def, int32_t dimension)
{
    if (def->n_nodes <= 0 || !def->nodes)
        return pcs_error(ctx, PCS_ERROR_MODEL, "has no nodes");
    for (int32_t i = 0; i < def->n_nodes; ++i) {
        if (!pcs_v3_is_finite(def->nodes[i]))
            return pcs_error(ctx, PCS_ERROR_MODEL, "node %d: its position is not finite", (int)i);
        if (dimension == 2 && def->nodes[i].z != 0)
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "node %d: a planar model lies in the x-y plane, but z = %g", (int)i,
                             def->nodes[i].z);
    }
    if (!pcs_v3_is_finite(def->position) || !pcs_v3_is_finite(def->velocity) ||
        !pcs_v3_is_finite(def->angular_velocity) || !isfinite(def->angle))
        return pcs_error(ctx, PCS_ERROR_MODEL, "all numbers must be finite");
    if (!(fabs(pcs_quat_norm(def->rotation) - 1) < 1e-6))
        return pcs_error(ctx, PCS_ERROR_MODEL, "the rotation must be a unit quaternion");
    if (!(def->mass_damping >= 0) || !isfinite(def->mass_damping))
        return pcs_error(ctx, PCS_ERROR_MODEL, "the mass damping must be finite and >= 0");
    const bool flat = def->position.z == 0 && def->velocity.z == 0 &&
                      def->angular_velocity.x == 0 && def->angular_velocity.y == 0 &&
                      def->rotation.w == 1;
    if (dimension == 2 && !flat)
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "a planar mesh moves in the x-y plane and turns by 'angle'");
    return PCS_OK;
}

pcs_status pcs_mesh_build(pcs_context *ctx, const pcs_mesh_def *def, int32_t dimension,
                          pcs_mesh *mesh)
{
    PCS_TRY(check_numbers(ctx, def, dimension));
    mesh->name = pcs_strdup(ctx, def->name);
    mesh->n_nodes = def->n_nodes;
    mesh->X = PCS_NEW_ARRAY(ctx, pcs_vec3, def->n_nodes);
    if (!mesh->name || !mesh->X)
        return PCS_ERROR_MEMORY;
    mesh->position = def->position;
    mesh->angle = def->angle;
    mesh->rotation = dimension == 3
                         ? pcs_quat_normalize(def->rotation)
                         : (pcs_quat){cos(0.5 * def->angle), 0, 0, sin(0.5 * def->angle)};
    mesh->R = pcs_quat_matrix(mesh->rotation);
    mesh->velocity = def->velocity;
    mesh->angular_velocity = def->angular_velocity;
    mesh->mass_damping = def->mass_damping;
    for (int32_t i = 0; i < def->n_nodes; ++i) {
        mesh->X[i] = pcs_v3_add(def->position, pcs_m3_mul_v3(&mesh->R, def->nodes[i]));
        if (dimension == 2)
            mesh->X[i].z = 0;
    }
    PCS_TRY(build_parts(ctx, def, dimension, mesh));
    PCS_TRY(check_nodes(ctx, mesh));
    PCS_TRY(build_groups(ctx, def, mesh));
    return build_mass(ctx, mesh);
}
