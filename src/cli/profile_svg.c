// Performance profiles as SVG: one panel for each tolerance, tau on a logarithmic axis.
#include <math.h>

#include "profile.h"

enum {
    PANEL_WIDTH = 300,
    PANEL_HEIGHT = 260,
    GAP = 40,
    LEFT = 64,
    TOP = 62,
    BOTTOM = 52,
    LEGEND_WIDTH = 190,
    LEGEND_STEP = 18,
    DECADES_MAX = 4 // to the right of it, a solver is as good as lost
};

typedef struct panel {
    double x, y; // upper left corner
    double decades;
} panel;

// Okabe and Ito's colours, which colour-blind readers tell apart; a dash pattern after each round.
static const char *const colours[] = {"#000000", "#d55e00", "#0072b2", "#009e73",
                                      "#cc79a7", "#e69f00", "#56b4e9", "#999999"};
static const char *const dashes[] = {"none", "6 3", "2 3", "8 3 2 3"};
enum { COLOURS = sizeof colours / sizeof *colours, DASHES = sizeof dashes / sizeof *dashes };

static void write_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            putc(*text, out);
        }
    }
    fputs("</text>\n", out);
}

static void write_style(FILE *out, int32_t s)
{
    fprintf(out, "fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-dasharray=\"%s\"",
            colours[s % COLOURS], s == 0 ? "2.6" : "1.5", dashes[s / COLOURS % DASHES]);
}

static double x_of(const panel *place, double tau)
{
    double part = tau > 1 ? log10(tau) / place->decades : 0;
    return place->x + PANEL_WIDTH * (part < 1 ? part : 1);
}

static double y_of(const panel *place, double share)
{
    return place->y + PANEL_HEIGHT * (1 - share);
}

static void write_axes(FILE *out, const panel *place, double tolerance, bool first)
{
    char text[48];
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" "
            "stroke=\"#444\"/>\n",
            place->x, place->y, PANEL_WIDTH, PANEL_HEIGHT);
    for (int d = 0; d <= (int)place->decades; d++) {
        double x = x_of(place, pow(10, d));
        fprintf(out, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/>\n", x, place->y,
                place->y + PANEL_HEIGHT);
        snprintf(text, sizeof text, "%g", pow(10, d));
        write_text(out, x, place->y + PANEL_HEIGHT + 16, "middle", text);
    }
    for (int i = 0; i <= 5; i++) {
        double y = y_of(place, i / 5.0);
        fprintf(out, "<path d=\"M%.1f %.1fh%d\" stroke=\"#ddd\"/>\n", place->x, y, PANEL_WIDTH);
        snprintf(text, sizeof text, "%.1f", i / 5.0);
        if (first)
            write_text(out, place->x - 6, y + 4, "end", text);
    }
    snprintf(text, sizeof text, "tolerance %g", tolerance);
    write_text(out, place->x + PANEL_WIDTH / 2.0, place->y - 8, "middle", text);
    write_text(out, place->x + PANEL_WIDTH / 2.0, place->y + PANEL_HEIGHT + 36, "middle",
               "time / time of the fastest solver (tau)");
}

// A step at each problem's ratio.
static void write_curve(FILE *out, const panel *place, const cli_profile *profile, int32_t s)
{
    int32_t n = profile->n_problems;
    const double *ratio = profile->ratio + (size_t)s * (size_t)n;
    double end = pow(10, place->decades);
    int32_t count = 0;
    while (count < n && ratio[count] <= 1)
        count++;
    fprintf(out, "<path d=\"M%.1f %.1f", place->x, y_of(place, (double)count / n));
    for (; count < n && ratio[count] <= end; count++)
        fprintf(out, "H%.1fV%.1f", x_of(place, ratio[count]), y_of(place, (double)(count + 1) / n));
    fprintf(out, "H%.1f\" ", place->x + PANEL_WIDTH);
    write_style(out, s);
    fputs("/>\n", out);
}

static double count_decades(const cli_profile *profiles, int32_t count)
{
    double largest = 10;
    for (int32_t k = 0; k < count; k++) {
        for (int32_t i = 0; i < profiles[k].n_solvers * profiles[k].n_problems; i++) {
            if (isfinite(profiles[k].ratio[i]))
                largest = fmax(largest, profiles[k].ratio[i]);
        }
    }
    double decades = ceil(log10(largest));
    return decades < DECADES_MAX ? decades : DECADES_MAX;
}

void cli_profile_write_svg(FILE *out, const cli_profile *profiles, int32_t count, const char *title)
{
    int32_t solvers = count > 0 ? profiles[0].n_solvers : 0;
    int width = LEFT + (int)count * (PANEL_WIDTH + GAP) + LEGEND_WIDTH;
    int plot = TOP + PANEL_HEIGHT + BOTTOM, legend = TOP + (int)solvers * LEGEND_STEP + LEGEND_STEP;
    int height = plot > legend ? plot : legend;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height);
    fputs("<g font-size=\"14\">\n", out);
    write_text(out, LEFT, 24, "start", title);
    fprintf(out, "</g>\n<g transform=\"translate(18 %.1f) rotate(-90)\">\n",
            TOP + PANEL_HEIGHT / 2.0);
    write_text(out, 0, 0, "middle", "share of the problems solved (rho)");
    fputs("</g>\n", out);
    for (int32_t k = 0; k < count; k++) {
        panel place = {LEFT + k * (PANEL_WIDTH + GAP), TOP, count_decades(profiles, count)};
        write_axes(out, &place, profiles[k].tolerance, k == 0);
        for (int32_t s = solvers; profiles[k].n_problems > 0 && s-- > 0;) // the first on top
            write_curve(out, &place, &profiles[k], s);
    }
    double x = LEFT + (int)count * (PANEL_WIDTH + GAP);
    for (int32_t s = 0; s < solvers; s++) {
        double y = TOP + s * LEGEND_STEP + 6;
        fprintf(out, "<path d=\"M%.1f %.1fh26\" ", x, y);
        write_style(out, s);
        fputs("/>\n", out);
        write_text(out, x + 32, y + 4, "start", profiles[0].names[s]);
    }
    fputs("</svg>\n", out);
}
