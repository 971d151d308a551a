// percuss list: schemes and solvers with options, joints, contacts, shapes, elements of meshes with
// their materials and targets of contact, keys of model files; all from the library.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "listing_json.h"
#include "message.h"
#include "options.h"

enum { OPTION_JSON, OPTION_COUNT };

static const cli_option list_options[OPTION_COUNT] = {
    [OPTION_JSON] = {"--json", NULL, "all lists as one JSON object, for programs"},
};

static const cli_syntax syntax = {
    .usage = "percuss list [schemes | solvers | joints | contacts | shapes | meshes | keys]...\n"
             "                    [--json]",
    .text = "Lists what a model file may name, with options, defaults and ranges, and its keys;\n"
            "everything if nothing is named.",
    .options = list_options,
    .n_options = OPTION_COUNT,
    .notes = "exit code: 0; 2 there is no such list; 3 it could not be written",
};

// ---- Schemes and solvers ----

static void print_range(const pcs_option *option)
{
    enum { UNBOUNDED = 1000000000 }; // larger limits mean "as much as you like"
    if (option->type == PCS_OPTION_CHOICE) {
        fputs("one of ", stdout);
        for (int i = 0; option->choices[i]; i++)
            printf("%s%s", i > 0 ? " | " : "", option->choices[i]);
        return;
    }
    const char *kind = option->type == PCS_OPTION_INTEGER ? "integer" : "number";
    bool low = option->lowest > -UNBOUNDED, high = option->highest < UNBOUNDED;
    if (low && high)
        printf("%s from %g to %g", kind, option->lowest, option->highest);
    else if (low)
        printf("%s from %g", kind, option->lowest);
    else if (high)
        printf("%s up to %g", kind, option->highest);
    else
        fputs(kind, stdout);
}

static void print_option(const pcs_option *option)
{
    char fallback[64];
    if (option->type == PCS_OPTION_CHOICE)
        snprintf(fallback, sizeof fallback, "%s", option->choices[(int)option->fallback]);
    else
        snprintf(fallback, sizeof fallback, "%g", option->fallback);
    printf("    %-22s %-14s ", option->key, fallback);
    print_range(option);
    printf("\n    %-22s %s\n", "", option->help);
}

static void print_options(const pcs_option *options, int32_t count)
{
    if (count > 0)
        printf("    %-22s %-14s %s\n", "option", "default", "range, meaning");
    for (int32_t k = 0; k < count; k++)
        print_option(&options[k]);
}

static void list_schemes(void)
{
    const char *name, *help = "";
    const pcs_option *options = NULL;
    int32_t count = 0;
    puts("schemes (simulation: scheme in a model file, or --scheme); each option is a key of\n"
         "'simulation', or --set simulation.KEY=VALUE");
    for (int32_t i = 0; (name = pcs_scheme_name(i, &help, &options, &count)); i++) {
        printf("  %s: %s\n", name, help);
        print_options(options, count);
    }
}

static void list_solvers(void)
{
    const char *name, *meaning, *help = "";
    const pcs_option *options = NULL;
    int32_t count = 0;
    pcs_problem_class problem_class = PCS_PROBLEM_LCP;
    puts("solvers of contact problems (percuss solve FILE --solver NAME --set KEY=VALUE); the "
         "first\n"
         "of each class is the default");
    for (int32_t c = 0; (meaning = cli_problem_class(c, &problem_class)); c++) {
        printf("%s: %s\n", pcs_problem_class_name(problem_class), meaning);
        for (int32_t i = 0; (name = pcs_problem_solver(problem_class, i, &help, &options, &count));
             i++) {
            printf("  %s: %s\n", name, help);
            print_options(options, count);
        }
    }
}

// ---- Joints and contacts ----

static const char *where(bool planar, bool spatial)
{
    return planar && spatial ? "2D, 3D" : planar ? "2D" : "3D";
}

static void print_joint_coordinates(pcs_joint_kind kind, int32_t dimension)
{
    const char *name;
    for (int32_t i = 0; (name = pcs_joint_coordinate_name(kind, dimension, i)); i++)
        printf("%s%s (rate: %s)", i > 0 ? ", " : "", name, pcs_joint_rate_name(kind, dimension, i));
    puts(pcs_joint_coordinate_name(kind, dimension, 0) ? "" : "none");
}

static void list_joints(void)
{
    puts("joints (type, where, coordinates: each is a signal and may have spring, actuator,\n"
         "motion, limits)");
    for (int k = 0; k < PCS_JOINT_KIND_COUNT; k++) {
        pcs_joint_kind kind = (pcs_joint_kind)k;
        bool planar = pcs_joint_kind_allowed(kind, 2), spatial = pcs_joint_kind_allowed(kind, 3);
        printf("  %-18s %-8s", pcs_joint_kind_name(kind), where(planar, spatial));
        print_joint_coordinates(kind, spatial ? 3 : 2);
    }
    printf("  %-18s %-8scouples the angles of two joints: angle1 + ratio * angle2 stays\n", "gear",
           where(true, true));
    printf("  %-18s %-8sthe same with an angle and a displacement\n", "rack", where(true, true));
}

const char *cli_contact_meaning(pcs_contact_kind kind)
{
    static const char *const meaning[PCS_CONTACT_KIND_COUNT] = {
        [PCS_CONTACT_POINT_PLANE] = "point of b on the plane (2D: line) of a",
        [PCS_CONTACT_SPHERE_PLANE] = "sphere or circle of b on the plane of a",
        [PCS_CONTACT_SPHERE_SPHERE] = "two spheres or circles",
        [PCS_CONTACT_SPHERE_IN_SPHERE] = "sphere of b inside the larger sphere of a",
        [PCS_CONTACT_PIN_IN_HOLE] = "pin of b in the hole of a: revolute joint with clearance",
        [PCS_CONTACT_BOX_PLANE] = "corners of the box of b on the plane of a",
        [PCS_CONTACT_CYLINDER_PLANE] = "rims of the cylinder of b on the plane of a",
        [PCS_CONTACT_POINT_POLYLINE] = "point of b outside a polyline of a",
        [PCS_CONTACT_SLIDER_GUIDE] = "corners of the slider b between two walls of a",
        [PCS_CONTACT_POINT_CURVE] = "point or disc of b outside a curve of a",
    };
    return meaning[kind] ? meaning[kind] : "";
}

static void list_contacts(void)
{
    puts("contacts (type, where, meaning)");
    for (int k = 0; k < PCS_CONTACT_KIND_COUNT; k++) {
        pcs_contact_kind kind = (pcs_contact_kind)k;
        printf("  %-18s %-8s%s\n", pcs_contact_kind_name(kind),
               where(pcs_contact_kind_allowed(kind, 2), pcs_contact_kind_allowed(kind, 3)),
               cli_contact_meaning(kind));
    }
}

const char *cli_shape_meaning(pcs_shape_kind kind)
{
    static const char *const meaning[] = {
        [PCS_SHAPE_SPHERE] = "RADIUS",
        [PCS_SHAPE_BOX] = "[LX, LY, LZ]",
        [PCS_SHAPE_CYLINDER] = "{radius: R, length: L}, axis z",
        [PCS_SHAPE_CAPSULE] = "{radius: R, length: L}, L between the centres, axis z",
        [PCS_SHAPE_ROD] = "{length: L}, thin, axis z; its density is mass per length",
    };
    enum { MEANINGS = sizeof meaning / sizeof *meaning };
    return (int)kind < MEANINGS ? meaning[kind] : "...";
}

static void list_shapes(void)
{
    const char *name;
    puts("shapes of bodies (kind, as written in a model file)");
    for (int k = 0; (name = pcs_shape_kind_name((pcs_shape_kind)k)); k++)
        printf("  %-18s %s: %s\n", name, name, cli_shape_meaning((pcs_shape_kind)k));
    puts("  each with density or mass, and at, axis, rotation or angle in the body frame");
}

// ---- Meshes ----

const char *cli_target_meaning(pcs_target_kind kind)
{
    static const char *const meaning[PCS_TARGET_KIND_COUNT] = {
        [PCS_TARGET_PLANE] = "plane: NORMAL; extent bounds it",
        [PCS_TARGET_SPHERE] = "sphere: RADIUS (2D: circle)",
        [PCS_TARGET_BOX] = "box: [LX, LY, LZ] (2D: [LX, LY])",
        [PCS_TARGET_CYLINDER] = "cylinder: {radius: R, length: L} (3D)",
        [PCS_TARGET_CAPSULE] = "capsule: {radius: R, length: L} (3D)",
        [PCS_TARGET_FACES] = "mesh: NAME, group: GROUP; faces of a flexible body",
    };
    return (int)kind < PCS_TARGET_KIND_COUNT && meaning[kind] ? meaning[kind] : "";
}

static void list_meshes(void)
{
    const char *name;
    puts("elements of meshes (kind, where, meaning)");
    for (int k = 0; (name = pcs_element_kind_name((pcs_element_kind)k)); k++)
        printf("  %-18s %-8s%s\n", name,
               where(pcs_element_kind_allowed((pcs_element_kind)k, 2),
                     pcs_element_kind_allowed((pcs_element_kind)k, 3)),
               pcs_element_kind_help((pcs_element_kind)k));
    puts("material laws of solids (law of a material); bars and beams are linear in their strains");
    for (int k = 0; (name = pcs_material_law_name((pcs_material_law)k)); k++)
        printf("  %-18s %s\n", name, pcs_material_law_help((pcs_material_law)k));
    puts("what the nodes of a surface touch (target of a contact of type surface)");
    for (int k = 0; (name = pcs_target_kind_name((pcs_target_kind)k)); k++)
        printf("  %-18s %s\n", name, cli_target_meaning((pcs_target_kind)k));
}

// ---- Keys of model files ----

static pcs_status print_key(void *user, const pcs_model_key *key)
{
    (void)user;
    printf("  %s%s\n      %s\n", key->path, key->required ? " (required)" : "", key->value);
    if (*key->help)
        printf("      %s\n", key->help);
    return PCS_OK;
}

static void list_keys(void)
{
    puts("keys of a model file (path, what may stand there, meaning); NAME is a name of your "
         "choice");
    if (pcs_model_file_keys(print_key, NULL) < 0)
        return; // print_key never fails
}

// ---- The verb ----

typedef struct section {
    const char *name;
    void (*print)(void);
} section;

static const section sections[] = {
    {"schemes", list_schemes},   {"solvers", list_solvers}, {"joints", list_joints},
    {"contacts", list_contacts}, {"shapes", list_shapes},   {"meshes", list_meshes},
    {"keys", list_keys},
};
enum { SECTION_COUNT = sizeof sections / sizeof *sections };

static cli_exit print_section(const char *name)
{
    const char *names[SECTION_COUNT];
    for (int i = 0; i < SECTION_COUNT; i++) {
        names[i] = sections[i].name;
        if (strcmp(name, sections[i].name) == 0) {
            sections[i].print();
            return CLI_EXIT_OK;
        }
    }
    const char *nearest = cli_nearest(name, names, SECTION_COUNT);
    if (nearest)
        cli_message("nothing to list under '%s'; did you mean '%s'?", name, nearest);
    else
        cli_message("nothing to list under '%s'; there are schemes, solvers, joints, contacts, "
                    "shapes, meshes, keys",
                    name);
    return CLI_EXIT_BAD_INPUT;
}

typedef struct request {
    char **names; // of lists; the front of argv, never beyond the argument that was just read
    int count;
    bool json;
} request;

static bool take_argument(void *user, int option, char *value)
{
    request *wish = user;
    if (option == CLI_OPERAND)
        wish->names[wish->count++] = value;
    else
        wish->json = true;
    return true;
}

static cli_exit print_lists(const request *wish)
{
    const int count = wish->count > 0 ? wish->count : SECTION_COUNT;
    for (int i = 0; i < count; i++) {
        if (i > 0)
            putchar('\n');
        if (print_section(wish->count > 0 ? wish->names[i] : sections[i].name) != CLI_EXIT_OK)
            return CLI_EXIT_BAD_INPUT;
    }
    return CLI_EXIT_OK;
}

cli_exit cli_list(int argc, char **argv)
{
    request wish = {.names = argv};
    const int parsed = cli_parse(&syntax, argc, argv, take_argument, &wish);
    if (parsed != CLI_END)
        return parsed == CLI_HELP ? CLI_EXIT_OK : CLI_EXIT_BAD_INPUT;
    if (wish.json && wish.count > 0) {
        cli_message("--json has all lists; name none of them");
        return CLI_EXIT_BAD_INPUT;
    }
    if (!wish.json)
        return print_lists(&wish);
    cli_list_json();
    return CLI_EXIT_OK;
}
