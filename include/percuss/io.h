// Files: models in YAML, results in HDF5, signals as CSV, checkpoints.
#ifndef PERCUSS_IO_H
#define PERCUSS_IO_H

#include <stdio.h>

#include "percuss/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Files in one piece ----

// A file that is written to "<path>.part", brought to the disk and renamed: at any moment, whatever fails
// and whenever the process is killed, the name stands for the whole old file or the whole new one.
// Pipes and devices, and standard output ("-"), are written in place.
typedef struct pcs_output_file pcs_output_file;

// `what` is for messages: "PATH: cannot write WHAT: REASON".
PCS_API pcs_status pcs_output_file_create(pcs_context *ctx, const char *path, const char *what,
                                          pcs_output_file **out) PCS_MUST_CHECK;
PCS_API FILE *pcs_output_file_stream(const pcs_output_file *file);
// Whether all went well so far, for those who write long.
PCS_API pcs_status pcs_output_file_check(pcs_output_file *file) PCS_MUST_CHECK;
// The object is gone afterwards, whatever the status; after a failure the temporary file, too.
PCS_API pcs_status pcs_output_file_commit(pcs_output_file *file) PCS_MUST_CHECK;
PCS_API void pcs_output_file_abandon(pcs_output_file *file); // NULL is allowed

// ---- Model files ----

typedef struct pcs_setting {
    const char *key;  // a parameter name, or a path such as simulation.step or bodies.ball.mass
    const char *text; // YAML value as it would stand in the file
} pcs_setting;

typedef struct pcs_model_file pcs_model_file;

// Reads, checks and builds the model. Errors have the form file:line:column: what, and a remedy.
// Settings replace or add values before anything is evaluated.
PCS_API pcs_status pcs_model_file_read(pcs_context *ctx, const char *path,
                                       const pcs_setting *settings, int32_t n_settings,
                                       pcs_model_file **out) PCS_MUST_CHECK;
// The same from memory; `name` stands for the file in messages. Includes are refused.
PCS_API pcs_status pcs_model_file_read_memory(pcs_context *ctx, const char *name, const char *bytes,
                                              size_t size, const pcs_setting *settings,
                                              int32_t n_settings, pcs_model_file **out)
    PCS_MUST_CHECK;
PCS_API void pcs_model_file_destroy(pcs_model_file *file);

PCS_API const pcs_model *pcs_model_file_model(const pcs_model_file *file);
PCS_API const char *pcs_model_file_title(const pcs_model_file *file);
PCS_API pcs_simulation_def pcs_model_file_simulation(const pcs_model_file *file);
// Scheme options given in the file, in order; pass them to pcs_simulation_set.
PCS_API int32_t pcs_model_file_options(const pcs_model_file *file, const pcs_setting **options);
// Time between stored frames (0: every step) and the signals asked for in `output: signals`.
PCS_API double pcs_model_file_output_step(const pcs_model_file *file);
PCS_API int32_t pcs_model_file_signals(const pcs_model_file *file, const char *const **paths);
// The file's text with all includes and settings resolved, as stored in results.
PCS_API const char *pcs_model_file_text(const pcs_model_file *file);
// For an error that comes later (a joint that cannot be closed, a run that fails): puts
// file:line:column of the body, joint, spring, force or contact that the context's last error names
// before its text; the file's name if it names none. Returns `status`.
PCS_API pcs_status pcs_model_file_locate(const pcs_model_file *file, pcs_status status);
// The same for an error of another context, that of a simulation with a context of its own.
PCS_API pcs_status pcs_model_file_locate_in(const pcs_model_file *file, pcs_context *ctx,
                                            pcs_status status);

// ---- What a model file may hold ----

// One key of the model file, from the tables that the reader itself uses.
typedef struct pcs_model_key {
    const char *path;   // "bodies.NAME.shape.sphere"; NAME stands for a name of the user's choice
    const char *owner;  // what has this key: "a shape"
    const char *key;    // "sphere"
    const char *value;  // what may stand there: "a number or formula"
    const char *inside; // what a map is that stands there: "a rotation"; NULL: there is none
    const char *help;   // unit, meaning, and what holds if the key is left out
    bool required;
} pcs_model_key;

// Calls `visit` for every key, section by section; texts live until it returns. A negative status
// ends the walk and comes back.
typedef pcs_status (*pcs_model_key_fn)(void *user, const pcs_model_key *key);
PCS_API pcs_status pcs_model_file_keys(pcs_model_key_fn visit, void *user) PCS_MUST_CHECK;

// ---- Results ----

typedef struct pcs_result_writer pcs_result_writer;

typedef struct pcs_result_def {
    const char *path;
    const char *title;
    const char *model_text; // stored for the record
    const char *command;    // command line, for the record; NULL: none
    double flush_interval;  // wall-clock seconds between flushes
} pcs_result_def;

PCS_API pcs_result_def pcs_result_default(void);

// Writes to "<path>.part" and renames on close. The file is readable after every flush.
PCS_API pcs_status pcs_result_create(pcs_context *ctx, const pcs_simulation *simulation,
                                     const pcs_result_def *def, pcs_result_writer **out)
    PCS_MUST_CHECK;
PCS_API pcs_status pcs_result_append(pcs_result_writer *writer, const pcs_simulation *simulation)
    PCS_MUST_CHECK;
// Takes the events since the last call. append() and close() do it themselves; a run that stores
// few frames calls this after every step, because the simulation keeps only the latest events.
PCS_API pcs_status pcs_result_note(pcs_result_writer *writer, const pcs_simulation *simulation)
    PCS_MUST_CHECK;
// Stores the summary and a checkpoint, closes and renames. `complete` false keeps the name but
// marks the result as interrupted. The writer is gone afterwards, whatever the status.
PCS_API pcs_status pcs_result_close(pcs_result_writer *writer, const pcs_simulation *simulation,
                                    bool complete) PCS_MUST_CHECK;
// Gives up: closes and removes the temporary file.
PCS_API void pcs_result_abandon(pcs_result_writer *writer);

// Reading back. What a killed run left, and a file that was cut off, opens as far as it goes.
typedef struct pcs_result pcs_result;

PCS_API pcs_status pcs_result_open(pcs_context *ctx, const char *path, pcs_result **out)
    PCS_MUST_CHECK;
PCS_API void pcs_result_destroy(pcs_result *result);
PCS_API int64_t pcs_result_frames(const pcs_result *result);
PCS_API bool pcs_result_is_complete(const pcs_result *result);
// What a reader should know of the file: cut off, frames that were lost. "" if there is nothing.
PCS_API const char *pcs_result_warning(const pcs_result *result);
PCS_API const char *pcs_result_title(const pcs_result *result);
PCS_API const char *pcs_result_command(const pcs_result *result); // "" if it was not stored
PCS_API const char *pcs_result_version(const pcs_result *result); // of the program that wrote it
PCS_API const char *pcs_result_model_text(const pcs_result *result);
// Statistics at the end (zeros if the run was cut off, and then there is no summary).
PCS_API bool pcs_result_has_summary(const pcs_result *result);
PCS_API const pcs_statistics *pcs_result_statistics(const pcs_result *result);

// What the model had. Names live as long as the result; NULL beyond the last.
PCS_API int32_t pcs_result_dimension(const pcs_result *result);
PCS_API int32_t pcs_result_body_count(const pcs_result *result);
PCS_API const char *pcs_result_body_name(const pcs_result *result, int32_t body);
PCS_API int32_t pcs_result_joint_count(const pcs_result *result);
PCS_API int32_t pcs_result_constraint_count(const pcs_result *result); // of Lagrangian systems
PCS_API const char *pcs_result_joint_name(const pcs_result *result, int32_t joint);
PCS_API int32_t pcs_result_contact_count(const pcs_result *result); // contact points (slots)
PCS_API const char *pcs_result_contact_name(const pcs_result *result, int32_t slot);

// What to draw, as pcs_model_draw() tells it; NULL beyond the last. Files of older programs have
// the shapes of the bodies alone. The texts and vertices live as long as the result.
PCS_API int32_t pcs_result_drawing_count(const pcs_result *result);
PCS_API const pcs_drawing *pcs_result_drawing(const pcs_result *result, int32_t index);

// Meshes of the model. Nodes count through all meshes in the quantities "mesh/position" and
// "mesh/velocity", frames (nodes that turn) in "mesh/rotation", "mesh/angle" and
// "mesh/angular_velocity", the numbers of all elements in "mesh/result".
typedef struct pcs_result_mesh_view {
    const char *name; // NULL beyond the last mesh
    int32_t first_node, n_nodes;
    int32_t first_frame;   // -1: its nodes are points
    const pcs_vec3 *start; // where its nodes stand at the start
    int32_t n_parts, n_groups;
    double mass;
} pcs_result_mesh_view;

PCS_API int32_t pcs_result_mesh_count(const pcs_result *result);
PCS_API pcs_result_mesh_view pcs_result_mesh(const pcs_result *result, int32_t mesh);
// Part i, with the material axes and drawn sizes of its section; *first_result (or NULL) is the
// place of its results in "mesh/result". Group i; the name is NULL beyond the last.
PCS_API pcs_mesh_part_view pcs_result_mesh_part(const pcs_result *result, int32_t mesh,
                                                int32_t part, int64_t *first_result);
PCS_API pcs_mesh_group_view pcs_result_mesh_group(const pcs_result *result, int32_t mesh,
                                                  int32_t group);

// Events in the order of time (none in files of older programs), and how many were lost.
PCS_API int64_t pcs_result_event_count(const pcs_result *result);
PCS_API int64_t pcs_result_events_dropped(const pcs_result *result);
// `events` has room for `count`; PCS_ERROR_ARGUMENT if there are not so many from `first` on.
PCS_API pcs_status pcs_result_events(pcs_result *result, int64_t first, int64_t count,
                                     pcs_event *events) PCS_MUST_CHECK;

// A whole quantity by the name of its dataset (docs/result-file.md), such as "body/position", in
// one read: `count` frames, every `stride`-th from `first` on, each with pcs_result_width()
// numbers.
typedef struct pcs_frame_range {
    int64_t first, count, stride;
} pcs_frame_range;

// Numbers of one frame; 0 if the file does not have the quantity.
PCS_API int64_t pcs_result_width(const pcs_result *result, const char *quantity);
PCS_API pcs_status pcs_result_read(pcs_result *result, const char *quantity, pcs_frame_range range,
                                   double *values) PCS_MUST_CHECK;

// A stored signal by path, all frames; `values` has room for pcs_result_frames() numbers.
PCS_API pcs_status pcs_result_signal(pcs_result *result, const char *path, double *values)
    PCS_MUST_CHECK;
PCS_API bool pcs_result_signal_path(const pcs_result *result, int32_t index, char *path,
                                    size_t size);
// Unit of the signal with this index, such as "m/s"; "1" for a plain number, NULL beyond the last.
PCS_API const char *pcs_result_signal_unit(const pcs_result *result, int32_t index);
// The checkpoint of a closed result, or PCS_ERROR_INPUT if there is none.
PCS_API pcs_status pcs_result_checkpoint(pcs_result *result, const void **bytes, size_t *size)
    PCS_MUST_CHECK;

// ---- Report page ----

// False if the library was built without the page (it takes nodejs and npm).
PCS_API bool pcs_report_is_available(void);
// Writes one html file that needs nothing else: what happened in a run, or in several to compare.
// names[i] is shown as the file name of result i. Writes to "<path>.part" and renames at the end.
PCS_API pcs_status pcs_report_write(pcs_context *ctx, pcs_result *const *results,
                                    const char *const *names, int32_t n, const char *path)
    PCS_MUST_CHECK;

// ---- CSV ----

typedef struct pcs_csv_writer pcs_csv_writer;

// "-" writes to standard output.
PCS_API pcs_status pcs_csv_create(pcs_context *ctx, const pcs_model *model, const char *path,
                                  const char *const *signals, int32_t n_signals,
                                  pcs_csv_writer **out) PCS_MUST_CHECK;
PCS_API pcs_status pcs_csv_append(pcs_csv_writer *writer, const pcs_simulation *simulation)
    PCS_MUST_CHECK;
// The writer is gone afterwards, whatever the status.
PCS_API pcs_status pcs_csv_close(pcs_csv_writer *writer) PCS_MUST_CHECK;
// Gives up: removes the temporary file.
PCS_API void pcs_csv_abandon(pcs_csv_writer *writer);

// ---- ParaView ----

typedef struct pcs_vtk_opts {
    double from, to;  // frames of this time; infinite: no limit
    int32_t every;    // every so many of them, from the first on
    int32_t segments; // corners around a round shape, 3 to 4096
    // Called after each frame; false ends the export without a collection. NULL: none.
    bool (*progress)(void *user, int64_t done, int64_t total);
    void *progress_user;
} pcs_vtk_opts;

PCS_API pcs_vtk_opts pcs_vtk_default(void);
// Writes bodies.pvd, contacts.pvd, lines.pvd and meshes.pvd, those for which the result has
// something, into a folder (made if it is missing), with one .vtp or, for meshes, .vtu for each
// frame below frames/ (docs/vtk-files.md).
// The collections are written last; PCS_INTERRUPTED if the hook said so.
PCS_API pcs_status pcs_export_vtk(pcs_context *ctx, pcs_result *result, const char *folder,
                                  const pcs_vtk_opts *opts) PCS_MUST_CHECK;

// ---- Checkpoint files ----

PCS_API pcs_status pcs_checkpoint_write(pcs_context *ctx, const pcs_simulation *simulation,
                                        const char *path) PCS_MUST_CHECK;
PCS_API pcs_status pcs_checkpoint_read(pcs_context *ctx, pcs_simulation *simulation,
                                       const char *path) PCS_MUST_CHECK;
// Whether the file is whole, without a simulation to load it into.
PCS_API pcs_status pcs_checkpoint_check(pcs_context *ctx, const char *path) PCS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
