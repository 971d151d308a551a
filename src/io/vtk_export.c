// Results as ParaView files: a collection (.pvd) for bodies, contacts, lines and meshes, each with
// one .vtp (meshes: .vtu) for each frame (docs/vtk-files.md; docs/decisions/2026-11-16-vtk-files.md
// says why these).
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "geometry/tessellate.h"
#include "io/file_error.h"
#include "io/result_file.h"
#include "io/vtk_grid.h"
#include "io/vtk_impulses.h"
#include "io/vtk_mesh.h"
#include "math/rotation.h"

enum { PART_BODIES, PART_CONTACTS, PART_LINES, PART_MESHES, PART_COUNT };
static const char *const part_names[PART_COUNT] = {"bodies", "contacts", "lines", "meshes"};

// What one frame needs of the result.
static const pcs_quantity frame_quantities[] = {
    PCS_QUANTITY_BODY_POSITION,    PCS_QUANTITY_BODY_ROTATION,         PCS_QUANTITY_BODY_ANGLE,
    PCS_QUANTITY_BODY_VELOCITY,    PCS_QUANTITY_BODY_ANGULAR_VELOCITY, PCS_QUANTITY_JOINT_FORCE,
    PCS_QUANTITY_JOINT_TORQUE,     PCS_QUANTITY_CONTACT_GAP,           PCS_QUANTITY_CONTACT_FORCE,
    PCS_QUANTITY_CONTACT_STATE,    PCS_QUANTITY_CONTACT_POINT,         PCS_QUANTITY_CONTACT_NORMAL,
    PCS_QUANTITY_CONTACT_TANGENT1, PCS_QUANTITY_NODE_POSITION,         PCS_QUANTITY_NODE_VELOCITY,
    PCS_QUANTITY_FRAME_ROTATION,   PCS_QUANTITY_FRAME_ANGLE,           PCS_QUANTITY_RESULT_VALUE};
enum { FRAME_QUANTITIES = sizeof frame_quantities / sizeof *frame_quantities };

typedef struct exporter {
    pcs_context *ctx;
    pcs_result *result;
    const char *folder;
    const pcs_vtk_opts *opts;
    char *path; // scratch for names of files
    size_t path_size;
    double *times;   // of all frames
    int64_t *frames; // the chosen ones
    int64_t n_frames;
    double *values[PCS_QUANTITY_COUNT]; // of one frame; zeros where the file has none
    pcs_quat *rotation, *node_rotation;
    pcs_vtk_mesh meshes[PART_COUNT]; // contacts and meshes have none
    bool present[PART_COUNT];
    pcs_vtk_impulses impulses;
    pcs_vtk_text text;
    void *scratch; // for arrays: enough for three doubles in each cell, point or contact
} exporter;

pcs_vtk_opts pcs_vtk_default(void)
{
    return (pcs_vtk_opts){.from = -HUGE_VAL, .to = HUGE_VAL, .every = 1, .segments = 24};
}

static int32_t count_of(const exporter *e, pcs_owner owner)
{
    return e->result->objects[owner];
}

// ---- Choosing and reading frames ----

static pcs_status read_frames(exporter *e, pcs_quantity quantity, int64_t first, int64_t count,
                              double *values)
{
    return pcs_result_read(e->result, pcs_quantity_table[quantity].dataset,
                           (pcs_frame_range){first, count, 1}, values);
}

static pcs_status choose_frames(exporter *e)
{
    const int64_t all = pcs_result_frames(e->result);
    int64_t inside = 0;
    e->times = PCS_NEW_ARRAY(e->ctx, double, all);
    e->frames = PCS_NEW_ARRAY(e->ctx, int64_t, all);
    if (!e->times || !e->frames)
        return PCS_ERROR_MEMORY;
    PCS_TRY(read_frames(e, PCS_QUANTITY_TIME, 0, all, e->times));
    for (int64_t i = 0; i < all; i++) {
        bool in = e->times[i] >= e->opts->from && e->times[i] <= e->opts->to;
        if (in && inside++ % e->opts->every == 0)
            e->frames[e->n_frames++] = i;
    }
    if (e->n_frames == 0 && all == 0)
        return pcs_error(e->ctx, PCS_ERROR_INPUT, "%s: the result has no frames", e->result->path);
    if (e->n_frames == 0)
        return pcs_error(e->ctx, PCS_ERROR_ARGUMENT,
                         "%s: no frame from %g s to %g s; the result runs from %g s to %g s",
                         e->result->path, e->opts->from, e->opts->to, e->times[0],
                         e->times[all - 1]);
    return PCS_OK;
}

static pcs_status allocate_values(exporter *e)
{
    for (int k = 0; k < FRAME_QUANTITIES; k++) {
        const pcs_quantity_row *row = &pcs_quantity_table[frame_quantities[k]];
        double *values = PCS_NEW_ARRAY(e->ctx, double,
                                       (int64_t)count_of(e, row->owner) * row->width);
        if (!values)
            return PCS_ERROR_MEMORY;
        e->values[frame_quantities[k]] = values;
    }
    e->rotation = PCS_NEW_ARRAY(e->ctx, pcs_quat, count_of(e, PCS_OWNER_BODY));
    e->node_rotation = PCS_NEW_ARRAY(e->ctx, pcs_quat, count_of(e, PCS_OWNER_NODE));
    return e->rotation && e->node_rotation ? PCS_OK : PCS_ERROR_MEMORY;
}

// Nodes that are points do not turn.
static void turn_nodes(exporter *e)
{
    for (int32_t k = 0; k < e->result->meshes.count; k++) {
        const pcs_stored_mesh *mesh = &e->result->meshes.items[k];
        for (int32_t i = 0; i < mesh->n_nodes; i++) {
            pcs_quat *to = &e->node_rotation[mesh->first_node + i];
            const int32_t frame = mesh->first_frame + i;
            *to = pcs_quat_identity();
            if (mesh->first_frame < 0)
                continue;
            const double *r = e->values[PCS_QUANTITY_FRAME_ROTATION] + 4 * frame;
            const double half = 0.5 * e->values[PCS_QUANTITY_FRAME_ANGLE][frame];
            *to = pcs_result_dimension(e->result) == 2
                      ? (pcs_quat){cos(half), 0, 0, sin(half)}
                      : pcs_quat_normalize((pcs_quat){r[0], r[1], r[2], r[3]});
        }
    }
}

static pcs_status read_frame(exporter *e, int64_t frame)
{
    for (int k = 0; k < FRAME_QUANTITIES; k++) {
        pcs_quantity quantity = frame_quantities[k];
        if (e->result->dataset[quantity] >= 0)
            PCS_TRY(read_frames(e, quantity, frame, 1, e->values[quantity]));
    }
    for (int32_t i = 0; i < count_of(e, PCS_OWNER_BODY); i++) {
        const double *r = e->values[PCS_QUANTITY_BODY_ROTATION] + 4 * i;
        double half = 0.5 * e->values[PCS_QUANTITY_BODY_ANGLE][i];
        e->rotation[i] = pcs_result_dimension(e->result) == 2
                             ? (pcs_quat){cos(half), 0, 0, sin(half)}
                             : pcs_quat_normalize((pcs_quat){r[0], r[1], r[2], r[3]});
    }
    turn_nodes(e);
    return PCS_OK;
}

// ---- Extent ----

static void take_in(pcs_vtk_extent *extent, pcs_vec3 p, double radius)
{
    if (!pcs_v3_is_finite(p))
        return;
    extent->lo = pcs_v3(fmin(extent->lo.x, p.x - radius), fmin(extent->lo.y, p.y - radius),
                        fmin(extent->lo.z, p.z - radius));
    extent->hi = pcs_v3(fmax(extent->hi.x, p.x + radius), fmax(extent->hi.y, p.y + radius),
                        fmax(extent->hi.z, p.z + radius));
}

static double radius_around(const pcs_drawing *d)
{
    switch (d->kind) {
    case PCS_DRAWING_SPHERE:
    case PCS_DRAWING_HOLE:
        return d->size.x;
    case PCS_DRAWING_BOX:
        return pcs_v3_norm(d->size) / 2;
    case PCS_DRAWING_CYLINDER:
        return hypot(d->size.x, d->size.z / 2);
    case PCS_DRAWING_CAPSULE:
        return d->size.x + d->size.z / 2;
    case PCS_DRAWING_ROD:
        return d->size.z / 2;
    default:
        return 0;
    }
}

// How far the drawings of bodies reach from the origins of their bodies.
static double find_reach(const exporter *e)
{
    double reach = 0;
    for (int32_t i = 0; i < pcs_result_drawing_count(e->result); i++) {
        const pcs_drawing *d = pcs_result_drawing(e->result, i);
        double far = pcs_v3_norm(d->a.position) + radius_around(d);
        if (d->a.body >= 0 && isfinite(far))
            reach = fmax(reach, far);
    }
    return reach;
}

// A few frames tell where the meshes go.
static pcs_status take_in_meshes(exporter *e, pcs_vtk_extent *extent)
{
    enum { SAMPLES = 50 };
    const double *position = e->values[PCS_QUANTITY_NODE_POSITION];
    const int64_t step = 1 + e->n_frames / SAMPLES;
    bool stored = e->result->dataset[PCS_QUANTITY_NODE_POSITION] >= 0;
    for (int64_t k = 0; stored && k < e->n_frames; k += step) {
        PCS_TRY(read_frames(e, PCS_QUANTITY_NODE_POSITION, e->frames[k], 1,
                            e->values[PCS_QUANTITY_NODE_POSITION]));
        for (int32_t i = 0; i < count_of(e, PCS_OWNER_NODE); i++)
            take_in(extent, pcs_v3_load(position + 3 * i), 0);
    }
    return PCS_OK;
}

static pcs_status find_extent(exporter *e, pcs_vtk_extent *extent)
{
    const double *position = e->values[PCS_QUANTITY_BODY_POSITION];
    const double reach = find_reach(e);
    *extent = (pcs_vtk_extent){.lo = {HUGE_VAL, HUGE_VAL, HUGE_VAL},
                               .hi = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    bool stored = e->result->dataset[PCS_QUANTITY_BODY_POSITION] >= 0;
    for (int64_t k = 0; stored && k < e->n_frames; k++) {
        PCS_TRY(read_frames(e, PCS_QUANTITY_BODY_POSITION, e->frames[k], 1,
                            e->values[PCS_QUANTITY_BODY_POSITION]));
        for (int32_t i = 0; i < count_of(e, PCS_OWNER_BODY); i++)
            take_in(extent, pcs_v3_load(position + 3 * i), reach);
    }
    PCS_TRY(take_in_meshes(e, extent));
    for (int32_t i = 0; i < pcs_result_drawing_count(e->result); i++) {
        const pcs_frame *a = &pcs_result_drawing(e->result, i)->a;
        if (a->body == PCS_GROUND && a->node == 0)
            take_in(extent, a->position, 0);
    }
    if (!(extent->lo.x <= extent->hi.x))
        *extent = (pcs_vtk_extent){.lo = {-1, -1, -1}, .hi = {1, 1, 1}};
    extent->size = pcs_v3_norm(pcs_v3_sub(extent->hi, extent->lo));
    if (!(extent->size > 0))
        extent->size = 1;
    extent->reach = reach;
    return PCS_OK;
}

// ---- Files ----

static pcs_status make_folder(exporter *e, const char *path)
{
    struct stat info;
    char words[128];
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return PCS_OK;
    return pcs_error(e->ctx, PCS_ERROR_IO, "%s: cannot make the folder: %s", path,
                     errno == EEXIST ? "a file has this name; choose another"
                                     : pcs_file_error_text(errno, words, sizeof words));
}

static void file_name(char *name, size_t size, int part, int64_t frame)
{
    snprintf(name, size, "frames/%s_%08lld.%s", part_names[part], (long long)frame,
             part == PART_MESHES ? "vtu" : "vtp");
}

static const char *name_in_folder(exporter *e, const char *name)
{
    snprintf(e->path, e->path_size, "%s/%s", e->folder, name);
    return e->path;
}

static const char *object_name(const void *user, int32_t i, pcs_owner owner)
{
    const exporter *e = user;
    return pcs_result_object_name(e->result, owner, i);
}

static const char *body_name(const void *user, int32_t i)
{
    return object_name(user, i, PCS_OWNER_BODY);
}

static const char *joint_name(const void *user, int32_t i)
{
    return object_name(user, i, PCS_OWNER_JOINT);
}

static const char *contact_name(const void *user, int32_t i)
{
    return object_name(user, i, PCS_OWNER_CONTACT);
}

static void begin_file(exporter *e, int64_t frame, int part)
{
    pcs_vtk_begin(&e->text, "PolyData");
    pcs_vtk_print(&e->text, "<PolyData>\n<FieldData>\n"
                            "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                            "format=\"ascii\">");
    pcs_vtk_number(&e->text, e->times[frame]);
    pcs_vtk_print(&e->text, "</DataArray>\n");
    if (part == PART_CONTACTS)
        pcs_vtk_strings(&e->text, "contact_names", count_of(e, PCS_OWNER_CONTACT), contact_name, e);
    else
        pcs_vtk_strings(&e->text, "body_names", count_of(e, PCS_OWNER_BODY), body_name, e);
    if (part == PART_LINES)
        pcs_vtk_strings(&e->text, "joint_names", count_of(e, PCS_OWNER_JOINT), joint_name, e);
    pcs_vtk_print(&e->text, "</FieldData>\n");
}

static pcs_status end_file(exporter *e, int64_t frame, int part)
{
    char name[64];
    pcs_vtk_print(&e->text, "</Piece>\n</PolyData>\n");
    pcs_vtk_end(&e->text);
    file_name(name, sizeof name, part, frame);
    return pcs_vtk_write(&e->text, name_in_folder(e, name), true);
}

// ---- Bodies and lines ----

static void put_cells(exporter *e, const char *name, const pcs_vtk_cells *cells)
{
    pcs_vtk_print(&e->text, "<%s>\n", name);
    pcs_vtk_array(&e->text, PCS_VTK_INT32, "connectivity", 1, (size_t)cells->points.count,
                  cells->points.data);
    pcs_vtk_array(&e->text, PCS_VTK_INT32, "offsets", 1, (size_t)cells->ends.count,
                  cells->ends.data);
    pcs_vtk_print(&e->text, "</%s>\n", name);
}

// Vectors of the objects that the cells belong to; zero where `index` says -1.
static void put_vectors(exporter *e, const pcs_vtk_mesh *mesh, const char *name,
                        const double *vectors, int32_t (*index)(const pcs_vtk_source *source))
{
    float *out = e->scratch;
    int32_t count = pcs_vtk_mesh_cell_count(mesh);
    for (int32_t c = 0; c < count; c++) {
        int32_t i = index(pcs_vtk_mesh_source(mesh, c));
        for (int k = 0; k < 3; k++)
            out[3 * c + k] = i >= 0 ? (float)vectors[3 * i + k] : 0.0f;
    }
    pcs_vtk_array(&e->text, PCS_VTK_FLOAT32, name, 3, 3 * (size_t)count, out);
}

static int32_t body_of(const pcs_vtk_source *source)
{
    return source->body;
}

static int32_t joint_of(const pcs_vtk_source *source)
{
    return source->owner == PCS_DRAWING_OF_JOINT ? source->object : -1;
}

static void put_sources(exporter *e, const pcs_vtk_mesh *mesh)
{
    const int32_t count = pcs_vtk_mesh_cell_count(mesh);
    int32_t *numbers = e->scratch;
    uint8_t *bytes = e->scratch;
    for (int32_t c = 0; c < count; c++)
        numbers[c] = pcs_vtk_mesh_source(mesh, c)->body;
    pcs_vtk_array(&e->text, PCS_VTK_INT32, "body", 1, (size_t)count, numbers);
    for (int32_t c = 0; c < count; c++)
        numbers[c] = pcs_vtk_mesh_source(mesh, c)->object;
    pcs_vtk_array(&e->text, PCS_VTK_INT32, "object", 1, (size_t)count, numbers);
    for (int32_t c = 0; c < count; c++)
        bytes[c] = pcs_vtk_mesh_source(mesh, c)->owner;
    pcs_vtk_array(&e->text, PCS_VTK_UINT8, "owner", 1, (size_t)count, bytes);
    for (int32_t c = 0; c < count; c++)
        bytes[c] = pcs_vtk_mesh_source(mesh, c)->kind;
    pcs_vtk_array(&e->text, PCS_VTK_UINT8, "kind", 1, (size_t)count, bytes);
}

static pcs_status write_mesh(exporter *e, int64_t frame, int part)
{
    const pcs_vtk_mesh *mesh = &e->meshes[part];
    const pcs_vtk_frame poses = {.n_bodies = count_of(e, PCS_OWNER_BODY),
                                 .position = e->values[PCS_QUANTITY_BODY_POSITION],
                                 .rotation = e->rotation,
                                 .node_position = e->values[PCS_QUANTITY_NODE_POSITION],
                                 .node_rotation = e->node_rotation};
    begin_file(e, frame, part);
    pcs_vtk_print(&e->text,
                  "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"%d\" "
                  "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n<CellData>\n",
                  (int)mesh->points.count, (int)mesh->cells[PCS_VTK_VERTICES].ends.count,
                  (int)mesh->cells[PCS_VTK_LINES].ends.count,
                  (int)mesh->cells[PCS_VTK_POLYGONS].ends.count);
    put_sources(e, mesh);
    if (part == PART_BODIES) {
        put_vectors(e, mesh, "velocity", e->values[PCS_QUANTITY_BODY_VELOCITY], body_of);
        put_vectors(e, mesh, "angular_velocity", e->values[PCS_QUANTITY_BODY_ANGULAR_VELOCITY],
                    body_of);
    } else {
        put_vectors(e, mesh, "force", e->values[PCS_QUANTITY_JOINT_FORCE], joint_of);
        put_vectors(e, mesh, "torque", e->values[PCS_QUANTITY_JOINT_TORQUE], joint_of);
    }
    pcs_vtk_print(&e->text, "</CellData>\n<Points>\n");
    pcs_vtk_mesh_place(mesh, &poses, e->scratch);
    pcs_vtk_array(&e->text, PCS_VTK_FLOAT32, "Points", 3, 3 * (size_t)mesh->points.count,
                  e->scratch);
    pcs_vtk_print(&e->text, "</Points>\n");
    put_cells(e, "Verts", &mesh->cells[PCS_VTK_VERTICES]);
    put_cells(e, "Lines", &mesh->cells[PCS_VTK_LINES]);
    put_cells(e, "Polys", &mesh->cells[PCS_VTK_POLYGONS]);
    return end_file(e, frame, part);
}

// ---- Contacts ----

// A limit of a joint is a contact without a place, as is a contact that has not been evaluated.
static bool has_place(const exporter *e, int32_t slot)
{
    pcs_vec3 point = pcs_v3_load(e->values[PCS_QUANTITY_CONTACT_POINT] + 3 * slot);
    pcs_vec3 normal = pcs_v3_load(e->values[PCS_QUANTITY_CONTACT_NORMAL] + 3 * slot);
    return pcs_v3_is_finite(point) && pcs_v3_norm(normal) > 0.5;
}

// The mean force since the stored frame before, of components along the axes of the contacts.
static void put_forces(exporter *e, const int32_t *slots, int32_t count)
{
    const double *normal = e->values[PCS_QUANTITY_CONTACT_NORMAL];
    const double *tangent = e->values[PCS_QUANTITY_CONTACT_TANGENT1];
    const double *force = e->values[PCS_QUANTITY_CONTACT_FORCE];
    double *out = e->scratch;
    for (int32_t i = 0; i < count; i++) {
        const int32_t k = 3 * slots[i];
        pcs_v3_store(out + 3 * i, pcs_vtk_contact_vector(normal + k, tangent + k, force + k));
    }
    pcs_vtk_array(&e->text, PCS_VTK_FLOAT64, "force", 3, 3 * (size_t)count, out);
}

static void put_contact_vectors(exporter *e, const char *name, const int32_t *slots, int32_t count,
                                const double *vectors)
{
    double *out = e->scratch;
    for (int32_t i = 0; i < count; i++)
        pcs_v3_store(out + 3 * i, pcs_v3_load(vectors + 3 * slots[i]));
    pcs_vtk_array(&e->text, PCS_VTK_FLOAT64, name, 3, 3 * (size_t)count, out);
}

static void put_impulses(exporter *e, const int32_t *slots, int32_t count)
{
    int32_t *numbers = e->scratch;
    put_contact_vectors(e, "impulse", slots, count, e->impulses.all);
    put_contact_vectors(e, "impact", slots, count, e->impulses.impact);
    for (int32_t i = 0; i < count; i++)
        numbers[i] = e->impulses.impacts[slots[i]];
    pcs_vtk_array(&e->text, PCS_VTK_INT32, "impacts", 1, (size_t)count, numbers);
}

static void put_contact_data(exporter *e, const int32_t *slots, int32_t count)
{
    double *reals = e->scratch;
    uint8_t *bytes = e->scratch;
    pcs_vtk_array(&e->text, PCS_VTK_INT32, "slot", 1, (size_t)count, slots);
    for (int32_t i = 0; i < count; i++)
        reals[i] = e->values[PCS_QUANTITY_CONTACT_GAP][slots[i]];
    pcs_vtk_array(&e->text, PCS_VTK_FLOAT64, "gap", 1, (size_t)count, reals);
    for (int32_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)e->values[PCS_QUANTITY_CONTACT_STATE][slots[i]];
    pcs_vtk_array(&e->text, PCS_VTK_UINT8, "state", 1, (size_t)count, bytes);
    put_forces(e, slots, count);
    put_contact_vectors(e, "normal", slots, count, e->values[PCS_QUANTITY_CONTACT_NORMAL]);
    if (e->impulses.stored)
        put_impulses(e, slots, count);
}

static pcs_status write_contacts(exporter *e, int64_t frame)
{
    const int32_t all = count_of(e, PCS_OWNER_CONTACT);
    int32_t *slots = PCS_NEW_ARRAY(e->ctx, int32_t, all), count = 0, *numbers = e->scratch;
    if (!slots)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < all; i++)
        if (has_place(e, i))
            slots[count++] = i;
    begin_file(e, frame, PART_CONTACTS);
    pcs_vtk_print(&e->text,
                  "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"0\" "
                  "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<PointData>\n",
                  (int)count, (int)count);
    put_contact_data(e, slots, count);
    pcs_vtk_print(&e->text, "</PointData>\n<Points>\n");
    put_contact_vectors(e, "Points", slots, count, e->values[PCS_QUANTITY_CONTACT_POINT]);
    pcs_vtk_print(&e->text, "</Points>\n<Verts>\n");
    for (int32_t i = 0; i < count; i++)
        numbers[i] = i;
    pcs_vtk_array(&e->text, PCS_VTK_INT32, "connectivity", 1, (size_t)count, numbers);
    for (int32_t i = 0; i < count; i++)
        numbers[i] = i + 1;
    pcs_vtk_array(&e->text, PCS_VTK_INT32, "offsets", 1, (size_t)count, numbers);
    pcs_vtk_print(&e->text, "</Verts>\n");
    pcs_free(e->ctx, slots);
    return end_file(e, frame, PART_CONTACTS);
}

// ---- Deformed meshes ----

static pcs_status write_grid(exporter *e, int64_t frame)
{
    const bool has_results = e->result->dataset[PCS_QUANTITY_RESULT_VALUE] >= 0;
    const pcs_vtk_grid_frame state = {.time = e->times[frame],
                                      .position = e->values[PCS_QUANTITY_NODE_POSITION],
                                      .velocity = e->values[PCS_QUANTITY_NODE_VELOCITY],
                                      .result = has_results ? e->values[PCS_QUANTITY_RESULT_VALUE]
                                                            : NULL};
    char name[64];
    pcs_vtk_grid_print(&e->text, e->result, &state, e->scratch);
    file_name(name, sizeof name, PART_MESHES, frame);
    return pcs_vtk_write(&e->text, name_in_folder(e, name), true);
}

// ---- Collections ----

static pcs_status remove_collections(exporter *e)
{
    // An old collection must not show a mixture of two runs if this one is interrupted.
    for (int part = 0; part < PART_COUNT; part++) {
        char name[32], words[128];
        snprintf(name, sizeof name, "%s.pvd", part_names[part]);
        if (unlink(name_in_folder(e, name)) != 0 && errno != ENOENT)
            return pcs_error(e->ctx, PCS_ERROR_IO, "%s: cannot replace: %s", e->path,
                             pcs_file_error_text(errno, words, sizeof words));
    }
    return PCS_OK;
}

static pcs_status write_collection(exporter *e, int part)
{
    char name[64];
    pcs_vtk_begin(&e->text, "Collection");
    pcs_vtk_print(&e->text, "<Collection>\n");
    for (int64_t k = 0; k < e->n_frames; k++) {
        file_name(name, sizeof name, part, e->frames[k]);
        pcs_vtk_print(&e->text, "<DataSet timestep=\"");
        pcs_vtk_number(&e->text, e->times[e->frames[k]]);
        pcs_vtk_print(&e->text, "\" part=\"0\" file=\"%s\"/>\n", name);
    }
    pcs_vtk_print(&e->text, "</Collection>\n");
    pcs_vtk_end(&e->text);
    snprintf(name, sizeof name, "%s.pvd", part_names[part]);
    return pcs_vtk_write(&e->text, name_in_folder(e, name), false);
}

// ---- The export ----

static pcs_status prepare(exporter *e)
{
    pcs_vtk_mesh_def def = {.dimension = pcs_result_dimension(e->result),
                            .n_bodies = count_of(e, PCS_OWNER_BODY),
                            .segments = e->opts->segments};
    PCS_TRY(choose_frames(e));
    PCS_TRY(allocate_values(e));
    PCS_TRY(pcs_vtk_impulses_create(e->ctx, e->result, e->times, e->frames[0], &e->impulses));
    PCS_TRY(find_extent(e, &def.extent));
    PCS_TRY(pcs_vtk_mesh_bodies(e->ctx, e->result, &def, &e->meshes[PART_BODIES]));
    PCS_TRY(pcs_vtk_mesh_lines(e->ctx, e->result, &def, &e->meshes[PART_LINES]));
    size_t most = (size_t)count_of(e, PCS_OWNER_CONTACT) + 1;
    for (int part = 0; part < PART_COUNT; part++) {
        const pcs_vtk_mesh *mesh = &e->meshes[part];
        size_t cells = (size_t)pcs_vtk_mesh_cell_count(mesh);
        most = cells > most ? cells : most;
        most = (size_t)mesh->points.count > most ? (size_t)mesh->points.count : most;
        e->present[part] = cells > 0;
    }
    e->present[PART_CONTACTS] = count_of(e, PCS_OWNER_CONTACT) > 0;
    e->present[PART_MESHES] = e->result->dataset[PCS_QUANTITY_NODE_POSITION] >= 0;
    const size_t grid = pcs_vtk_grid_scratch(e->result) / (3 * sizeof(double)) + 1;
    e->scratch = pcs_calloc(e->ctx, grid > most ? grid : most, 3 * sizeof(double));
    return e->scratch ? PCS_OK : PCS_ERROR_MEMORY;
}

static pcs_status write_frame(exporter *e, int64_t frame)
{
    PCS_TRY(read_frame(e, frame));
    PCS_TRY(pcs_vtk_impulses_gather(&e->impulses, frame));
    if (e->present[PART_BODIES])
        PCS_TRY(write_mesh(e, frame, PART_BODIES));
    if (e->present[PART_CONTACTS])
        PCS_TRY(write_contacts(e, frame));
    if (e->present[PART_LINES])
        PCS_TRY(write_mesh(e, frame, PART_LINES));
    return e->present[PART_MESHES] ? write_grid(e, frame) : PCS_OK;
}

static pcs_status write_all(exporter *e)
{
    PCS_TRY(prepare(e));
    PCS_TRY(make_folder(e, e->folder));
    PCS_TRY(make_folder(e, name_in_folder(e, "frames")));
    PCS_TRY(remove_collections(e));
    for (int64_t k = 0; k < e->n_frames; k++) {
        PCS_TRY(write_frame(e, e->frames[k]));
        if (e->opts->progress && !e->opts->progress(e->opts->progress_user, k + 1, e->n_frames) &&
            k + 1 < e->n_frames)
            return PCS_INTERRUPTED;
    }
    for (int part = 0; part < PART_COUNT; part++)
        if (e->present[part])
            PCS_TRY(write_collection(e, part));
    return PCS_OK;
}

static pcs_status check_opts(pcs_context *ctx, const pcs_vtk_opts *opts)
{
    if (!(opts->from <= opts->to))
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "from %g s must not be after to %g s", opts->from,
                         opts->to);
    if (opts->every < 1)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "every must be at least 1, but is %d",
                         (int)opts->every);
    if (opts->segments < PCS_TESSELLATE_SEGMENTS_LEAST ||
        opts->segments > PCS_TESSELLATE_SEGMENTS_MOST)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "segments must be from %d to %d, but are %d",
                         (int)PCS_TESSELLATE_SEGMENTS_LEAST, (int)PCS_TESSELLATE_SEGMENTS_MOST,
                         (int)opts->segments);
    return PCS_OK;
}

pcs_status pcs_export_vtk(pcs_context *ctx, pcs_result *result, const char *folder,
                          const pcs_vtk_opts *opts)
{
    const pcs_vtk_opts usual = pcs_vtk_default();
    exporter e = {.ctx = ctx, .result = result, .folder = folder, .opts = opts ? opts : &usual};
    PCS_TRY(check_opts(ctx, e.opts));
    pcs_vtk_init(&e.text, ctx);
    e.path_size = strlen(folder) + 80;
    e.path = pcs_calloc(ctx, e.path_size, 1);
    pcs_status status = e.path ? write_all(&e) : PCS_ERROR_MEMORY;
    pcs_vtk_free(&e.text);
    pcs_vtk_impulses_free(&e.impulses);
    pcs_free(ctx, e.scratch);
    for (int part = 0; part < PART_COUNT; part++)
        pcs_vtk_mesh_free(ctx, &e.meshes[part]);
    pcs_free(ctx, e.rotation);
    pcs_free(ctx, e.node_rotation);
    for (int k = 0; k < FRAME_QUANTITIES; k++)
        pcs_free(ctx, e.values[frame_quantities[k]]);
    pcs_free(ctx, e.frames);
    pcs_free(ctx, e.times);
    pcs_free(ctx, e.path);
    return status;
}
