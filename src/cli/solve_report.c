#include "solve_report.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "interrupt.h"
#include "run_summary.h"
#include "solve_table.h"

static const char *const measure_names[] = {
    [PCS_MEASURE_SCALED] = "scaled",
    [PCS_MEASURE_UNSCALED] = "unscaled",
    [PCS_MEASURE_RELATIVE] = "relative",
};

static double verified(const cli_solve_result *result)
{
    return cli_residual_in(&result->verdict.residual, result->opts->measure);
}

const char *cli_solve_word(const cli_solve_result *result)
{
    if (result->status < 0)
        return "error";
    if (verified(result) <= result->opts->tolerance)
        return "solved";
    if (result->status == PCS_INTERRUPTED)
        return cli_interrupted() ? "interrupted" : "timeout";
    if (result->info.at_rounding)
        return "rounding";
    return result->status == PCS_OK ? "false" : "unsolved";
}

// ---- The line ----

void cli_solve_print_heading(FILE *out, int name_width)
{
    fprintf(out, "%-*s  %-10s %8s  %-21s %-11s %9s %10s %9s\n", name_width, "file", "class",
            "contacts", "solver", "status", "residual", "iterations", "time");
}

void cli_solve_print_line(FILE *out, const cli_solve_result *result, int name_width)
{
    char class_text[CLI_CLASS_TEXT], time[CLI_TIME_TEXT];
    const pcs_problem *problem = result->problem;
    fprintf(
        out, "%-*s  %-10s %8d  %-21s %-11s", name_width, result->file,
        cli_class_text(class_text, pcs_problem_get_class(problem), pcs_problem_dimension(problem)),
        (int)pcs_problem_contacts(problem), result->solver, cli_solve_word(result));
    if (result->status >= 0 && isnan(verified(result)))
        fprintf(out, " %9s", "-");
    else if (result->status >= 0)
        fprintf(out, " %9.2e", verified(result));
    if (result->status >= 0)
        fprintf(out, " %10d %9s", (int)result->info.iterations,
                cli_time_text(time, result->info.seconds));
    putc('\n', out);
}

// ---- The block ----

static void report_sizes(FILE *out, const pcs_problem *problem)
{
    pcs_problem_class problem_class = pcs_problem_get_class(problem);
    if (problem_class == PCS_PROBLEM_LCP || problem_class == PCS_PROBLEM_MLCP) {
        cli_summary_line(out, "size", "%d row%s, %d of them complementary",
                         (int)pcs_problem_rows(problem), pcs_problem_rows(problem) == 1 ? "" : "s",
                         (int)pcs_problem_contacts(problem));
        return;
    }
    cli_summary_line(out, "size", "%d contact%s in %dD, %d bilateral rows, %d rows in all",
                     (int)pcs_problem_contacts(problem),
                     pcs_problem_contacts(problem) == 1 ? "" : "s",
                     (int)pcs_problem_dimension(problem), (int)pcs_problem_bilateral_rows(problem),
                     (int)pcs_problem_rows(problem));
    if (problem_class == PCS_PROBLEM_GLOBAL)
        cli_summary_line(out, "degrees of freedom", "%d", (int)pcs_problem_dofs(problem));
}

static void report_stages(FILE *out, const pcs_solve_info *info, double tolerance)
{
    char time[CLI_TIME_TEXT];
    for (int32_t k = 0; k < info->n_stages; k++) {
        const pcs_solve_stage *stage = &info->stage[k];
        bool closed = k == info->n_stages - 1 && stage->residual <= tolerance;
        cli_summary_line(out, k == 0 ? "stages" : "", "%-20s %7d iterations %9s  residual %.2e%s",
                         stage->name, (int)stage->iterations, cli_time_text(time, stage->seconds),
                         stage->residual, closed ? "  closed the gap" : "");
    }
}

static void report_verdict(FILE *out, const cli_solve_result *result)
{
    const pcs_verdict *verdict = &result->verdict;
    pcs_problem_class problem_class = pcs_problem_get_class(result->problem);
    bool friction = problem_class == PCS_PROBLEM_LOCAL || problem_class == PCS_PROBLEM_GLOBAL;
    if (isnan(verdict->residual.unscaled)) {
        cli_summary_line(out, "residual", "not measured");
        return;
    }
    cli_summary_line(
        out, "residual", "%.2e relative, %.2e scaled, %.2e unscaled (tolerance %g, %s)",
        verdict->residual.relative, verdict->residual.scaled, verdict->residual.unscaled,
        result->opts->tolerance, measure_names[result->opts->measure]);
    if (friction)
        cli_summary_line(out, "contacts", "%d open, %d stick, %d slip", (int)verdict->open,
                         (int)verdict->stick, (int)verdict->slip);
    cli_summary_line(out, friction ? "outside the cone" : "negative z", "%.2e", verdict->cone);
    cli_summary_line(out, friction ? "outside the dual" : "negative w", "%.2e", verdict->dual);
    cli_summary_line(out, "complementarity", "%.2e", verdict->complementarity);
    if (friction)
        cli_summary_line(out, "dissipation", "%.6g", verdict->dissipation);
    if (pcs_problem_bilateral_rows(result->problem) > 0)
        cli_summary_line(out, "bilateral rows", "%.2e", verdict->bilateral);
    if (problem_class == PCS_PROBLEM_GLOBAL)
        cli_summary_line(out, "M v - H r - f", "%.2e", verdict->equation);
}

void cli_solve_print_report(FILE *out, const cli_solve_result *result)
{
    char time[CLI_TIME_TEXT];
    const pcs_solve_info *info = &result->info;
    const char *word = cli_solve_word(result);
    bool solved = strcmp(word, "solved") == 0;
    report_sizes(out, result->problem);
    if (result->status < 0)
        return;
    report_stages(out, info, result->opts->tolerance);
    cli_summary_line(out, "iterations", "%d, %d factorisations, %s", (int)info->iterations,
                     (int)info->factorisations, cli_time_text(time, info->seconds));
    report_verdict(out, result);
    if (info->solutions >= 0)
        cli_summary_line(out, "solutions", "%d", (int)info->solutions);
    if (!solved && result->verdict.residual.worst >= 0)
        cli_summary_line(out, "worst contact", "%d (counted from 0)",
                         (int)result->verdict.residual.worst);
    if (strcmp(word, "rounding") == 0)
        cli_summary_line(out, "note", "rounding r to double leaves no smaller residual");
    else if (strcmp(word, "false") == 0)
        cli_summary_line(out, "note",
                         "the solver reports success, the independent check does not confirm it");
    if (info->reason[0])
        cli_summary_line(out, "reason", "%s", info->reason);
}

// ---- JSON ----

static void json_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, "\"%s\":\"", key);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

static void json_number(FILE *out, const char *key, double value)
{
    if (isfinite(value))
        fprintf(out, ",\"%s\":%.17g", key, value);
    else
        fprintf(out, ",\"%s\":null", key);
}

static void json_integer(FILE *out, const char *key, int32_t value)
{
    fprintf(out, ",\"%s\":%d", key, (int)value);
}

static void json_problem(FILE *out, const pcs_problem *problem)
{
    putc(',', out);
    json_text(out, "class", pcs_problem_class_name(pcs_problem_get_class(problem)));
    json_integer(out, "dimension", pcs_problem_dimension(problem));
    json_integer(out, "contacts", pcs_problem_contacts(problem));
    json_integer(out, "rows", pcs_problem_rows(problem));
    json_integer(out, "bilateral_rows", pcs_problem_bilateral_rows(problem));
    json_integer(out, "dofs", pcs_problem_dofs(problem));
}

static void json_verdict(FILE *out, const pcs_verdict *verdict)
{
    json_number(out, "relative", verdict->residual.relative);
    json_number(out, "scaled", verdict->residual.scaled);
    json_number(out, "unscaled", verdict->residual.unscaled);
    json_integer(out, "worst", verdict->residual.worst);
    json_number(out, "cone", verdict->cone);
    json_number(out, "dual", verdict->dual);
    json_number(out, "complementarity", verdict->complementarity);
    json_number(out, "bilateral", verdict->bilateral);
    json_number(out, "dissipation", verdict->dissipation);
    json_number(out, "equation", verdict->equation);
    json_integer(out, "open", verdict->open);
    json_integer(out, "stick", verdict->stick);
    json_integer(out, "slip", verdict->slip);
}

static void json_info(FILE *out, const pcs_solve_info *info)
{
    json_integer(out, "iterations", info->iterations);
    json_integer(out, "factorisations", info->factorisations);
    json_number(out, "seconds", info->seconds);
    if (info->solutions >= 0)
        json_integer(out, "solutions", info->solutions);
    fputs(",\"stages\":[", out);
    for (int32_t k = 0; k < info->n_stages; k++) {
        fputs(k > 0 ? ",{" : "{", out);
        json_text(out, "name", info->stage[k].name);
        json_integer(out, "iterations", info->stage[k].iterations);
        json_number(out, "seconds", info->stage[k].seconds);
        json_number(out, "residual", info->stage[k].residual);
        putc('}', out);
    }
    fputs("],", out);
    json_text(out, "reason", info->reason);
}

void cli_solve_print_json(FILE *out, const cli_solve_result *result)
{
    putc('{', out);
    json_text(out, "file", result->file);
    if (result->problem)
        json_problem(out, result->problem);
    if (result->solver) {
        putc(',', out);
        json_text(out, "solver", result->solver);
    }
    putc(',', out);
    json_text(out, "status", result->problem ? cli_solve_word(result) : "error");
    if (result->status >= 0 && result->problem) {
        json_number(out, "tolerance", result->opts->tolerance);
        putc(',', out);
        json_text(out, "measure", measure_names[result->opts->measure]);
        json_number(out, "residual", verified(result));
        json_verdict(out, &result->verdict);
        json_info(out, &result->info);
    } else {
        putc(',', out);
        json_text(out, "reason", result->error ? result->error : "");
    }
    fputs("}\n", out);
}
