// percuss list: schemes and solvers with options, joints, contacts, shapes; from the library.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "options.h"
#include "percuss/problem.h"

static const cli_syntax syntax = {
    .usage = "percuss list [schemes | solvers | joints | contacts | shapes]",
    .text = "Lists what a model file may name, with options, defaults and ranges; everything if\n"
            "nothing is named.",
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
    static const struct {
        pcs_problem_class problem_class;
        const char *meaning;
    } classes[] = {
        {PCS_PROBLEM_LCP, "linear complementarity"},
        {PCS_PROBLEM_MLCP, "linear complementarity with equalities"},
        {PCS_PROBLEM_LOCAL, "friction contact, u = W r + q"},
        {PCS_PROBLEM_GLOBAL, "friction contact, M v = H r + f, u = H^T v + w"},
    };
    const char *name, *help = "";
    const pcs_option *options = NULL;
    int32_t count = 0;
    puts("solvers of contact problems (percuss solve FILE --solver NAME --set KEY=VALUE); the "
         "first\n"
         "of each class is the default");
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
        pcs_problem_class problem_class = classes[c].problem_class;
        printf("%s: %s\n", pcs_problem_class_name(problem_class), classes[c].meaning);
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

static void list_contacts(void)
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
    };
    puts("contacts (type, where, meaning)");
    for (int k = 0; k < PCS_CONTACT_KIND_COUNT; k++) {
        pcs_contact_kind kind = (pcs_contact_kind)k;
        printf("  %-18s %-8s%s\n", pcs_contact_kind_name(kind),
               where(pcs_contact_kind_allowed(kind, 2), pcs_contact_kind_allowed(kind, 3)),
               meaning[k] ? meaning[k] : "");
    }
}

static void list_shapes(void)
{
    static const char *const meaning[] = {
        [PCS_SHAPE_SPHERE] = "RADIUS",
        [PCS_SHAPE_BOX] = "[LX, LY, LZ]",
        [PCS_SHAPE_CYLINDER] = "{radius: R, length: L}, axis z",
        [PCS_SHAPE_CAPSULE] = "{radius: R, length: L}, L between the centres, axis z",
        [PCS_SHAPE_ROD] = "{length: L}, thin, axis z; its density is mass per length",
    };
    enum { MEANINGS = sizeof meaning / sizeof *meaning };
    const char *name;
    puts("shapes of bodies (kind, as written in a model file)");
    for (int k = 0; (name = pcs_shape_kind_name((pcs_shape_kind)k)); k++)
        printf("  %-18s %s: %s\n", name, name, k < MEANINGS ? meaning[k] : "...");
    puts("  each with density or mass, and at, axis, rotation or angle in the body frame");
}

// ---- The verb ----

typedef struct section {
    const char *name;
    void (*print)(void);
} section;

static const section sections[] = {
    {"schemes", list_schemes},   {"solvers", list_solvers}, {"joints", list_joints},
    {"contacts", list_contacts}, {"shapes", list_shapes},
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
                    "shapes",
                    name);
    return CLI_EXIT_BAD_INPUT;
}

cli_exit cli_list(int argc, char **argv)
{
    cli_parser parser;
    char *value = NULL;
    int option, printed = 0;
    cli_parser_init(&parser, &syntax, argc, argv);
    while ((option = cli_parse(&parser, &value)) != CLI_END) {
        if (option == CLI_HELP)
            return CLI_EXIT_OK;
        if (option != CLI_OPERAND)
            return CLI_EXIT_BAD_INPUT;
        if (printed++ > 0)
            putchar('\n');
        if (print_section(value) != CLI_EXIT_OK)
            return CLI_EXIT_BAD_INPUT;
    }
    for (int i = 0; printed == 0 && i < SECTION_COUNT; i++) {
        if (i > 0)
            putchar('\n');
        sections[i].print();
    }
    return CLI_EXIT_OK;
}
