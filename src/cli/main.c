// The program: finds the verb and hands over.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "options.h"

typedef struct verb {
    const char *name;
    cli_exit (*function)(int argc, char **argv);
    const char *help;
} verb;

static const verb verbs[] = {
    {"run", cli_run, "simulate a model file and write the result"},
    {"check", cli_check, "build a model and say what is in it, or what is wrong"},
    {"static", cli_static, "find the static equilibrium of a model under its loads"},
    {"modes", cli_modes, "find the lowest frequencies and mode shapes of a model"},
    {"info", cli_info, "say what is in a model, a result or a checkpoint"},
    {"plot", cli_plot, "draw signals of results: over time, or one over the other"},
    {"export", cli_export, "write the frames of a result as ParaView files"},
    {"report", cli_report, "write a page that shows a run, or compares several"},
    {"compare", cli_compare, "compare schemes on models: work and precision, profiles, drift"},
    {"solve", cli_solve, "solve contact problems from files and check the answers"},
    {"bench", cli_bench, "measure the solvers on contact problems, also against a peer"},
    {"list", cli_list,
     "list schemes, solvers, joints, contacts, shapes, meshes and keys, with defaults"},
};
enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static void print_help(FILE *out)
{
    fputs("usage: percuss VERB [ARGUMENT]...\n\n"
          "Simulates mechanisms of rigid and flexible bodies with joints, impacts and dry "
          "friction.\n\n"
          "verbs:\n",
          out);
    for (int i = 0; i < VERB_COUNT; i++)
        fprintf(out, "  %-8s %s\n", verbs[i].name, verbs[i].help);
    fputs(
        "\npercuss VERB --help explains a verb; percuss --version prints the version.\n\n"
        "exit code: 0 finished; 1 finished, but the verdict of the run is bad, or some problems "
        "were\n"
        "not solved; 2 mistake in the model, an option or an input file; 3 the run failed or its\n"
        "output could not be written; 130 interrupted, with the result properly closed\n",
        out);
}

static cli_exit unknown_verb(const char *name)
{
    const char *names[VERB_COUNT + 2] = {"--help", "--version"};
    for (int i = 0; i < VERB_COUNT; i++)
        names[i + 2] = verbs[i].name;
    const char *nearest = cli_nearest(name, names, VERB_COUNT + 2);
    if (nearest)
        cli_message("unknown verb '%s'; did you mean '%s'?", name, nearest);
    else
        cli_message("unknown verb '%s'; there are run, check, static, modes, info, plot, export, "
                    "report, compare, solve, "
                    "bench, list "
                    "(percuss --help)",
                    name);
    return CLI_EXIT_BAD_INPUT;
}

static cli_exit dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return CLI_EXIT_BAD_INPUT;
    }
    if (argc > 2 && strcmp(argv[1], "help") == 0) { // percuss help run
        static char help[] = "--help";
        char *arguments[] = {argv[0], argv[2], help};
        return dispatch(3, arguments);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return CLI_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("percuss %s\n", pcs_version());
        return CLI_EXIT_OK;
    }
    for (int i = 0; i < VERB_COUNT; i++) {
        if (strcmp(argv[1], verbs[i].name) == 0)
            return verbs[i].function(argc - 1, argv + 1);
    }
    return unknown_verb(argv[1]);
}

// OpenBLAS, where it is the BLAS: with more than one thread its results depend on their number.
void openblas_set_num_threads(int count) __attribute__((weak));

// HDF5 ends with lines of its own where a damaged file has left it something open. The program closes
// what it opens.
int H5dont_atexit(void) __attribute__((weak));

int main(int argc, char **argv)
{
    if (H5dont_atexit)
        (void)H5dont_atexit();
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
    cli_exit code = dispatch(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_EXIT_OK) {
        cli_message("cannot write to standard output: %s", strerror(errno));
        code = CLI_EXIT_FAILED;
    }
    return (int)code;
}
