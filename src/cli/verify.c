#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "run_summary.h"

// Beyond the first a difference is seen in a plot; beyond the second the paths have parted.
static const double NOTICE = 5e-2, PARTED = 1.0 / 3; // of the largest displacement
enum { FINER_MOST = 2, NUMBER_SIZE = 32, BODY_NUMBERS = 9 };
// A third run costs four times the first: it is made where the first is short.
static const double CHEAP = 1e6; // steps times unknowns

typedef struct impact_list {
    double *time; // from malloc
    int32_t *slot;
    int64_t count, room, seen; // seen: events looked at
} impact_list;

typedef struct finer_run {
    pcs_model_file *file;
    pcs_simulation *simulation;
    impact_list impacts;
    double distance;  // to the next coarser run, largest
    char setting[64]; // "step 5e-4 s"
} finer_run;

struct cli_verify {
    pcs_context *ctx;
    const pcs_model *model;
    int32_t n_bodies, n_coordinates, n_nodes;
    int n_finer;
    finer_run finer[FINER_MOST];
    impact_list impacts;
    double *start; // places at the start, then those of the runs
    double *place[1 + FINER_MOST];
    double *distance, *when;  // largest of a body, system or mesh, and its time
    double arm;               // from a body to the points that show how it turns, m
    double way;               // largest displacement; at rest a small part of the model
    double parted, parted_by; // when the paths part, 0: they do not; by how much
    bool has_order;           // finer runs have parts of the step
    bool is_out_of_memory;
};

// ---- Places: of three points of each body, of nodes, and coordinates of systems ----

static int32_t count_places(const cli_verify *v)
{
    return BODY_NUMBERS * v->n_bodies + v->n_coordinates + 3 * v->n_nodes;
}

static void take_places(const cli_verify *v, const pcs_simulation *s, double *place)
{
    for (int32_t i = 0; i < v->n_bodies; i++, place += BODY_NUMBERS) {
        pcs_body_view view;
        pcs_simulation_body(s, i, &view);
        const pcs_quat r = view.rotation;
        const double axes[6] = {1 - 2 * (r.y * r.y + r.z * r.z), 2 * (r.x * r.y + r.w * r.z),
                                2 * (r.x * r.z - r.w * r.y),     2 * (r.x * r.y - r.w * r.z),
                                1 - 2 * (r.x * r.x + r.z * r.z), 2 * (r.y * r.z + r.w * r.x)};
        place[0] = view.position.x;
        place[1] = view.position.y;
        place[2] = view.position.z;
        for (int k = 0; k < 6; k++)
            place[3 + k] = v->arm * axes[k];
    }
    for (int32_t i = 0; i < pcs_model_system_count(v->model); i++) {
        pcs_system_view view;
        const int32_t n = pcs_model_system_size(v->model, i);
        pcs_simulation_system(s, i, &view);
        memcpy(place, view.coordinate, (size_t)n * sizeof *place);
        place += n;
    }
    for (int32_t i = 0; i < pcs_model_mesh_count(v->model); i++) {
        pcs_simulation_mesh_nodes(s, i, place, NULL);
        place += 3 * pcs_model_mesh_node_count(v->model, i);
    }
}

static double apart(const double *a, const double *b, int32_t size)
{
    double sum = 0;
    for (int32_t k = 0; k < size; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

// Largest distance over all places; if `each`, also that of each owner.
static double compare_places(cli_verify *v, const double *a, const double *b, double time,
                             bool each)
{
    double largest = 0;
    int32_t at = 0, owner = 0;
    const int32_t meshes = pcs_model_mesh_count(v->model),
                  systems = pcs_model_system_count(v->model);
    for (int32_t i = 0; i < v->n_bodies + systems + meshes; i++, owner++) {
        const bool body = i < v->n_bodies, system = !body && i < v->n_bodies + systems;
        const int32_t size = body ? BODY_NUMBERS : system ? 1 : 3;
        const int32_t count = body ? 1
                              : system
                                  ? pcs_model_system_size(v->model, i - v->n_bodies)
                                  : pcs_model_mesh_node_count(v->model, i - v->n_bodies - systems);
        for (int32_t k = 0; k < count; k++, at += size) {
            const double d = apart(a + at, b + at, size);
            largest = fmax(largest, d);
            if (each && d > v->distance[owner]) {
                v->distance[owner] = d;
                v->when[owner] = time;
            }
        }
    }
    return largest;
}

static const char *owner_name(const cli_verify *v, int32_t owner)
{
    const int32_t system = owner - v->n_bodies;
    const int32_t mesh = system - pcs_model_system_count(v->model);
    return system < 0 ? pcs_model_body_name(v->model, owner)
           : mesh < 0 ? pcs_model_system_name(v->model, system)
                      : pcs_model_mesh_name(v->model, mesh);
}

// ---- Creation ----

static int count_owners(const cli_verify *v)
{
    return v->n_bodies + pcs_model_system_count(v->model) + pcs_model_mesh_count(v->model);
}

// What is made smaller in finer run k, as settings.
static void refine(const pcs_simulation *run, double step, int k, cli_settings *settings,
                   char number[2][NUMBER_SIZE], char *text, size_t size)
{
    const int32_t by = pcs_simulation_statistics(run)->refined_by;
    const double part = k == 0 ? 2 : 4, tenth = k == 0 ? 10 : 100;
    double tolerance = 0, time_step = 0, first = 0;
    if (by == PCS_REFINED_STEP) {
        snprintf(number[0], NUMBER_SIZE, "%.17g", step / part);
        cli_settings_put(settings, "simulation.step", number[0]);
        snprintf(text, size, "step %.6g s", step / part);
        return;
    }
    if (by == PCS_REFINED_FIRST_STEP || by == PCS_REFINED_HYBRID_FIXED) {
        (void)!pcs_simulation_get(run, "first_step", &first);
        snprintf(number[0], NUMBER_SIZE, "%.17g", first / part);
        cli_settings_put(settings, "simulation.first_step", number[0]);
        snprintf(text, size, "first_step %.6g s", first / part);
    } else {
        (void)!pcs_simulation_get(run, "tolerance", &tolerance);
        snprintf(number[0], NUMBER_SIZE, "%.17g", tolerance / tenth);
        cli_settings_put(settings, "simulation.tolerance", number[0]);
        snprintf(text, size, "tolerance %.6g", tolerance / tenth);
    }
    if (by == PCS_REFINED_HYBRID || by == PCS_REFINED_HYBRID_FIXED) {
        (void)!pcs_simulation_get(run, "largest_time_step", &time_step);
        snprintf(number[1], NUMBER_SIZE, "%.17g", time_step / part);
        cli_settings_put(settings, "simulation.largest_time_step", number[1]);
    }
}

static cli_exit load_finer(cli_verify *v, const char *model, const cli_settings *settings,
                           const pcs_simulation *run, double step, int k)
{
    enum { ADDED = 2 };
    cli_settings all = {malloc((size_t)(settings->count + ADDED) * sizeof *all.list),
                        settings->count};
    char number[ADDED][NUMBER_SIZE];
    finer_run *finer = &v->finer[k];
    if (!all.list) {
        cli_message("out of memory");
        return CLI_EXIT_FAILED;
    }
    if (settings->count > 0)
        memcpy(all.list, settings->list, (size_t)settings->count * sizeof *all.list);
    refine(run, step, k, &all, number, finer->setting, sizeof finer->setting);
    v->n_finer = k + 1;
    const cli_exit code = cli_load(v->ctx, model, &all, &finer->file, &finer->simulation);
    free(all.list);
    return code;
}

static bool make_places(cli_verify *v)
{
    const size_t n = (size_t)count_places(v), owners = (size_t)count_owners(v);
    v->start = calloc((2 + FINER_MOST) * n + 2 * owners + 1, sizeof *v->start);
    if (!v->start)
        return false;
    for (int k = 0; k <= FINER_MOST; k++)
        v->place[k] = v->start + (size_t)(1 + k) * n;
    v->distance = v->start + (2 + FINER_MOST) * n;
    v->when = v->distance + owners;
    return true;
}

cli_verify *cli_verify_create(pcs_context *ctx, const char *model, const cli_settings *settings,
                              const pcs_simulation *run, cli_exit *code)
{
    cli_verify *v = calloc(1, sizeof *v);
    *code = CLI_EXIT_FAILED;
    if (!v)
        return NULL;
    v->ctx = ctx;
    v->model = pcs_simulation_model(run);
    v->has_order = pcs_simulation_statistics(run)->refined_by == PCS_REFINED_STEP;
    const double rest = 1e-6; // of the size of the model
    const double size = pcs_simulation_statistics(run)->size;
    v->arm = 0.5 * size;
    v->way = rest * size;
    v->n_bodies = pcs_model_body_count(v->model);
    for (int32_t i = 0; i < pcs_model_system_count(v->model); i++)
        v->n_coordinates += pcs_model_system_size(v->model, i);
    for (int32_t i = 0; i < pcs_model_mesh_count(v->model); i++)
        v->n_nodes += pcs_model_mesh_node_count(v->model, i);
    *code = make_places(v) ? CLI_EXIT_OK : CLI_EXIT_FAILED;
    pcs_simulation_def def = {0};
    for (int k = 0; k < FINER_MOST && *code == CLI_EXIT_OK; k++) {
        const double work = k == 0 ? 0
                                   : (def.end - def.start) / def.step *
                                         (count_places(v) + pcs_model_row_count(v->model));
        if (work > CHEAP)
            break;
        if (k == 0) { // the run's own times
            pcs_model_file *file = NULL;
            *code = cli_read_model(ctx, model, settings, &file);
            if (*code == CLI_EXIT_OK)
                def = pcs_model_file_simulation(file);
            pcs_model_file_destroy(file);
            if (*code != CLI_EXIT_OK)
                break;
        }
        *code = load_finer(v, model, settings, run, def.step, k);
    }
    if (*code != CLI_EXIT_OK) {
        cli_verify_destroy(v);
        return NULL;
    }
    take_places(v, run, v->start);
    return v;
}

void cli_verify_destroy(cli_verify *v)
{
    if (!v)
        return;
    for (int k = 0; k < v->n_finer; k++) {
        pcs_simulation_destroy(v->finer[k].simulation);
        pcs_model_file_destroy(v->finer[k].file);
        free(v->finer[k].impacts.time);
        free(v->finer[k].impacts.slot);
    }
    free(v->impacts.time);
    free(v->impacts.slot);
    free(v->start);
    free(v);
}

// ---- The runs ----

static void note_impacts(cli_verify *v, const pcs_simulation *s, impact_list *list)
{
    pcs_event event;
    for (; list->seen < pcs_simulation_event_count(s); list->seen++) {
        if (!pcs_simulation_event(s, list->seen, &event) || event.kind != PCS_EVENT_IMPACT)
            continue;
        if (list->count == list->room) {
            const int64_t room = list->room > 0 ? 2 * list->room : 64;
            double *time = realloc(list->time, (size_t)room * sizeof *time);
            list->time = time ? time : list->time;
            int32_t *slot = realloc(list->slot, (size_t)room * sizeof *slot);
            list->slot = slot ? slot : list->slot;
            v->is_out_of_memory = !time || !slot;
            if (v->is_out_of_memory)
                return;
            list->room = room;
        }
        list->time[list->count] = event.time;
        list->slot[list->count++] = event.object;
    }
}

// The first time at which the runs are apart by a part of the largest displacement. While the motion
// begins everything is small: what is little against the displacement later was no parting.
static void note_parting(cli_verify *v, double distance, double time)
{
    if (v->parted > 0 && v->parted_by < PARTED * v->way)
        v->parted = 0;
    if (v->parted == 0 && distance > PARTED * v->way) {
        v->parted = time;
        v->parted_by = distance;
    }
}

pcs_status cli_verify_step(cli_verify *v, const pcs_simulation *run)
{
    const double t = pcs_simulation_time(run), rounding = 1e-9; // of the time
    take_places(v, run, v->place[0]);
    note_impacts(v, run, &v->impacts);
    v->way = fmax(v->way, compare_places(v, v->place[0], v->start, t, false));
    for (int k = 0; k < v->n_finer; k++) {
        finer_run *finer = &v->finer[k];
        while (!pcs_simulation_finished(finer->simulation) &&
               pcs_simulation_time(finer->simulation) < t - rounding * fabs(t)) {
            const pcs_status status = pcs_simulation_step(finer->simulation);
            if (status < 0)
                return pcs_model_file_locate(finer->file, status);
            note_impacts(v, finer->simulation, &finer->impacts);
        }
        take_places(v, finer->simulation, v->place[k + 1]);
        const double d = compare_places(v, v->place[k], v->place[k + 1], t, k == 0);
        finer->distance = fmax(finer->distance, d);
        if (k == 0)
            note_parting(v, d, t);
    }
    return PCS_OK;
}

// ---- What was found ----

// The n-th impact of each contact in both runs: the largest difference of their times.
static double compare_impacts(const impact_list *a, const impact_list *b)
{
    double largest = 0;
    for (int64_t i = 0; i < a->count; i++) {
        int64_t nth = 0, k = 0;
        for (int64_t j = 0; j < i; j++)
            nth += a->slot[j] == a->slot[i];
        for (k = 0; k < b->count && (b->slot[k] != a->slot[i] || nth-- > 0);)
            k++;
        if (k < b->count)
            largest = fmax(largest, fabs(a->time[i] - b->time[k]));
    }
    return largest;
}

static void print_order(FILE *out, const finer_run *half, const finer_run *quarter)
{
    if (quarter->distance < half->distance)
        cli_summary_line(out, "observed order", "%.2f (from there to %s: %.3g m or rad)",
                         log2(half->distance / quarter->distance), quarter->setting,
                         quarter->distance);
    else
        cli_summary_line(out, "observed order", "none: from there to %s it is %.3g m or rad",
                         quarter->setting, quarter->distance);
}

pcs_level cli_verify_report(FILE *out, const cli_verify *v, pcs_level alone)
{
    enum { SHOWN = 5, IMPACTS_COMPARED = 2000 };
    const double rounding = 1e-12; // of the displacement
    const finer_run *half = &v->finer[0], *quarter = v->n_finer > 1 ? &v->finer[1] : NULL;
    const double part = half->distance / v->way;
    const pcs_level level = part <= NOTICE   ? PCS_LEVEL_GOOD
                            : part <= PARTED ? PCS_LEVEL_NOTICE
                                             : PCS_LEVEL_BAD;
    if (!out)
        return level;
    fprintf(out, "verified with %s\n", half->setting);
    for (int32_t i = 0; i < count_owners(v) && i < SHOWN; i++)
        cli_summary_line(out, owner_name(v, i), "differs by at most %.3g m or rad, at t = %.6g s",
                         v->distance[i], v->when[i]);
    if (count_owners(v) > SHOWN)
        cli_summary_line(out, "", "and %d more", count_owners(v) - SHOWN);
    cli_summary_line(out, "largest difference",
                     "%.3g m or rad, %.2g %% of the largest displacement", half->distance,
                     100 * part);
    cli_summary_line(out, "impacts", "%lld and %lld", (long long)v->impacts.count,
                     (long long)half->impacts.count);
    if (v->impacts.count > 0 && v->impacts.count <= IMPACTS_COMPARED && !v->is_out_of_memory)
        cli_summary_line(out, "times of impacts", "differ by at most %.3g s",
                         compare_impacts(&v->impacts, &half->impacts));
    if (quarter && v->has_order && half->distance > rounding * v->way)
        print_order(out, half, quarter);
    if (v->parted > 0)
        cli_summary_line(out, "predictable", "not beyond t = %.6g s: there the paths part",
                         v->parted);
    fprintf(out, "verdict of both: %s\n", pcs_level_name(level > alone ? level : alone));
    return level;
}
