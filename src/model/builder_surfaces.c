// Building: contacts of the surfaces of meshes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/surface.h"
#include "model/builder.h"

const char *pcs_target_kind_name(pcs_target_kind kind)
{
    static const char *const names[PCS_TARGET_KIND_COUNT] = {
        [PCS_TARGET_PLANE] = "plane",     [PCS_TARGET_SPHERE] = "sphere",
        [PCS_TARGET_BOX] = "box",         [PCS_TARGET_CYLINDER] = "cylinder",
        [PCS_TARGET_CAPSULE] = "capsule", [PCS_TARGET_FACES] = "faces",
    };
    return (int)kind >= 0 && kind < PCS_TARGET_KIND_COUNT ? names[kind] : NULL;
}

pcs_surface_contact_def pcs_surface_contact_default(void)
{
    return (pcs_surface_contact_def){.frame = pcs_frame_default()};
}

pcs_auto_contact_def pcs_auto_contact_default(void)
{
    return (pcs_auto_contact_def){0};
}

// ---- Surfaces ----

// Place of a node in the ascending list of a group, -1: not there.
static int32_t find_place(const pcs_mesh_group *group, int32_t node)
{
    int32_t low = 0, high = group->n_nodes;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (group->nodes[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < group->n_nodes && group->nodes[low] == node ? low : -1;
}

static pcs_status take_face(pcs_builder *builder, const pcs_mesh *mesh, const pcs_mesh_group *group,
                            int32_t i, pcs_mesh_surface *surface, pcs_box *box)
{
    pcs_face face = {.n = 0};
    for (int32_t k = 0; k < PCS_FACE_NODES_MAX; ++k) {
        const int32_t node = group->faces[i][k];
        surface->face[i][k] = surface->corner[i][k] = -1;
        if (node < 0)
            continue;
        surface->face[i][k] = mesh->first_node + node;
        surface->corner[i][k] = find_place(group, node);
        face.x[face.n++] = mesh->X[node];
    }
    if ((builder->model->dimension == 2) != (face.n == 2))
        return pcs_error(
            builder->ctx, PCS_ERROR_MODEL,
            "mesh '%s': face %d of group '%s' has %d nodes; a surface has faces with %s",
            mesh->name, (int)i, group->name, (int)face.n,
            builder->model->dimension == 2 ? "2 in the plane" : "3 or 4 in space");
    const double size = pcs_face_size(&face), area = pcs_v3_norm(pcs_face_area(&face));
    if (!(area > 1e-10 * (face.n == 2 ? size : size * size)) || !(size > 0))
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "mesh '%s': face %d of group '%s' has no area, so that it has no normal",
                         mesh->name, (int)i, group->name);
    surface->size = fmax(surface->size, size);
    for (int32_t k = 0; k < face.n; ++k)
        surface->volume += pcs_v3_dot(pcs_face_area(&face), face.x[k]) / face.n;
    *box = pcs_face_box(&face);
    return PCS_OK;
}

typedef struct border {
    int32_t low, high; // nodes; a segment has one
    int32_t face, edge;
} border;

static int compare_borders(const void *a, const void *b)
{
    const border *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    if (p->high != q->high)
        return p->high < q->high ? -1 : 1;
    return p->face < q->face ? -1 : p->face > q->face;
}

static int32_t count_corners(const pcs_mesh_surface *surface, int32_t i)
{
    int32_t count = 0;
    while (count < PCS_FACE_NODES_MAX && surface->face[i][count] >= 0)
        ++count;
    return count;
}

// Other ends of the edges of every node. An edge of two faces is there twice, which does no harm.
static pcs_status find_edges(pcs_context *ctx, pcs_mesh_surface *surface)
{
    const int64_t most = 2 * (int64_t)PCS_FACE_NODES_MAX * surface->n_faces;
    int32_t *start = surface->edge_start = PCS_NEW_ARRAY(ctx, int32_t, surface->n_nodes + 1);
    surface->edge_node = PCS_NEW_ARRAY(ctx, int32_t, most);
    if (!start || !surface->edge_node)
        return PCS_ERROR_MEMORY;
    memset(start, 0, sizeof *start * (size_t)(surface->n_nodes + 1));
    for (int32_t i = 0; i < surface->n_faces; ++i) {
        const int32_t count = count_corners(surface, i);
        for (int32_t k = 0; k < count; ++k)
            start[surface->corner[i][k]] += count == 2 ? 1 : 2;
    }
    // Sums behind each node, then filled from behind: start ends up at the first edge.
    for (int32_t i = 0; i < surface->n_nodes; ++i)
        start[i + 1] += start[i];
    for (int32_t i = 0; i < surface->n_faces; ++i) {
        const int32_t count = count_corners(surface, i), *node = surface->face[i];
        for (int32_t k = 0; k < count; ++k) {
            int32_t *place = &start[surface->corner[i][k]];
            surface->edge_node[--*place] = node[(k + 1) % count];
            if (count > 2)
                surface->edge_node[--*place] = node[(k + count - 1) % count];
        }
    }
    return PCS_OK;
}

// Two faces that share an edge; a third one at the same edge has none.
static pcs_status find_neighbours(pcs_context *ctx, pcs_mesh_surface *surface)
{
    border *borders = PCS_NEW_ARRAY(ctx, border, (int64_t)PCS_FACE_NODES_MAX * surface->n_faces);
    if (!borders)
        return PCS_ERROR_MEMORY;
    int32_t n = 0;
    for (int32_t i = 0; i < surface->n_faces; ++i) {
        const int32_t *node = surface->face[i];
        const int32_t count = count_corners(surface, i);
        for (int32_t k = 0; k < PCS_FACE_NODES_MAX; ++k)
            surface->neighbour[i][k] = -1;
        for (int32_t k = 0; k < count; ++k) {
            const int32_t a = node[k], b = count == 2 ? a : node[(k + 1) % count];
            borders[n++] = (border){a < b ? a : b, a < b ? b : a, i, k};
        }
    }
    if (n > 0)
        qsort(borders, (size_t)n, sizeof *borders, compare_borders);
    for (int32_t i = 0; i + 1 < n; ++i) {
        const border *a = &borders[i], *b = &borders[i + 1];
        if (a->low != b->low || a->high != b->high)
            continue;
        surface->neighbour[a->face][a->edge] = b->face;
        surface->neighbour[b->face][b->edge] = a->face;
        ++i;
    }
    surface->closed = surface->volume > 0.0;
    for (int32_t i = 0; i < surface->n_faces; ++i)
        for (int32_t k = 0; k < count_corners(surface, i); ++k)
            surface->closed = surface->closed && surface->neighbour[i][k] >= 0;
    pcs_free(ctx, borders);
    return PCS_OK;
}

static pcs_status build_surface(pcs_builder *builder, const pcs_mesh *mesh,
                                const pcs_mesh_group *group, pcs_mesh_surface *surface)
{
    pcs_context *ctx = builder->ctx;
    surface->n_nodes = group->n_nodes;
    surface->n_faces = group->n_faces;
    surface->node = PCS_NEW_ARRAY(ctx, int32_t, group->n_nodes);
    surface->face = pcs_calloc(ctx, (size_t)group->n_faces, sizeof *surface->face);
    surface->corner = pcs_calloc(ctx, (size_t)group->n_faces, sizeof *surface->corner);
    surface->neighbour = pcs_calloc(ctx, (size_t)group->n_faces, sizeof *surface->neighbour);
    pcs_box *boxes = PCS_NEW_ARRAY(ctx, pcs_box, group->n_faces);
    pcs_status status = surface->node && surface->face && surface->corner && surface->neighbour &&
                                boxes
                            ? PCS_OK
                            : PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < group->n_nodes && status == PCS_OK; ++i)
        surface->node[i] = mesh->first_node + group->nodes[i];
    for (int32_t i = 0; i < group->n_faces && status == PCS_OK; ++i)
        status = take_face(builder, mesh, group, i, surface, &boxes[i]);
    if (status == PCS_OK)
        status = find_neighbours(ctx, surface);
    if (status == PCS_OK)
        status = find_edges(ctx, surface);
    if (status == PCS_OK && group->n_faces > 0)
        status = pcs_bounding_tree_create(ctx, group->n_faces, boxes, &surface->tree);
    pcs_free(ctx, boxes);
    return status;
}

// Number of the surface of a group; it is made when it is first asked for.
static pcs_status find_surface(pcs_builder *builder, int32_t mesh, int32_t group, int32_t *out)
{
    pcs_model *model = builder->model;
    for (*out = 0; *out < model->surfaces.count; ++*out)
        if (model->surfaces.data[*out].mesh == mesh && model->surfaces.data[*out].group == group)
            return PCS_OK;
    pcs_mesh_surface surface = {.mesh = mesh, .group = group};
    const pcs_mesh *m = &model->meshes.data[mesh];
    pcs_status status = build_surface(builder, m, &m->groups[group], &surface);
    if (status == PCS_OK && !PCS_PUSH(builder->ctx, &model->surfaces, surface))
        status = PCS_ERROR_MEMORY;
    if (status < 0)
        pcs_mesh_surface_free(builder->ctx, &surface);
    return status;
}

// ---- Checks ----

static pcs_status check_mesh(pcs_builder *builder, const char *name, pcs_mesh_id mesh)
{
    if (mesh < 0 || mesh >= builder->model->meshes.count)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL, "contact '%s': there is no mesh %d", name,
                         (int)mesh);
    return PCS_OK;
}

static pcs_status check_shape(pcs_builder *builder, const pcs_surface_contact_def *def)
{
    pcs_context *ctx = builder->ctx;
    const int32_t dimension = builder->model->dimension;
    const bool box = def->target == PCS_TARGET_BOX, plane = def->target == PCS_TARGET_PLANE;
    const bool long_shape = def->target == PCS_TARGET_CYLINDER || def->target == PCS_TARGET_CAPSULE;
    if (long_shape && dimension == 2)
        return pcs_error(
            ctx, PCS_ERROR_MODEL,
            "contact '%s': a %s is not a shape of planar models; use a sphere or a box", def->name,
            pcs_target_kind_name(def->target));
    if (!box && !plane && !(isfinite(def->radius) && def->radius > 0))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "contact '%s': radius must be a number > 0, but is %g", def->name,
                         def->radius);
    const double size[3] = {def->size.x, def->size.y, def->size.z};
    for (int i = 0; i < 3; ++i) {
        const bool needed = box ? i < dimension : long_shape && i == 2;
        if (needed && !(isfinite(size[i]) && size[i] > 0))
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "contact '%s': size.%c must be a number > 0, but is %g", def->name,
                             "xyz"[i], size[i]);
    }
    return pcs_builder_check_frame(builder, "contact", def->name, &def->frame);
}

// Law, extent and surface speed as those of a declared contact.
static pcs_status check_def(pcs_builder *builder, const pcs_surface_contact_def *def)
{
    pcs_context *ctx = builder->ctx;
    if (!pcs_target_kind_name(def->target))
        return pcs_error(ctx, PCS_ERROR_MODEL, "contact '%s': unknown target %d", def->name,
                         (int)def->target);
    PCS_TRY(pcs_builder_check_new_name(builder, PCS_NAMED_CONTACT, def->name));
    pcs_contact_def common = pcs_contact_default();
    common.name = def->name;
    common.law = def->law;
    common.extent = def->extent;
    common.surface_speed[0] = def->surface_speed[0];
    common.surface_speed[1] = def->surface_speed[1];
    PCS_TRY(pcs_contact_check(ctx, &common, builder->model->dimension));
    for (int i = 0; i < 2; ++i)
        if (def->target != PCS_TARGET_PLANE &&
            (def->surface_speed[i].formula || def->surface_speed[i].number != 0))
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "contact '%s': only a plane may have a surface speed", def->name);
    if (!(isfinite(def->node_radius) && def->node_radius >= 0))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "contact '%s': node_radius must be a number >= 0, but is %g", def->name,
                         def->node_radius);
    if (!(isfinite(def->reach) && def->reach >= 0))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "contact '%s': reach must be a number >= 0 (0: chosen), but is %g",
                         def->name, def->reach);
    return check_mesh(builder, def->name, def->mesh);
}

// ---- Adding ----

// The group, or "surface", or "all" where a mesh has no faces.
static pcs_status choose_group(pcs_builder *builder, const char *contact, int32_t mesh,
                               const char *name, int32_t *group)
{
    const pcs_mesh *m = &builder->model->meshes.data[mesh];
    if (!name)
        name = pcs_mesh_find_group(m, "surface") >= 0 ? "surface" : "all";
    const pcs_status status = pcs_builder_find_group(builder, m, name, group);
    return status < 0 ? pcs_error_prefix(builder->ctx, status, "contact '%s'", contact) : status;
}

static pcs_status take_nodes(pcs_builder *builder, const pcs_surface_contact_def *def,
                             int32_t group, pcs_surface_contact *contact)
{
    const pcs_mesh *mesh = &builder->model->meshes.data[def->mesh];
    const pcs_mesh_group *nodes = &mesh->groups[group];
    if (nodes->n_nodes == 0)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "contact '%s': group '%s' of mesh '%s' has no nodes", def->name,
                         nodes->name, mesh->name);
    contact->n_nodes = nodes->n_nodes;
    contact->node = PCS_NEW_ARRAY(builder->ctx, int32_t, nodes->n_nodes);
    contact->skin_place = PCS_NEW_ARRAY(builder->ctx, int32_t, nodes->n_nodes);
    if (!contact->node || !contact->skin_place)
        return PCS_ERROR_MEMORY;
    int32_t skin = pcs_mesh_find_group(mesh, "surface");
    if (skin < 0 || mesh->groups[skin].n_faces == 0)
        skin = group;
    contact->skin = -1;
    if (mesh->groups[skin].n_faces > 0)
        PCS_TRY(find_surface(builder, def->mesh, skin, &contact->skin));
    for (int32_t i = 0; i < nodes->n_nodes; ++i) {
        contact->node[i] = mesh->first_node + nodes->nodes[i];
        contact->skin_place[i] = find_place(&mesh->groups[skin], nodes->nodes[i]);
    }
    return PCS_OK;
}

static pcs_status take_shape(pcs_builder *builder, const pcs_surface_contact_def *def,
                             pcs_surface_contact *contact)
{
    PCS_TRY(check_shape(builder, def));
    contact->target = -1;
    contact->frame = pcs_builder_attach(builder, &def->frame);
    contact->shape = (pcs_target_shape){def->target, builder->model->dimension, def->radius,
                                        def->size, def->extent};
    for (int32_t i = 0; i < contact->n_nodes; ++i)
        if (contact->node[i] == contact->frame.node)
            return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                             "contact '%s': its %s sits on a node that touches it; take this node "
                             "out of the group",
                             def->name, pcs_target_kind_name(def->target));
    return PCS_OK;
}

static pcs_status take_faces(pcs_builder *builder, const pcs_surface_contact_def *def,
                             int32_t group, pcs_surface_contact *contact)
{
    PCS_TRY(check_mesh(builder, def->name, def->target_mesh));
    int32_t faces;
    PCS_TRY(choose_group(builder, def->name, def->target_mesh, def->target_group, &faces));
    const pcs_mesh *mesh = &builder->model->meshes.data[def->target_mesh];
    if (def->mesh == def->target_mesh && group == faces)
        return pcs_error(
            builder->ctx, PCS_ERROR_MODEL,
            "contact '%s': group '%s' of mesh '%s' cannot touch itself; name two groups", def->name,
            mesh->groups[faces].name, mesh->name);
    if (mesh->groups[faces].n_faces == 0)
        return pcs_error(
            builder->ctx, PCS_ERROR_MODEL,
            "contact '%s': group '%s' of mesh '%s' has no faces to touch; name one that "
            "has, or exchange the two meshes",
            def->name, mesh->groups[faces].name, mesh->name);
    PCS_TRY(find_surface(builder, def->target_mesh, faces, &contact->target));
    contact->shape.kind = PCS_TARGET_FACES;
    contact->frame.node = -1;
    contact->reach = def->reach > 0 ? def->reach
                                    : 2 * builder->model->surfaces.data[contact->target].size +
                                          def->node_radius;
    return PCS_OK;
}

static pcs_status take_contact(pcs_builder *builder, const pcs_surface_contact_def *def,
                               pcs_surface_contact *contact)
{
    pcs_model *model = builder->model;
    int32_t group;
    PCS_TRY(choose_group(builder, def->name, def->mesh, def->group, &group));
    PCS_TRY(take_nodes(builder, def, group, contact));
    if (def->target == PCS_TARGET_FACES)
        PCS_TRY(take_faces(builder, def, group, contact));
    else
        PCS_TRY(take_shape(builder, def, contact));
    const bool tangential = def->law.friction > 0 || def->law.tangential_restitution > 0;
    contact->mesh = def->mesh;
    contact->node_radius = def->node_radius;
    contact->law = def->law;
    contact->row_size = tangential ? model->dimension : 1;
    for (int i = 0; i < 2; ++i)
        PCS_TRY(pcs_builder_take_value(
            builder, "surface speed of contact", def->name, &def->surface_speed[i], PCS_PLACE_FACES,
            model->surface_contacts.count, i, &contact->surface_number[i]));
    contact->name = pcs_strdup(builder->ctx, def->name);
    return contact->name && PCS_PUSH(builder->ctx, &model->surface_contacts, *contact)
               ? PCS_OK
               : PCS_ERROR_MEMORY;
}

pcs_status pcs_builder_add_surface_contact(pcs_builder *builder, const pcs_surface_contact_def *def)
{
    PCS_TRY(pcs_builder_check_name(builder, "contact", def->name));
    PCS_TRY(check_def(builder, def));
    const pcs_builder_mark mark = pcs_builder_get_mark(builder);
    pcs_surface_contact contact = {0};
    const pcs_status status = take_contact(builder, def, &contact);
    if (status < 0) {
        pcs_builder_release(builder, &mark);
        pcs_surface_contact_free(builder->ctx, &contact);
        return status;
    }
    pcs_builder_keep_name(builder, PCS_NAMED_CONTACT, contact.name,
                          builder->model->surface_contacts.count - 1);
    return status;
}

// ---- Everything against everything ----

static bool is_linked(const pcs_mesh *mesh, pcs_body_id body)
{
    for (int32_t i = 0; i < mesh->n_fixations; ++i)
        if (mesh->fixations[i].linked && mesh->fixations[i].body == body)
            return true;
    return false;
}

static int32_t faces_of(const pcs_mesh *mesh)
{
    const int32_t group = pcs_mesh_find_group(mesh, "surface");
    return group >= 0 ? mesh->groups[group].n_faces : 0;
}

enum { AUTO_NAME_SIZE = 256 };

// One contact of mesh i; its name ends with that of the target.
static pcs_status add_one(pcs_builder *builder, const pcs_auto_contact_def *def, int32_t mesh,
                          const char *target, bool hidden, pcs_surface_contact_def contact)
{
    char name[AUTO_NAME_SIZE];
    const int length = snprintf(name, sizeof name, "%s_%s_%s", def->name,
                                builder->model->meshes.data[mesh].name, target);
    if (length < 0 || length >= (int)sizeof name)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "contact '%s': the names of mesh '%s' and of '%s' are too long", def->name,
                         builder->model->meshes.data[mesh].name, target);
    contact.name = name;
    contact.mesh = mesh;
    contact.law = def->law;
    contact.node_radius = def->node_radius;
    contact.reach = def->reach;
    PCS_TRY(pcs_builder_add_surface_contact(builder, &contact));
    pcs_model *model = builder->model;
    model->surface_contacts.data[model->surface_contacts.count - 1].hidden = hidden;
    return PCS_OK;
}

static pcs_status against_meshes(pcs_builder *builder, const pcs_auto_contact_def *def, int32_t i)
{
    const int32_t count = builder->model->meshes.count;
    for (int32_t k = 0; k < count; ++k) {
        const pcs_mesh *mesh = &builder->model->meshes.data[i];
        const pcs_mesh *other = &builder->model->meshes.data[k];
        if (k == i || faces_of(other) == 0)
            continue;
        const bool more = mesh->n_nodes != other->n_nodes ? mesh->n_nodes > other->n_nodes : i < k;
        if (def->one_pass && faces_of(mesh) > 0 && !more)
            continue;
        pcs_surface_contact_def contact = pcs_surface_contact_default();
        contact.target = PCS_TARGET_FACES;
        contact.target_mesh = k;
        PCS_TRY(add_one(builder, def, i, other->name, true, contact));
    }
    return PCS_OK;
}

static pcs_status against_bodies(pcs_builder *builder, const pcs_auto_contact_def *def, int32_t i)
{
    static const pcs_target_kind kinds[] = {[PCS_SHAPE_SPHERE] = PCS_TARGET_SPHERE,
                                            [PCS_SHAPE_BOX] = PCS_TARGET_BOX,
                                            [PCS_SHAPE_CYLINDER] = PCS_TARGET_CYLINDER,
                                            [PCS_SHAPE_CAPSULE] = PCS_TARGET_CAPSULE};
    const pcs_model *model = builder->model;
    for (int32_t b = 0; b < model->bodies.count; ++b) {
        const pcs_body *body = &model->bodies.data[b];
        for (int32_t k = 0; k < body->n_shapes && !is_linked(&model->meshes.data[i], b); ++k) {
            const pcs_shape_def *shape = &body->shapes[k];
            const bool flat = shape->kind == PCS_SHAPE_SPHERE || shape->kind == PCS_SHAPE_BOX;
            if (shape->kind == PCS_SHAPE_ROD || (model->dimension == 2 && !flat))
                continue; // a rod has no surface
            char target[AUTO_NAME_SIZE];
            snprintf(target, sizeof target, k == 0 ? "%s" : "%s_%d", body->name, (int)k + 1);
            pcs_surface_contact_def contact = pcs_surface_contact_default();
            contact.target = kinds[shape->kind];
            contact.frame = (pcs_frame){b, shape->position, shape->rotation, 0};
            contact.radius = shape->size.x;
            contact.size = shape->size;
            PCS_TRY(add_one(builder, def, i, target, true, contact));
        }
    }
    return PCS_OK;
}

static pcs_status against_all(pcs_builder *builder, const pcs_auto_contact_def *def, int32_t i)
{
    PCS_TRY(against_meshes(builder, def, i));
    if (!def->without_bodies)
        PCS_TRY(against_bodies(builder, def, i));
    for (int32_t k = 0; k < def->n_planes; ++k) {
        char target[AUTO_NAME_SIZE];
        snprintf(target, sizeof target, "plane%d", (int)k + 1);
        pcs_surface_contact_def contact = pcs_surface_contact_default();
        contact.target = PCS_TARGET_PLANE;
        contact.frame = def->planes[k];
        PCS_TRY(add_one(builder, def, i, target, i > 0, contact));
    }
    return PCS_OK;
}

pcs_status pcs_builder_add_all_surface_contacts(pcs_builder *builder,
                                                const pcs_auto_contact_def *def)
{
    PCS_TRY(pcs_builder_check_name(builder, "contact", def->name));
    pcs_model *model = builder->model;
    if (model->meshes.count == 0)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "contact '%s': all-surfaces joins the surfaces of meshes, and the model "
                         "has none yet; of "
                         "rigid bodies declare the pairs that may touch",
                         def->name);
    const int32_t before = model->surface_contacts.count;
    const int32_t names = builder->names.entries.count;
    pcs_status status = PCS_OK;
    for (int32_t i = 0; i < model->meshes.count && status == PCS_OK; ++i)
        status = against_all(builder, def, i);
    if (status < 0)
        pcs_name_map_shorten(&builder->names, names);
    while (status < 0 && model->surface_contacts.count > before)
        pcs_surface_contact_free(builder->ctx,
                                 &model->surface_contacts.data[--model->surface_contacts.count]);
    return status;
}

// ---- Finishing ----

pcs_status pcs_builder_number_surface_slots(pcs_builder *builder)
{
    pcs_model *model = builder->model;
    for (int32_t k = 0; k < model->surface_contacts.count; ++k) {
        pcs_surface_contact *contact = &model->surface_contacts.data[k];
        const int32_t first = model->meshes.data[contact->mesh].first_node;
        contact->first_slot = model->n_slots;
        model->n_slots += contact->n_nodes;
        for (int32_t i = 0; i < contact->n_nodes; ++i)
            if (!pcs_builder_push_name(builder->ctx, &model->slot_names, "%s.%d", contact->name,
                                       (int)(contact->node[i] - first)))
                return PCS_ERROR_MEMORY;
    }
    model->surface_work = 0;
    for (int32_t k = 0; k < model->surfaces.count; ++k) {
        model->surfaces.data[k].work = model->surface_work;
        model->surface_work += pcs_mesh_surface_work(&model->surfaces.data[k]);
    }
    return PCS_OK;
}
