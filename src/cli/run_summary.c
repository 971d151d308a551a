#include "run_summary.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

enum { LABEL_WIDTH = 20, NAMES_SHOWN = 12 };

// From here on a difference of the initial state from the model file is worth a line.
static const double START_LIMIT = 1e-9; // m, rad, m/s, rad/s

void cli_summary_line(FILE *out, const char *label, const char *format, ...)
{
    va_list args;
    fprintf(out, "  %-*s", LABEL_WIDTH, label);
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    putc('\n', out);
}

// ---- The model ----

typedef const char *(*name_fn)(const pcs_model *model, int32_t i);

static const char *joint_text(const pcs_model *model, int32_t i)
{
    static char text[128]; // printed before the next call
    snprintf(text, sizeof text, "%s (%s)", pcs_model_joint_name(model, i),
             pcs_joint_kind_name(pcs_model_joint_kind(model, i)));
    return text;
}

static void report_names(FILE *out, const char *label, const pcs_model *model, int32_t count,
                         name_fn name)
{
    fprintf(out, "  %-*s%d", LABEL_WIDTH, label, (int)count);
    for (int32_t i = 0; i < count && i < NAMES_SHOWN; i++)
        fprintf(out, "%s%s", i == 0 ? ": " : ", ", name(model, i));
    if (count > NAMES_SHOWN)
        fprintf(out, " and %d more", (int)(count - NAMES_SHOWN));
    putc('\n', out);
}

// "chain: 4 nodes, 3 elements (bar), 0.2 kg"; every kind once, and no end of the line.
static void print_mesh(FILE *out, const pcs_model *model, int32_t mesh)
{
    int32_t elements = 0;
    bool has[PCS_ELEMENT_KIND_COUNT] = {false};
    for (int32_t i = 0; i < pcs_model_mesh_part_count(model, mesh); i++) {
        const pcs_mesh_part_view part = pcs_model_mesh_part(model, mesh, i);
        elements += part.n_elements;
        has[part.kind] = true;
    }
    fprintf(out, "  %-*s%s: %d nodes, %d elements", LABEL_WIDTH, mesh == 0 ? "meshes" : "",
            pcs_model_mesh_name(model, mesh), (int)pcs_model_mesh_node_count(model, mesh),
            (int)elements);
    const char *before = " (";
    for (int k = 0; k < PCS_ELEMENT_KIND_COUNT; k++) {
        if (has[k]) {
            fprintf(out, "%s%s", before, pcs_element_kind_name((pcs_element_kind)k));
            before = ", ";
        }
    }
    fprintf(out, "), %.4g kg", pcs_model_mesh_mass(model, mesh));
}

static void report_meshes(FILE *out, const pcs_model *model)
{
    const int32_t count = pcs_model_mesh_count(model);
    for (int32_t i = 0; i < count && i < NAMES_SHOWN; i++) {
        print_mesh(out, model, i);
        putc('\n', out);
    }
    if (count > NAMES_SHOWN)
        cli_summary_line(out, "", "and %d more", (int)(count - NAMES_SHOWN));
}

void cli_summary_model(FILE *out, const pcs_model *model, int32_t redundant)
{
    int32_t dimension = pcs_model_dimension(model);
    int32_t velocities = pcs_model_velocity_count(model);
    int32_t rows = pcs_model_row_count(model);
    cli_summary_line(out, "dimension", "%d (%s)", (int)dimension,
                     dimension == 2 ? "planar, x-y plane" : "spatial");
    report_names(out, "bodies", model, pcs_model_body_count(model), pcs_model_body_name);
    if (pcs_model_system_count(model) > 0)
        report_names(out, "systems", model, pcs_model_system_count(model), pcs_model_system_name);
    report_meshes(out, model);
    report_names(out, "joints", model, pcs_model_joint_count(model), joint_text);
    if (pcs_model_coupling_count(model) > 0)
        report_names(out, "gears and racks", model, pcs_model_coupling_count(model),
                     pcs_model_coupling_name);
    report_names(out, "contact points", model, pcs_model_contact_count(model),
                 pcs_model_contact_name);
    if (pcs_model_input_count(model) > 0)
        report_names(out, "inputs", model, pcs_model_input_count(model), pcs_model_input_name);
    if (redundant < 0)
        cli_summary_line(out, "unknowns", "%d velocities, %d constraint rows", (int)velocities,
                         (int)rows);
    else
        cli_summary_line(out, "degrees of freedom",
                         "%d (%d velocities, %d constraint rows, %d of them redundant)",
                         (int)(velocities - rows + redundant), (int)velocities, (int)rows,
                         (int)redundant);
}

static const char *owner_kind(pcs_body_id body)
{
    return body < PCS_GROUND ? "system" : "body";
}

void cli_summary_assembly(FILE *out, const pcs_model *model, const pcs_statistics *statistics,
                          bool in_full)
{
    bool moved = statistics->assembly_body != PCS_GROUND;
    bool changed = statistics->assembly_velocity_body != PCS_GROUND;
    if (pcs_model_row_count(model) == 0)
        return; // nothing to fit
    if (moved && (in_full || statistics->assembly_moved > START_LIMIT))
        cli_summary_line(out, "initial positions",
                         "moved by at most %.3g m or rad (%s %s) to close the joints",
                         statistics->assembly_moved, owner_kind(statistics->assembly_body),
                         pcs_model_body_name(model, statistics->assembly_body));
    else if (in_full)
        cli_summary_line(out, "initial positions", "fit the joints, nothing was moved");
    if (changed && (in_full || statistics->assembly_velocity > START_LIMIT))
        cli_summary_line(out, "initial velocities",
                         "changed by at most %.3g m/s or rad/s (%s %s) to fit the joints",
                         statistics->assembly_velocity,
                         owner_kind(statistics->assembly_velocity_body),
                         pcs_model_body_name(model, statistics->assembly_velocity_body));
    else if (in_full)
        cli_summary_line(out, "initial velocities", "fit the joints, nothing was changed");
}

// The chosen text of a scheme option, NULL if the scheme has no such choice.
static const char *find_choice(const pcs_simulation *simulation, const char *scheme,
                               const char *key)
{
    const char *name;
    const pcs_option *options = NULL;
    int32_t count = 0;
    double value = 0;
    for (int32_t i = 0; (name = pcs_scheme_name(i, NULL, &options, &count)); i++) {
        for (int32_t k = 0; k < count && strcmp(name, scheme) == 0; k++) {
            if (options[k].type == PCS_OPTION_CHOICE && strcmp(options[k].key, key) == 0 &&
                pcs_simulation_get(simulation, key, &value) >= 0)
                return options[k].choices[(int)value];
        }
    }
    return NULL;
}

// A limit of a joint is a contact "JOINT.lower" or "JOINT.upper", and may be an angle.
static bool is_limit(const char *contact)
{
    const char *end = strrchr(contact, '.');
    return end && (strcmp(end, ".lower") == 0 || strcmp(end, ".upper") == 0);
}

void cli_summary_initial_contact(FILE *out, const pcs_simulation *simulation, const char *scheme)
{
    const pcs_model *model = pcs_simulation_model(simulation);
    const pcs_statistics *statistics = pcs_simulation_statistics(simulation);
    if (pcs_model_contact_count(model) == 0)
        return;
    if (!(statistics->initial_penetration > START_LIMIT)) {
        cli_summary_line(out, "initial contacts", "none starts inside the other body");
        return;
    }
    const char *contact = pcs_model_contact_name(model, statistics->initial_contact);
    const char *projection = find_choice(simulation, scheme, "projection");
    bool stays = projection && strcmp(projection, "all") != 0;
    fprintf(out, "  %-*s%s '%s' starts %.3g %s deep; ", LABEL_WIDTH, "initial contacts",
            is_limit(contact) ? "limit" : "contact", contact, statistics->initial_penetration,
            is_limit(contact) ? "m or rad" : "m");
    if (stays)
        fprintf(out, "with projection: %s it stays inside\n", projection);
    else
        fputs("the first steps will push it out\n", out);
}

void cli_summary_redundant_rows(FILE *out, const pcs_simulation *simulation)
{
    const pcs_model *model = pcs_simulation_model(simulation);
    int32_t rows = pcs_model_row_count(model), shown = 0, count = 0;
    for (int32_t i = 0; i < rows; i++)
        count += pcs_simulation_row_is_redundant(simulation, i);
    for (int32_t i = 0; i < rows && shown < NAMES_SHOWN; i++) {
        if (pcs_simulation_row_is_redundant(simulation, i))
            cli_summary_line(out, shown++ == 0 ? "redundant rows" : "", "%s",
                             pcs_model_row_name(model, i));
    }
    if (count > shown)
        cli_summary_line(out, "", "and %d more", (int)(count - shown));
    if (count > 0)
        cli_summary_line(out, "",
                         "other joints already hold them: the motion is right, but the reactions\n"
                         "  %-*sof these joints are shared out arbitrarily",
                         LABEL_WIDTH, "");
}

// ---- The run ----

// Steps of the scheme; if it chooses its own, also those of the output, and what a hybrid one
// time-stepped and why.
static void print_steps(FILE *out, const pcs_statistics *statistics)
{
    const long long steps = (long long)statistics->steps;
    const long long rejected = (long long)statistics->rejected_steps;
    const long long unconverged = (long long)statistics->unconverged_steps;
    if (statistics->inner_steps == statistics->steps) {
        cli_summary_line(out, "steps", "%lld accepted, %lld rejected, %lld not converged", steps,
                         rejected, unconverged);
    } else {
        cli_summary_line(out, "steps", "%lld of the output, %lld not converged", steps,
                         unconverged);
        cli_summary_line(out, "inner steps", "%lld accepted, %lld rejected, the smallest %.3g s",
                         (long long)statistics->inner_steps, rejected, statistics->smallest_step);
    }
    if (statistics->evaluations > 0)
        cli_summary_line(out, "evaluations", "%lld of the equations of motion",
                         (long long)statistics->evaluations);
    if (statistics->time_stepping > 0)
        cli_summary_line(out, "time stepping",
                         "%.4g s of the simulated time; switches: %lld for impacts, %lld for "
                         "friction, %lld for edges",
                         statistics->time_stepping, (long long)statistics->switches_zeno,
                         (long long)statistics->switches_friction,
                         (long long)statistics->switches_edge);
}

void cli_summary_statistics(FILE *out, const pcs_statistics *statistics)
{
    print_steps(out, statistics);
    cli_summary_line(out, "impacts", "%lld", (long long)statistics->impacts);
    cli_summary_line(out, "closed contacts", "%d at the end, %d at most",
                     (int)statistics->contacts_now, (int)statistics->contacts_most);
    cli_summary_line(out, "worst penetration", "%.3g m", statistics->worst_penetration);
    cli_summary_line(out, "worst joint drift", "%.3g m or rad, in velocity %.3g m/s or rad/s",
                     statistics->worst_drift, statistics->worst_velocity_drift);
    cli_summary_line(out, "worst residual",
                     "%.2g of the contact problem, %.2g of the momentum balance",
                     statistics->worst_residual, statistics->worst_newton);
}

void cli_summary_forces(FILE *out, const pcs_run_facts *facts)
{
    const pcs_statistics *statistics = facts->statistics;
    const pcs_extreme *most = &statistics->free_forces;
    if (!(most->value > 0))
        return;
    const char *contact = most->where >= 0 ? facts->contact_name(facts->owner, most->where) : NULL;
    cli_summary_line(
        out, "forces not unique",
        "%.0f of %d components of contact forces are free (%s%sat t = %.4g s);\n"
        "  %-*ssums and the motion are unique, unless these slide in different directions",
        most->value, (int)statistics->force_components, contact ? contact : "", contact ? " " : "",
        most->time, LABEL_WIDTH, "");
}

// The first result of each part of a mesh, at the element where it is largest.
static void print_largest(FILE *out, const pcs_simulation *simulation, int32_t mesh)
{
    const pcs_model *model = pcs_simulation_model(simulation);
    for (int32_t p = 0; p < pcs_model_mesh_part_count(model, mesh); p++) {
        const pcs_mesh_part_view part = pcs_model_mesh_part(model, mesh, p);
        const size_t count = (size_t)part.n_elements * (size_t)part.n_results;
        double *results = count > 0 ? malloc(count * sizeof *results) : NULL;
        if (!results)
            continue;
        pcs_simulation_mesh_results(simulation, mesh, p, results);
        int32_t where = 0;
        for (int32_t e = 1; e < part.n_elements; e++)
            if (fabs(results[e * part.n_results]) > fabs(results[where * part.n_results]))
                where = e;
        const char *unit = pcs_mesh_result_unit(part.results_names[0]);
        fprintf(out, ", largest %s %.4g%s%s", part.results_names[0],
                results[where * part.n_results], strcmp(unit, "1") == 0 ? "" : " ",
                strcmp(unit, "1") == 0 ? "" : unit);
        free(results);
    }
}

void cli_summary_meshes(FILE *out, const pcs_simulation *simulation)
{
    const pcs_model *model = pcs_simulation_model(simulation);
    const int32_t count = pcs_model_mesh_count(model);
    for (int32_t i = 0; i < count && i < NAMES_SHOWN; i++) {
        const pcs_mesh_energy energy = pcs_simulation_mesh_energy(simulation, i);
        print_mesh(out, model, i);
        fprintf(out, "\n  %-*s  at the end: strain energy %.4g J", LABEL_WIDTH, "", energy.strain);
        print_largest(out, simulation, i);
        putc('\n', out);
    }
}

// Zero for what rounding leaves of an energy that has gone.
static double without_noise(double value, const pcs_energy_scale *scale)
{
    const double noise = 1e-16; // of the largest energy: half a unit of the last digit of a double
    return fabs(value) <= noise * scale->largest ? 0 : value;
}

void cli_summary_energy(FILE *out, const pcs_statistics *statistics, const pcs_energy_scale *scale)
{
    const pcs_energy_account *energy = &statistics->energy;
    double largest;
    const double remainder = pcs_energy_remainder(statistics, scale, &largest);
    double end = energy->kinetic + energy->potential;
    double start = pcs_energy_at_start(energy);
    const struct {
        const char *label;
        double value;
    } rows[] = {
        {"at the start", start},
        {"applied forces", energy->applied},
        {"actuators", energy->actuator},
        {"prescribed motions", energy->driver},
        {"damping", energy->damping},
        {"friction", energy->friction},
        {"impacts", energy->impact},
        {"numerical remainder", energy->numerical},
        {"at the end", end},
    };
    enum { N = sizeof rows / sizeof *rows, REMAINDER = N - 2, END = N - 1 };
    fputs("energy balance\n", out);
    for (int i = 0; i < N; i++) {
        double value = i == REMAINDER ? rows[i].value : without_noise(rows[i].value, scale);
        if (!isfinite(value))
            fprintf(out, "  %-*s%12s", LABEL_WIDTH, rows[i].label, "not finite");
        else
            fprintf(out, "  %-*s%12.6g J", LABEL_WIDTH, rows[i].label, value + 0.0); // no -0
        if (i == REMAINDER && isfinite(value) && largest > 0)
            fprintf(out, "  (%.2g of the largest energy or work, %.3g J)", remainder, largest);
        else if (i == REMAINDER && isfinite(value) && value != 0 && remainder < 1)
            fputs("  (rounding)", out);
        if (i == END && isfinite(value))
            fprintf(out, "  (kinetic %.6g J, potential %.6g J)",
                    without_noise(energy->kinetic, scale) + 0.0,
                    without_noise(energy->potential, scale) + 0.0);
        putc('\n', out);
    }
}

// ---- Warnings ----

static const char *name_contact(const void *model, int32_t slot)
{
    return slot < pcs_model_contact_count(model) ? pcs_model_contact_name(model, slot) : NULL;
}

static const char *name_body(const void *model, int32_t body)
{
    return body != PCS_GROUND ? pcs_model_body_name(model, body) : NULL;
}

pcs_run_facts cli_find_run_facts(const pcs_simulation *simulation, const char *scheme,
                                 const pcs_energy_scale *energy)
{
    const pcs_model *model = pcs_simulation_model(simulation);
    const pcs_statistics *statistics = pcs_simulation_statistics(simulation);
    const int32_t count = pcs_model_contact_count(model);
    pcs_run_facts facts = {
        .statistics = statistics,
        .energy = *energy,
        .contacts = count,
        .joints = pcs_model_row_count(model), // of joints, gears and systems
        .contact_name = name_contact,
        .body_name = name_body,
        .owner = model,
        .projection = find_choice(simulation, scheme, "projection"),
        .gap = INFINITY,
    };
    for (int32_t i = 0; i < count; i++) {
        pcs_contact_view view;
        pcs_simulation_contact(simulation, i, &view);
        if (view.gap < facts.gap) {
            facts.gap = view.gap;
            facts.deepest = pcs_model_contact_name(model, i);
        }
    }
    return facts;
}

void cli_summary_warning(FILE *out, const char *text)
{
    enum { WIDTH = 100, INDENT = 9 };
    int column = fprintf(out, "warning:");
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column + 1 + length > WIDTH && column > INDENT)
            column = fprintf(out, "\n%*s", INDENT - 1, "") - 1;
        column += fprintf(out, " %.*s", length, text);
        text += length + (text[length] == ' ');
    }
    putc('\n', out);
}

static void print_warnings(FILE *out, const pcs_finding *findings)
{
    // What else the library finds stands in the lines above.
    static const pcs_finding_kind kinds[] = {
        PCS_FINDING_INITIAL_PENETRATION,
        PCS_FINDING_UNCONVERGED,
        PCS_FINDING_PENETRATION,
        PCS_FINDING_HOVER,
        PCS_FINDING_DRIFT,
        PCS_FINDING_ENERGY,
        PCS_FINDING_ERROR,
        PCS_FINDING_RESOLUTION,
        PCS_FINDING_IMPACT_GAIN,
        PCS_FINDING_CHATTER,
        PCS_FINDING_ANGULAR_MOMENTUM,
        PCS_FINDING_SINGULAR,
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const pcs_finding *f = &findings[kinds[i]];
        if (f->applies && f->level != PCS_LEVEL_GOOD)
            cli_summary_warning(out, f->text);
    }
}

pcs_level cli_summary_verdict(FILE *out, const pcs_run_facts *facts, const char *unfinished)
{
    pcs_finding findings[PCS_FINDING_KIND_COUNT];
    char text[512];
    pcs_run_judge(facts, findings);
    const pcs_level level = pcs_run_verdict(findings, text, sizeof text);
    print_warnings(out, findings);
    if (unfinished)
        fprintf(out, "verdict: none. The run %s before its end; what it computed is %s.%s%s\n",
                unfinished, pcs_level_name(level), level == PCS_LEVEL_GOOD ? "" : " ",
                level == PCS_LEVEL_GOOD ? "" : text);
    else
        fprintf(out, "verdict: %s. %s\n", pcs_level_name(level), text);
    return level;
}

pcs_level cli_message_verdict(const pcs_run_facts *facts)
{
    pcs_finding findings[PCS_FINDING_KIND_COUNT];
    pcs_run_judge(facts, findings);
    for (int k = 0; k < PCS_FINDING_KIND_COUNT; k++)
        if (findings[k].applies && findings[k].level == PCS_LEVEL_BAD) {
            cli_message("the verdict is bad: %s", findings[k].text);
            return PCS_LEVEL_BAD;
        }
    return PCS_LEVEL_GOOD;
}
