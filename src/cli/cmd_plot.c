// percuss plot: signals of results as a picture.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "message.h"
#include "number_options.h"
#include "options.h"
#include "plot_curves.h"
#include "plot_draw.h"

enum {
    OPTION_O,
    OPTION_OUT,
    OPTION_PANELS,
    OPTION_FROM,
    OPTION_TO,
    OPTION_SIZE,
    OPTION_TITLE,
    OPTION_LOG,
    OPTION_EQUAL,
    OPTION_POINTS,
    OPTION_STYLE,
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
    [OPTION_O] = {"-o", "FILE",
                  "picture: .svg, .pdf or .png; without it the name of the first result with\n"
                  ".svg, in the current folder"},
    [OPTION_OUT] = {"--out", "FILE", "the same"},
    [OPTION_PANELS] = {"--panels", "unit|one|each",
                       "a panel for each unit (default), one for all, or one for each signal"},
    [OPTION_FROM] = {"--from", "SECONDS", "begin of the time shown"},
    [OPTION_TO] = {"--to", "SECONDS", "end of the time shown"},
    [OPTION_SIZE] = {"--size", "WxH",
                     "size in mm (160x100, 160x100mm; PNG with 300 dots per inch) or, with px,\n"
                     "in pixels of 1/96 inch (900x420px)"},
    [OPTION_TITLE] = {"--title", "TEXT", "title above the panels"},
    [OPTION_LOG] = {"--log", "x|y|xy", "logarithmic axes; values at or below zero are left out"},
    [OPTION_EQUAL] = {"--equal", NULL, "phase plots: the same scale in both directions"},
    [OPTION_POINTS] = {"--points", NULL, "mark the stored frames"},
    [OPTION_STYLE] = {"--style", "light|dark", "colours; light if not given"},
};

static const cli_syntax syntax = {
    .usage = "percuss plot RESULT... SIGNAL... [-o plot.svg] [OPTION]...",
    .text = "Draws signals of results over time, or one over the other: X:Y is a phase plot of Y\n"
            "over X. Wildcards are allowed ('contact.*.gap', in quotes), and SIGNAL=LABEL names a\n"
            "curve. contact.NAME.impact is the impacts of a contact, as stems in N s. Several\n"
            "results are overlaid.",
    .options = options,
    .n_options = OPTION_COUNT,
    .may_be_empty = "--title",
    .notes = "percuss plot ball.h5 body.ball.position.y contact.floor.state -o ball.svg\n"
             "percuss plot hammer.h5 joint.hinge.angle:joint.hinge.rate -o phase.pdf\n\n"
             "percuss info RESULT --signals lists the signals.\n"
             "exit code: 0; 2 mistake in an option, a result or a signal; 3 the picture could not\n"
             "be written",
};

typedef struct request {
    char **results, **signals; // into argv
    int32_t n_results, n_signals;
    const char *out;
    plot_format format;
    plot_grouping grouping;
    double width, height; // points; 0: chosen
    double scale;         // pixels in a point
    plot_figure look;     // everything but the panels
} request;

static const double POINTS_IN_MM = 72 / 25.4, POINTS_IN_PX = 0.75;
static const double PIXELS_IN_POINT_ON_PAPER = 300.0 / 72;

// ---- Options ----

static bool read_size(const char *text, request *wish)
{
    double width = 0, height = 0;
    char *end = NULL;
    width = strtod(text, &end);
    bool ok = end != text && *end == 'x';
    const char *second = ok ? end + 1 : text;
    height = ok ? strtod(second, &end) : 0;
    ok = ok && end != second;
    bool px = ok && strcmp(end, "px") == 0;
    ok = ok && (px || !*end || strcmp(end, "mm") == 0);
    double unit = px ? POINTS_IN_PX : POINTS_IN_MM;
    wish->width = width * unit;
    wish->height = height * unit;
    wish->scale = px ? 1 / POINTS_IN_PX : PIXELS_IN_POINT_ON_PAPER;
    // Smaller has no room for labels, larger no use.
    ok = ok && wish->width >= 110 && wish->height >= 80 && wish->width <= 5000 &&
         wish->height <= 5000;
    if (!ok)
        cli_message("--size %s: must be WIDTHxHEIGHT in mm (160x100) or px (900x420px), from 40x30 "
                    "to 1700x1700 mm or from 150x110 to 6500x6500 px",
                    text);
    return ok;
}

// The place of `text` among the words, or -1 with a message.
static int read_word(const char *name, const char *text, const char *const *words, int count)
{
    for (int k = 0; k < count; k++)
        if (strcmp(text, words[k]) == 0)
            return k;
    const char *nearest = cli_nearest(text, words, count);
    if (nearest)
        cli_message("%s %s: did you mean '%s'?", name, text, nearest);
    else
        cli_message("%s %s: see percuss plot --help", name, text);
    return -1;
}

static bool read_format(request *wish, const char *path)
{
    static const char *const endings[] = {".svg", ".pdf", ".png"};
    size_t length = strlen(path);
    wish->out = path;
    for (int k = 0; k < 3; k++)
        if (length > 4 && strcmp(path + length - 4, endings[k]) == 0) {
            wish->format = (plot_format)k;
            return true;
        }
    cli_message("%s: the name of a picture must end in .svg, .pdf or .png", path);
    return false;
}

static bool take_option(request *wish, int option, const char *value)
{
    static const char *const groupings[] = {"unit", "one", "each"};
    static const char *const styles[] = {"light", "dark"};
    static const char *const logs[] = {"x", "y", "xy"};
    plot_figure *look = &wish->look;
    int word;
    switch (option) {
    case OPTION_O:
    case OPTION_OUT:
        return read_format(wish, value);
    case OPTION_PANELS:
        word = read_word("--panels", value, groupings, 3);
        wish->grouping = (plot_grouping)word;
        return word >= 0;
    case OPTION_FROM:
        return cli_read_time("--from", value, &look->from);
    case OPTION_TO:
        return cli_read_time("--to", value, &look->to);
    case OPTION_SIZE:
        return read_size(value, wish);
    case OPTION_TITLE:
        look->title = *value ? value : NULL;
        return true;
    case OPTION_LOG:
        word = read_word("--log", value, logs, 3);
        look->log_x = word == 0 || word == 2;
        look->log_y = word == 1 || word == 2;
        return word >= 0;
    case OPTION_EQUAL:
        look->equal = true;
        return true;
    case OPTION_POINTS:
        look->points = true;
        return true;
    default:
        word = read_word("--style", value, styles, 2);
        look->dark = word == 1;
        return word >= 0;
    }
}

// The first operand is a result; so is what looks like a file, and before the first signal what is
// a file.
static bool is_result(const request *wish, const char *operand)
{
    struct stat info;
    const char *ending = strrchr(operand, '.');
    if (wish->n_results == 0 || strchr(operand, '/'))
        return true;
    if (ending && (strcmp(ending, ".h5") == 0 || strcmp(ending, ".hdf5") == 0 ||
                   strcmp(ending, ".part") == 0))
        return true;
    return wish->n_signals == 0 && stat(operand, &info) == 0;
}

static bool take_argument(void *user, int option, char *value)
{
    request *wish = user;
    if (option != CLI_OPERAND)
        return take_option(wish, option, value);
    if (is_result(wish, value))
        wish->results[wish->n_results++] = value;
    else
        wish->signals[wish->n_signals++] = value;
    return true;
}

static cli_exit read_arguments(request *wish, int argc, char **argv, bool *done)
{
    const int parsed = cli_parse(&syntax, argc, argv, take_argument, wish);
    *done = parsed == CLI_HELP;
    if (parsed != CLI_END)
        return *done ? CLI_EXIT_OK : CLI_EXIT_BAD_INPUT;
    if (wish->n_results == 0 || wish->n_signals == 0) {
        cli_message("plot needs %s: %s", wish->n_results == 0 ? "a result" : "a signal",
                    syntax.usage);
        return CLI_EXIT_BAD_INPUT;
    }
    if (wish->look.from >= wish->look.to) {
        cli_message("--from %g must be before --to %g", wish->look.from, wish->look.to);
        return CLI_EXIT_BAD_INPUT;
    }
    return CLI_EXIT_OK;
}

// ---- The picture ----

// Without --size: 160 mm wide for time, squarer for phase plots, higher with more panels.
static bool choose_size(const request *wish, plot_figure *figure)
{
    int32_t n = figure->n_panels;
    bool phase = true;
    for (int32_t p = 0; p < n; p++)
        phase = phase && !figure->panels[p].by_time;
    figure->width = wish->width;
    figure->height = wish->height;
    if (figure->width == 0) {
        double width = phase ? (n == 1 ? 110 : fmin(90.0 * n, 1700)) : 160;
        double height = phase ? 90 : fmin(45 + 45.0 * n, 1700);
        figure->width = width * POINTS_IN_MM;
        figure->height = height * POINTS_IN_MM;
    }
    double room = phase ? figure->width / n : (figure->height - 40) / n;
    if (room >= (phase ? 90 : 28))
        return true;
    cli_message("%d panels have no room in the picture; enlarge it (--size) or use --panels one",
                (int)n);
    return false;
}

static void default_name(const request *wish, char *name, size_t size)
{
    const char *slash = strrchr(wish->results[0], '/');
    const char *file = slash ? slash + 1 : wish->results[0], *dot = strrchr(file, '.');
    const size_t length = dot && dot != file ? (size_t)(dot - file) : strlen(file);
    const size_t most = size - sizeof ".svg";
    snprintf(name, size, "%.*s.svg", (int)(length < most ? length : most), file);
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat one, two;
    return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

static cli_exit draw(request *wish, plot_data *data, pcs_context *ctx)
{
    char name[512], text[512];
    cli_exit code = plot_data_open(data, ctx, wish->results, wish->n_results);
    for (int32_t i = 0; code == CLI_EXIT_OK && i < wish->n_signals; i++)
        code = plot_data_add(data, wish->signals[i]);
    data->figure = wish->look;
    if (code == CLI_EXIT_OK)
        code = plot_data_group(data, ctx, wish->grouping);
    if (code != CLI_EXIT_OK)
        return code;
    if (!choose_size(wish, &data->figure))
        return CLI_EXIT_BAD_INPUT;
    const char *out = wish->out ? wish->out : name;
    if (!wish->out)
        default_name(wish, name, sizeof name);
    for (int32_t s = 0; s < wish->n_results; s++)
        if (is_same_file(wish->results[s], out)) {
            cli_message("%s: the picture would replace the result", out);
            return CLI_EXIT_BAD_INPUT;
        }
    const char *reason = plot_write(ctx, &data->figure, out, wish->format, wish->scale, text,
                                    sizeof text);
    if (!reason)
        return CLI_EXIT_OK;
    cli_message("%s", reason);
    return CLI_EXIT_FAILED;
}

cli_exit cli_plot(int argc, char **argv)
{
    request wish = {.scale = PIXELS_IN_POINT_ON_PAPER, .look = {.from = NAN, .to = NAN}};
    plot_data data = {0};
    bool done = false;
    wish.results = calloc((size_t)argc, sizeof *wish.results);
    wish.signals = calloc((size_t)argc, sizeof *wish.signals);
    if (!wish.results || !wish.signals)
        cli_message("out of memory");
    pcs_context *ctx = wish.results && wish.signals ? cli_context_create() : NULL;
    cli_exit code = ctx ? read_arguments(&wish, argc, argv, &done) : CLI_EXIT_FAILED;
    if (code == CLI_EXIT_OK && !done && !plot_is_available()) {
        cli_message("this percuss was built without plots; install cairo (Debian: libcairo2-dev) "
                    "and build it again with -DPERCUSS_PLOT=ON");
        code = CLI_EXIT_FAILED;
    } else if (code == CLI_EXIT_OK && !done) {
        code = draw(&wish, &data, ctx);
        plot_release();
    }
    plot_data_free(&data);
    pcs_context_destroy(ctx);
    free(wish.signals);
    free(wish.results);
    return code;
}
