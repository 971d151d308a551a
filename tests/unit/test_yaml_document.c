// YAML texts as trees: places of nodes, what is refused and with which message, limits, includes,
// text written and read again, failing allocator.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/yaml_document.h"
#include "io/yaml_emit.h"
#include "io/yaml_include.h"

typedef struct fixture {
    pcs_context *ctx;
    pcs_yaml_document doc;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f.ctx = pcs_context_create(NULL);
    pcs_yaml_init(&f.doc, f.ctx);
    *state = &f;
    return f.ctx ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    pcs_yaml_free(&f->doc);
    int left = pcs_context_heap_bytes(f->ctx) != 0;
    pcs_context_destroy(f->ctx);
    return left;
}

static pcs_status parse_bytes(fixture *f, const char *bytes, size_t size, pcs_yaml_node **root)
{
    int32_t source;
    pcs_status status = pcs_yaml_add_source(&f->doc, "m.yaml", true, &source);
    return status < 0 ? status : pcs_yaml_parse(&f->doc, source, bytes, size, root);
}

static pcs_yaml_node *parse(fixture *f, const char *text)
{
    pcs_yaml_node *root = NULL;
    pcs_status status = parse_bytes(f, text, strlen(text), &root);
    if (status < 0)
        print_error("%s\n", pcs_context_error(f->ctx));
    assert_int_equal(status, PCS_OK);
    return root;
}

static void assert_refused(fixture *f, const char *text, const char *message)
{
    pcs_yaml_node *root = NULL;
    assert_int_equal(parse_bytes(f, text, strlen(text), &root), PCS_ERROR_INPUT);
    assert_string_equal(pcs_context_error(f->ctx), message);
}

static void assert_mark(pcs_yaml_mark mark, int line, int column)
{
    assert_int_equal(mark.line, line);
    assert_int_equal(mark.column, column);
}

static void test_places_of_nodes(void **state)
{
    pcs_yaml_node *root = parse(*state, "# units: m, kg\n"
                                        "first: 2.385\n"
                                        "list: [ 1, \"two\" ]\n"
                                        "map:\n"
                                        "  inner: {k: v}\n");
    assert_int_equal(root->kind, PCS_YAML_MAP);
    assert_int_equal(root->count, 3);
    pcs_yaml_node *first = pcs_yaml_child(root, "first");
    assert_string_equal(first->text, "2.385");
    assert_mark(first->key_mark, 2, 1);
    assert_mark(first->mark, 2, 8);
    assert_int_equal(first->offset, 0);
    pcs_yaml_node *list = pcs_yaml_child(root, "list");
    assert_int_equal(list->kind, PCS_YAML_LIST);
    assert_int_equal(list->count, 2);
    assert_mark(list->mark, 3, 7);
    assert_mark(list->last->mark, 3, 12);
    assert_false(list->last->plain);
    assert_int_equal(list->last->offset, 1);
    pcs_yaml_node *inner = pcs_yaml_child(pcs_yaml_child(root, "map"), "inner");
    assert_mark(pcs_yaml_child(inner, "k")->mark, 5, 14);
    assert_null(pcs_yaml_child(root, "nothing"));
    assert_null(pcs_yaml_child(first, "first"));
}

static void test_byte_order_mark_and_line_ends(void **state)
{
    pcs_yaml_node *root = parse(*state, "\xEF\xBB\xBF"
                                        "a: 1\r\nb: \xC3\xA9 x\r\n");
    assert_mark(pcs_yaml_child(root, "b")->mark, 2, 4);
    assert_string_equal(pcs_yaml_child(root, "b")->text, "\xC3\xA9 x");
}

static void test_refuses_what_is_not_plain(void **state)
{
    fixture *f = *state;
    assert_refused(f, "", "m.yaml:1:1: the file is empty");
    assert_refused(f, "a: &x 1\n",
                   "m.yaml:1:4: anchors (&name) are not supported; use 'parameters' or 'include'");
    assert_refused(f, "a: !t 1\n", "m.yaml:1:4: tags (!name) are not supported; leave the tag out");
    assert_refused(f, "a: {<<: {b: 1}}\n",
                   "m.yaml:1:5: merge keys (<<) are not supported; use 'parameters' or 'include'");
    assert_refused(f, "a: 1\nb: 2\na: 3\n", "m.yaml:3:1: key 'a' occurs twice, first in line 1");
    assert_refused(f, "{a: 1}: 2\n", "m.yaml:1:1: a key must be a text, not a map");
    assert_refused(f, "a: 1\n---\nb: 2\n",
                   "m.yaml:2:1: a second document starts here; a file holds one (remove '---')");
    assert_refused(f, "a: [1, max(2, 3)]\n",
                   "m.yaml:1:8: parentheses do not match in 'max(2'; put a formula that contains a "
                   "comma in quotes");
    // in quotes, and outside brackets, the comma is a character like others
    parse(f, "a: [1, \"max(2, 3)\"]\nb: max(2, 3)\n");
}

static void test_refuses_bytes(void **state)
{
    fixture *f = *state;
    assert_refused(f, "a:\n\tb: 1\n", "m.yaml:2:1: a tab in the indentation; use spaces");
    assert_refused(f, "a: \xC3\xA9\xE9\n",
                   "m.yaml:1:5: byte 0xE9 is not UTF-8; save the file as UTF-8");
    assert_refused(f, "a: \xC0\x80\n",
                   "m.yaml:1:4: byte 0xC0 is not UTF-8; save the file as UTF-8");
    assert_refused(f, "a: \xED\xA0\x80\n",
                   "m.yaml:1:4: byte 0xED is not UTF-8; save the file as UTF-8");
    assert_refused(f, "a: \x1B[0m\n", "m.yaml:1:4: control character U+001B is not allowed");
    pcs_yaml_node *root = NULL;
    assert_int_equal(parse_bytes(f, "a: 1\0", 5, &root), PCS_ERROR_INPUT);
    assert_string_equal(pcs_context_error(f->ctx),
                        "m.yaml:1:5: a NUL byte; this is not a text file");
    parse(f, "a: 1\t# one\nb: 2\n"); // after a value a tab is harmless
}

static void test_limits(void **state)
{
    fixture *f = *state;
    char text[256];
    memset(text, '[', PCS_YAML_DEPTH_MAX);
    memset(text + PCS_YAML_DEPTH_MAX, ']', PCS_YAML_DEPTH_MAX);
    text[2 * PCS_YAML_DEPTH_MAX] = '\0';
    parse(f, text);
    memset(text, '[', PCS_YAML_DEPTH_MAX + 1);
    text[PCS_YAML_DEPTH_MAX + 1] = '\0';
    assert_refused(f, text, "m.yaml:1:65: lists and maps are nested more than 64 deep");

    char *large = malloc(PCS_YAML_LONGEST_SCALAR + 2);
    assert_non_null(large);
    memset(large, 'x', PCS_YAML_LONGEST_SCALAR + 1);
    large[PCS_YAML_LONGEST_SCALAR + 1] = '\0';
    assert_refused(f, large, "m.yaml:1:1: a text of 65536 bytes; at most 65535 are allowed");
    large[PCS_YAML_LONGEST_SCALAR] = '\0';
    parse(f, large);
    free(large);

    f->doc.n_nodes = PCS_YAML_NODES_MAX - 2;
    assert_refused(f, "[1, 2]", "m.yaml:1:5: more than 1000000 values in one model");
}

static void test_null_and_flags(void **state)
{
    pcs_yaml_node *root = parse(*state, "a:\nb: ~\nc: null\nd: \"\"\ne: 'null'\n");
    assert_true(pcs_yaml_is_null(pcs_yaml_child(root, "a")));
    assert_true(pcs_yaml_is_null(pcs_yaml_child(root, "b")));
    assert_true(pcs_yaml_is_null(pcs_yaml_child(root, "c")));
    assert_false(pcs_yaml_is_null(pcs_yaml_child(root, "d")));
    assert_false(pcs_yaml_is_null(pcs_yaml_child(root, "e")));
}

static void test_changing_the_tree(void **state)
{
    fixture *f = *state;
    pcs_yaml_node *root = parse(f, "{a: 1, b: 2, c: 3}");
    pcs_yaml_remove(root, pcs_yaml_child(root, "c"));
    assert_ptr_equal(root->last, pcs_yaml_child(root, "b"));
    pcs_yaml_replace(root, pcs_yaml_child(root, "b"), parse(f, "[4, 5]"));
    assert_string_equal(pcs_yaml_emit(&f->doc, root), "a: 1\nb: [4, 5]\n");
    pcs_yaml_remove(root, pcs_yaml_child(root, "a"));
    pcs_yaml_remove(root, pcs_yaml_child(root, "b"));
    assert_int_equal(root->count, 0);
    assert_null(root->first);
    assert_null(root->last);
    assert_string_equal(pcs_yaml_emit(&f->doc, root), "{}\n");
}

static void test_emit_reads_back(void **state)
{
    fixture *f = *state;
    const char *text = "title: \"a: b # c \\\"d\\\" \\\\ \\u000A\\u2028 \xC3\xA9\"\n"
                       "none: null\n"
                       "word: \"null\"\n"
                       "empty: \"\"\n"
                       "formula: -k*joint.hinge.angle - c\n"
                       "conditional: \"t > 1 ? 2 : 3\"\n"
                       "dash: \"-\"\n"
                       "dots: \"...\"\n"
                       "negative: [-9.81, \"*x\", \"max(1, 2)\"]\n"
                       "nested: [[1, 2], [3]]\n"
                       "shapes:\n"
                       "  - sphere: 1\n"
                       "    at: [0, 1]\n"
                       "  - - x: 1\n"
                       "    - y\n"
                       "  - []\n"
                       "map: {}\n";
    pcs_yaml_node *root = parse(f, text);
    const char *once = pcs_yaml_emit(&f->doc, root);
    assert_string_equal(once, text);
    assert_string_equal(pcs_yaml_emit(&f->doc, parse(f, once)), text);
}

// ---- Files ----

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/percuss_yaml_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static const char *const file_names[] = {"main.yaml", "one.yaml", "two.yaml", "three.yaml"};

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int remove_folder(void **state)
{
    (void)state;
    char path[128];
    for (size_t k = 0; k < sizeof file_names / sizeof *file_names; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, file_names[k]);
        unlink(path);
    }
    return rmdir(folder);
}

static pcs_status read_main(fixture *f, pcs_yaml_node **root)
{
    char path[128];
    snprintf(path, sizeof path, "%s/main.yaml", folder);
    pcs_yaml_free(&f->doc);
    return pcs_yaml_read_file(&f->doc, path, root);
}

// The error text without the folder's name.
static void assert_file_error(fixture *f, const char *message)
{
    pcs_yaml_node *root = NULL;
    assert_int_equal(read_main(f, &root), PCS_ERROR_INPUT);
    char text[1024];
    size_t used = 0, length = strlen(folder);
    for (const char *c = pcs_context_error(f->ctx); *c;) {
        if (strncmp(c, folder, length) == 0)
            c += length + 1;
        else
            text[used++] = *c++;
    }
    text[used] = '\0';
    assert_string_equal(text, message);
}

static void test_include_merges(void **state)
{
    fixture *f = *state;
    write_file("main.yaml",
               "parameters: {m: 2.385}\ninclude: [one.yaml, two.yaml]\nlaws: {a: 1}\n");
    write_file("one.yaml", "include: three.yaml\nparameters: {m: 1, n: 2}\nlaws: {b: 2}\nempty:\n");
    write_file("two.yaml", "include: three.yaml\nparameters: {k: 4}\nempty: {x: 1}\n");
    write_file("three.yaml", "parameters: {n: 0, p: 3}\nlaws: {c: 3}\n");
    pcs_yaml_node *root = NULL;
    assert_int_equal(read_main(f, &root), PCS_OK);
    assert_string_equal(pcs_yaml_emit(&f->doc, root), "parameters:\n"
                                                      "  m: 2.385\n"
                                                      "  n: 2\n"
                                                      "  p: 3\n"
                                                      "  k: 4\n"
                                                      "laws:\n"
                                                      "  a: 1\n"
                                                      "  b: 2\n"
                                                      "  c: 3\n"
                                                      "empty:\n"
                                                      "  x: 1\n");
}

static void test_include_errors(void **state)
{
    fixture *f = *state;
    write_file("main.yaml", "laws: {a: 1}\ninclude: one.yaml\n");
    write_file("one.yaml", "laws: {a: 2}\n");
    assert_file_error(f, "main.yaml:1:8: 'laws.a' is defined here and in one.yaml:1:8");
    write_file("one.yaml", "include: two.yaml\n");
    write_file("two.yaml", "x: 1\ninclude: main.yaml\n");
    assert_file_error(f, "two.yaml:2:10: files include each other in a circle: main.yaml -> "
                         "one.yaml -> two.yaml -> main.yaml");
    write_file("two.yaml", "x: {\n");
    assert_file_error(f, "two.yaml:2:1: not valid YAML: did not find expected node content while "
                         "parsing a flow node that starts in line 2");
    write_file("main.yaml", "include: nowhere.yaml\n");
    assert_file_error(f, "main.yaml:1:10: cannot include 'nowhere.yaml': no such file or folder; "
                         "check the path");
    write_file("main.yaml", "include: {a: b}\n");
    assert_file_error(f, "main.yaml:1:10: 'include' needs a file name or a list of file names, not "
                         "a map");
}

static void test_failing_allocator(void **state)
{
    fixture *f = *state;
    write_file("main.yaml", "a: {b: [1, 2, \"x\"], c: 3}\nlaws: {x: 1}\ninclude: one.yaml\n");
    write_file("one.yaml", "d: {e: 4}\nlaws: {y: 1}\n");
    pcs_status status = PCS_ERROR_MEMORY;
    int failures = 0;
    for (uint64_t n = 1; status == PCS_ERROR_MEMORY; n++) {
        pcs_yaml_node *root = NULL;
        pcs_yaml_free(&f->doc);
        assert_int_equal(pcs_context_heap_bytes(f->ctx), 0);
        pcs_context_fail_heap_call(f->ctx, n);
        status = read_main(f, &root);
        pcs_context_fail_heap_call(f->ctx, 0);
        failures += status == PCS_ERROR_MEMORY;
    }
    assert_int_equal(status, PCS_OK);
    assert_in_range((uintmax_t)failures, 5, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_places_of_nodes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_byte_order_mark_and_line_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refuses_what_is_not_plain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refuses_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_null_and_flags, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_changing_the_tree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_emit_reads_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_include_merges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_include_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failing_allocator, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
