// Gmsh files: one mesh written as 2.2 and 4.1, as text and binary of both byte orders, is read to
// the same mesh; groups, sparse tags, twins, unused nodes; every kind of damage gets a message with
// its place, and every truncation is refused without leaving memory behind.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/gmsh_file.h"
#include "math/vector.h"
#include "support/near.h"

// ---- The mesh: two hexahedra along x; a node that nothing uses ----

enum { N_NODES = 13, N_ENTITIES = 6 };

static int64_t node_tag(int i)
{
    return 1000 - 37 * (int64_t)i; // sparse and descending
}

static pcs_vec3 node_place(int i)
{
    if (i == 12)
        return (pcs_vec3){9, 9, 9};
    return (pcs_vec3){0.731 * (i % 3), 1.13 * (i / 3 % 2), 0.57 * (i / 6)};
}

// An entity of the geometry with its elements and physical groups.
typedef struct entity {
    int dimension, tag, type, n_nodes, n_elements;
    int nodes[2][8];
    int n_physicals, physicals[2];
} entity;

static const entity entities[N_ENTITIES] = {
    {0, 4, 15, 1, 1, {{11}}, 1, {3}},
    {1, 8, 1, 2, 2, {{0, 1}, {1, 2}}, 1, {5}},
    {2, 2, 3, 4, 1, {{0, 3, 9, 6}}, 1, {2}},                 // x_min, outward by chance
    {2, 3, 3, 4, 1, {{2, 5, 11, 8}}, 1, {-6}},               // x_max, reversed
    {3, 1, 5, 8, 1, {{0, 1, 4, 3, 6, 7, 10, 9}}, 2, {1, 9}}, // in two groups
    {3, 7, 5, 8, 1, {{1, 2, 5, 4, 7, 8, 11, 10}}, 1, {1}},
};

// ---- Writing it ----

typedef struct writer {
    FILE *file;
    bool binary, swapped;
} writer;

static void put_bytes(const writer *w, const void *value, size_t n)
{
    unsigned char bytes[8];
    memcpy(bytes, value, n);
    for (size_t i = 0; i < n; i++)
        fputc(bytes[w->swapped ? n - 1 - i : i], w->file);
}

static void put_int(const writer *w, int value)
{
    const int32_t number = value;
    if (w->binary)
        put_bytes(w, &number, 4);
    else
        fprintf(w->file, "%d ", value);
}

static void put_size(const writer *w, int64_t value)
{
    const uint64_t number = (uint64_t)value;
    if (w->binary)
        put_bytes(w, &number, 8);
    else
        fprintf(w->file, "%lld ", (long long)value);
}

static void put_real(const writer *w, double value)
{
    if (w->binary)
        put_bytes(w, &value, 8);
    else
        fprintf(w->file, "%.17g ", value);
}

static void put_point(const writer *w, int i)
{
    pcs_vec3 x = node_place(i);
    put_real(w, x.x);
    put_real(w, x.y);
    put_real(w, x.z);
}

static void put_line(const writer *w)
{
    if (!w->binary)
        fputc('\n', w->file);
}

static void write_head(const writer *w, const char *version)
{
    fprintf(w->file, "$MeshFormat\n%s %d 8\n", version, w->binary);
    if (w->binary) {
        put_int(w, 1);
        fputc('\n', w->file);
    }
    fprintf(w->file, "$EndMeshFormat\n$PhysicalNames\n4\n0 3 \"corner\"\n3 9 \"left half\"\n"
                     "2 2 \"fixed end\"\n3 1 \"steel\"\n$EndPhysicalNames\n"
                     "$Unknown\nskip $ $End this\n$EndUnknown\n");
}

static void write_v2(const writer *w)
{
    write_head(w, "2.2");
    fprintf(w->file, "$Nodes\n%d\n", N_NODES);
    for (int i = 0; i < N_NODES; i++) {
        put_int(w, (int)node_tag(i));
        put_point(w, i);
        put_line(w);
    }
    fprintf(w->file, "\n$EndNodes\n$Elements\n8\n");
    int number = 1;
    for (int e = 0; e < N_ENTITIES; e++) {
        const entity *x = &entities[e];
        for (int p = 0; p < x->n_physicals; p++) {
            if (w->binary) {
                put_int(w, x->type);
                put_int(w, x->n_elements);
                put_int(w, 2);
            }
            for (int i = 0; i < x->n_elements; i++) {
                put_int(w, number++);
                if (!w->binary) {
                    put_int(w, x->type);
                    put_int(w, 2);
                }
                put_int(w, x->physicals[p]);
                put_int(w, x->tag);
                for (int k = 0; k < x->n_nodes; k++)
                    put_int(w, (int)node_tag(x->nodes[i][k]));
                put_line(w);
            }
        }
    }
    fprintf(w->file, "\n$EndElements\n");
}

static void write_entities(const writer *w)
{
    fprintf(w->file, "$Entities\n");
    put_size(w, 1);
    put_size(w, 1);
    put_size(w, 2);
    put_size(w, 2);
    put_line(w);
    for (int e = 0; e < N_ENTITIES; e++) {
        const entity *x = &entities[e];
        put_int(w, x->tag);
        for (int k = 0; k < (x->dimension == 0 ? 3 : 6); k++)
            put_real(w, 0.25 * k);
        put_size(w, x->n_physicals);
        for (int k = 0; k < x->n_physicals; k++)
            put_int(w, x->physicals[k]);
        if (x->dimension > 0) {
            put_size(w, 2);
            put_int(w, -4);
            put_int(w, 4);
        }
        put_line(w);
    }
    fprintf(w->file, "\n$EndEntities\n");
}

// Two blocks of nodes; the second, of a curve, with a parameter.
static void write_v4_nodes(const writer *w)
{
    static const int first[3] = {0, 10, N_NODES};
    fprintf(w->file, "$Nodes\n");
    put_size(w, 2);
    put_size(w, N_NODES);
    put_size(w, node_tag(N_NODES - 1));
    put_size(w, node_tag(0));
    put_line(w);
    for (int b = 0; b < 2; b++) {
        put_int(w, b == 0 ? 3 : 1);
        put_int(w, b == 0 ? 1 : 8);
        put_int(w, b);
        put_size(w, first[b + 1] - first[b]);
        put_line(w);
        for (int i = first[b]; i < first[b + 1]; i++) {
            put_size(w, node_tag(i));
            put_line(w);
        }
        for (int i = first[b]; i < first[b + 1]; i++) {
            put_point(w, i);
            if (b == 1)
                put_real(w, 0.125 * i);
            put_line(w);
        }
    }
    fprintf(w->file, "\n$EndNodes\n");
}

static void write_v4(const writer *w)
{
    write_head(w, "4.1");
    write_entities(w);
    write_v4_nodes(w);
    fprintf(w->file, "$Elements\n");
    put_size(w, N_ENTITIES);
    put_size(w, 7);
    put_size(w, 1);
    put_size(w, 7);
    put_line(w);
    int number = 1;
    for (int e = 0; e < N_ENTITIES; e++) {
        const entity *x = &entities[e];
        put_int(w, x->dimension);
        put_int(w, x->tag);
        put_int(w, x->type);
        put_size(w, x->n_elements);
        put_line(w);
        for (int i = 0; i < x->n_elements; i++) {
            put_size(w, number++);
            for (int k = 0; k < x->n_nodes; k++)
                put_size(w, node_tag(x->nodes[i][k]));
            put_line(w);
        }
    }
    fprintf(w->file, "\n$EndElements\n");
}

static char *write_mesh(int version, bool binary, bool swapped, size_t *size)
{
    char *text = NULL;
    writer w = {open_memstream(&text, size), binary, swapped};
    assert_non_null(w.file);
    if (version == 2)
        write_v2(&w);
    else
        write_v4(&w);
    fclose(w.file);
    return text;
}

// ---- Reading it ----

static pcs_context *begin(pcs_mesh_data *data)
{
    pcs_context *ctx = pcs_context_create(NULL);
    assert_non_null(ctx);
    pcs_mesh_data_init(data, ctx);
    return ctx;
}

static void end(pcs_context *ctx, pcs_mesh_data *data)
{
    pcs_mesh_data_free(data);
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    pcs_context_destroy(ctx);
}

static const pcs_mesh_data_group *group_of(const pcs_mesh_data *data, const char *name,
                                           int32_t n_nodes, int32_t n_faces, int32_t n_cells)
{
    const pcs_mesh_data_group *group = pcs_mesh_data_find_group(data, name);
    if (!group)
        fail_msg("no group '%s'", name);
    assert_int_equal(group->nodes.count, n_nodes);
    assert_int_equal(group->faces.count, n_faces);
    assert_int_equal(group->cells.count, n_cells);
    return group;
}

static pcs_vec3 face_normal(const pcs_mesh_data *data, const pcs_mesh_face *face)
{
    const pcs_vec3 *x = data->nodes.data;
    return pcs_v3_cross(pcs_v3_sub(x[face->nodes[2]], x[face->nodes[0]]),
                        pcs_v3_sub(x[face->nodes[3]], x[face->nodes[1]]));
}

static void check_mesh(const pcs_mesh_data *data)
{
    assert_int_equal(data->nodes.count, 12);
    for (int32_t i = 0; i < 12; i++) {
        int64_t tag = data->tags.data[i];
        pcs_vec3 x = node_place((int)((1000 - tag) / 37));
        assert_memory_equal(&x, &data->nodes.data[i], sizeof x);
        assert_true(i == 0 || tag > data->tags.data[i - 1]);
    }
    assert_int_equal(pcs_mesh_data_find_tag(data, node_tag(12)), -1);
    assert_int_equal(pcs_mesh_data_find_tag(data, node_tag(0)), 11);
    assert_int_equal(data->cells.count, 4);
    double volume = 0;
    for (int32_t c = 0; c < data->cells.count; c++)
        if (data->cells.data[c].kind == PCS_CELL_HEXAHEDRON)
            volume += pcs_cell_measure(data, &data->cells.data[c]);
    assert_near(volume, 2 * 0.731 * 1.13 * 0.57, 32 * DBL_EPSILON);

    assert_int_equal(data->groups.count, 6);
    const pcs_mesh_data_group *corner = group_of(data, "corner", 1, 0, 0);
    assert_int_equal(data->tags.data[corner->nodes.data[0]], node_tag(11));
    group_of(data, "steel", 12, 0, 2);
    group_of(data, "left half", 8, 0, 1);
    group_of(data, "curve_5", 3, 0, 2);
    const pcs_mesh_data_group *fixed = group_of(data, "fixed end", 4, 1, 0);
    const pcs_mesh_data_group *other = group_of(data, "surface_6", 4, 1, 0);
    assert_true(face_normal(data, &fixed->faces.data[0]).x < 0);
    assert_true(face_normal(data, &other->faces.data[0]).x > 0);
}

static void test_versions(void **state)
{
    (void)state;
    for (int version = 2; version <= 4; version += 2) {
        for (int form = 0; form < 3; form++) {
            pcs_mesh_data data;
            pcs_context *ctx = begin(&data);
            size_t size;
            char *text = write_mesh(version, form > 0, form == 2, &size);
            if (pcs_gmsh_read_memory(ctx, "m.msh", text, size, &data) != PCS_OK)
                fail_msg("version %d, form %d: %s", version, form, pcs_context_error(ctx));
            check_mesh(&data);
            free(text);
            end(ctx, &data);
        }
    }
}

// A file that ends anywhere before its last word is refused, and nothing leaks.
static void test_truncation(void **state)
{
    (void)state;
    for (int version = 2; version <= 4; version += 2) {
        for (int form = 0; form < 2; form++) {
            size_t size;
            char *text = write_mesh(version, form > 0, false, &size);
            for (size_t n = 0; n + 1 < size; n++) {
                pcs_mesh_data data;
                pcs_context *ctx = begin(&data);
                char *copy = malloc(n + 1); // so that reading beyond the end is seen
                memcpy(copy, text, n);
                assert_int_equal(pcs_gmsh_read_memory(ctx, "m.msh", copy, n, &data),
                                 PCS_ERROR_INPUT);
                assert_memory_equal(pcs_context_error(ctx), "m.msh:", 6);
                free(copy);
                end(ctx, &data);
            }
            free(text);
        }
    }
}

// Any byte of a file replaced by others: read or refused, never more than that.
static void test_damage(void **state)
{
    (void)state;
    static const char damage[] = {'\0', '9', '-', '"', '$', '\n', (char)0xFF};
    for (int version = 2; version <= 4; version += 2) {
        for (int form = 0; form < 2; form++) {
            size_t size;
            char *text = write_mesh(version, form > 0, false, &size);
            for (size_t n = 0; n < size; n++) {
                for (size_t d = 0; d < sizeof damage; d++) {
                    pcs_mesh_data data;
                    pcs_context *ctx = begin(&data);
                    const char kept = text[n];
                    text[n] = damage[d];
                    pcs_status status = pcs_gmsh_read_memory(ctx, "m.msh", text, size, &data);
                    assert_true(status == PCS_OK || status == PCS_ERROR_INPUT);
                    text[n] = kept;
                    end(ctx, &data);
                }
            }
            free(text);
        }
    }
}

static void test_failing_memory(void **state)
{
    (void)state;
    size_t size;
    char *text = write_mesh(4, false, false, &size);
    uint64_t n = 1;
    for (pcs_status status = PCS_ERROR_MEMORY; status < 0; n++) {
        pcs_mesh_data data;
        pcs_context *ctx = begin(&data);
        pcs_context_fail_heap_call(ctx, n);
        status = pcs_gmsh_read_memory(ctx, "m.msh", text, size, &data);
        pcs_context_fail_heap_call(ctx, 0);
        assert_true(status == PCS_OK || status == PCS_ERROR_MEMORY);
        end(ctx, &data);
    }
    assert_true(n > 20);
    free(text);
}

// ---- Messages ----

static void refuse(const char *text, const char *message)
{
    pcs_mesh_data data;
    pcs_context *ctx = begin(&data);
    assert_int_equal(pcs_gmsh_read_memory(ctx, "m.msh", text, strlen(text), &data),
                     PCS_ERROR_INPUT);
    if (!strstr(pcs_context_error(ctx), message))
        fail_msg("'%s' is not in '%s'", message, pcs_context_error(ctx));
    end(ctx, &data);
}

#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 0\n$EndNodes\n"
#define ELEMENTS(n, rows) "$Elements\n" n "\n" rows "\n$EndElements\n"

static void test_messages(void **state)
{
    (void)state;
    refuse("", "m.msh:1: this is not a gmsh file");
    refuse("solid cube\n", "m.msh:1: this is not a gmsh file");
    refuse("$MeshFormat\n4 0 8\n",
           "m.msh:2: version '4' of the gmsh format is not supported; write "
           "4.1 or 2.2");
    refuse("$MeshFormat\n2.2 0 8\n", "$EndMeshFormat should be here");
    refuse("$MeshFormat\n4.1 1 4\n", "m.msh:2: binary files with a data size of 4");
    refuse(HEAD, "m.msh:4: the file has no $Nodes");
    refuse(HEAD "nodes\n", "m.msh:4: expected the beginning of a section");
    refuse(HEAD "$Stuff\n1 2 3\n", "m.msh:4: a section begins here, but there is no $EndStuff");
    refuse(HEAD "$Nodes\n2000000\n", "m.msh:5: the number of nodes is '2000000'");
    refuse(HEAD "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", "node 1 is there twice");
    refuse(HEAD "$Nodes\n2\n1 0 zero 0\n", "m.msh:6: 'zero' should be a number (y of a node)");
    refuse(HEAD "$Nodes\n2\n1 0 nan 0\n", "m.msh:6: 'nan' is not a finite number");
    refuse(HEAD "$Nodes\n2\n1 0 0 0\n", "the file ends in $Nodes where the number of a node");
    refuse(HEAD "$Nodes\n1\n1 0 0 0\n2 1 1 1\n$EndNodes\n",
           "m.msh:7: $Nodes should end here with $EndNodes");
    refuse(HEAD ELEMENTS("0", ""), "m.msh:4: $Elements stands before $Nodes");
    refuse(HEAD NODES NODES, "m.msh:12: $Nodes stands here a second time");
    refuse(HEAD NODES, "the file has no $Elements");
    refuse(HEAD NODES ELEMENTS("0", ""), "m.msh: the mesh has no elements");
    refuse(HEAD NODES ELEMENTS("1", "1 2 2 0 1 1 2 3"), "1 surface elements but no solid");
    refuse(HEAD NODES ELEMENTS("1", "1 11 2 0 1 1 2 3 4 5 6 7 8 9 10"),
           "m.msh:14: a tetrahedron of 10 nodes (type 11) has order 2; mesh with order 1");
    refuse(HEAD NODES ELEMENTS("1", "1 6 2 0 1 1 2 3 4 5 6"),
           "m.msh:14: a prism (type 6) is not supported; mesh with tetrahedra");
    refuse(HEAD NODES ELEMENTS("1", "1 77 2 0 1 1"), "m.msh:14: elements of type 77 are not known");
    refuse(HEAD NODES ELEMENTS("1", "8 4 2 0 1 1 2 3 7"), "m.msh:14: element 8 uses node 7");
    refuse(HEAD NODES ELEMENTS("1", "8 4 2 0 1 1 2 3 3"),
           "element 8 (tetrahedron) has node 3 twice");
    refuse(HEAD NODES ELEMENTS("1", "8 4 2 0 1 1 3 2 4"),
           "m.msh:14: element 8 (tetrahedron) is inside out (determinant -1)");
    refuse(HEAD NODES ELEMENTS("1", "8 4 2 0 1 1 2 3 5"), "element 8 (tetrahedron) is flat");
    refuse(HEAD NODES ELEMENTS("1", "8 1 2 0 1 1 5"), "element 8 (line) has no length");
    refuse(HEAD "$PhysicalNames\n1\n3 1 steel\n", "m.msh:6: expected the name of a physical group");
    refuse(HEAD "$PhysicalNames\n1\n3 1 \"steel\n\"\n", "m.msh:6: the name of a physical group is "
                                                        "not closed");
    refuse(HEAD "$PhysicalNames\n1\n3 1 \"\"\n", "an empty name");
    refuse(HEAD "$PhysicalNames\n1\n4 1 \"x\"\n", "the dimension of a physical group is '4'");
    refuse(HEAD "$Entities\n", "which version 2.2 does not have");
    refuse("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PartitionedEntities\n", "save it without them");
    refuse("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 0\n$EndEntities\n"
           "$Nodes\n1 2 1 2\n1 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n"
           "$Elements\n1 1 1 1\n1 3 1 1\n1 1 2\n$EndElements\n",
           "m.msh:17: the elements of curve 3, which $Entities does not list");
    refuse("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 3 1 3\n1 1 0 2\n1\n2\n0 0 0\n1 0 "
           "0\n$EndNodes\n",
           "the blocks have 2 nodes, but 3 are announced");
}

static void test_missing_file(void **state)
{
    (void)state;
    pcs_mesh_data data;
    pcs_context *ctx = begin(&data);
    assert_int_equal(pcs_gmsh_read_file(ctx, "no/such.msh", &data), PCS_ERROR_IO);
    assert_string_equal(pcs_context_error(ctx), "no/such.msh: no such file or folder; check the "
                                                "path");
    assert_int_equal(pcs_gmsh_read_file(ctx, "/", &data), PCS_ERROR_IO);
    end(ctx, &data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions), cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_damage),   cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_messages), cmocka_unit_test(test_missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
