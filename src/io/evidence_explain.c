// What the rows of the evidence mean, for readers who do not know the theory: for each of them what was
// measured and in which unit, why it matters, where its limits lie and why there, and what to do under
// the scheme of the run. A new kind of finding needs a row here; unit.evidence fails without one.
//
// In the texts stand {notice} and {bad} for the limits of the row, {notice%} and {bad%} for the same in
// per cent, {here} for the second limit in metres of this model, and {finer} for what makes a run finer.
#include <stdio.h>
#include <string.h>

#include "io/evidence_limits.h"
#include "percuss/evidence.h"

#define NO_BREAK "\xc2\xa0" // a space at which lines do not break

typedef struct explanation_row {
    const char *measured, *matters, *limits, *remedy;
    const double *notice, *bad; // NULL: the text of the limits names none
} explanation_row;

static const char OVERLAP_LIMITS[] =
    "Notice above {notice} m, which is finer than any machined fit, or above a ten-thousandth of "
    "the model's size if that is less. Problem above {bad%} of the model's size{here}: that can be "
    "seen with the naked eye.";

static const explanation_row rows[PCS_FINDING_KIND_COUNT] = {
    [PCS_FINDING_ERROR] =
        {"How far the computed motion may be from the exact motion of this model, as a part of the "
         "largest displacement. Some steps were computed a second time as two half steps (a scheme "
         "that chooses its own steps estimates every one of them), and the differences of all "
         "steps were added up.",
         "It tells how many digits of positions and velocities to believe. Errors that grow by "
         "themselves, as in chaotic motion, may be larger than this number says.",
         "Notice above {notice%} of the largest displacement, or above half of the largest "
         "velocity: such an error can be seen in a plot. Beyond a third of the displacement the "
         "motion counts as not predictable. It is never called a problem, because errors of single "
         "steps may cancel.",
         "Run again with {finer} and see whether the results you need change; percuss run "
         "--verify does that and prints the differences. If they do not settle the motion is "
         "chaotic: then trust averages, not single paths.",
         &ERROR_NOTICE, NULL},
    [PCS_FINDING_RESOLUTION] =
        {"Whether steps are short enough to follow the motion: the error of a step over the way "
         "that bodies go in it, a pure number. The angle that a body turns in a step (rad), its "
         "way in a step over its own size, and the swings that fall into a step are looked at as "
         "well.",
         "Between two steps nothing is computed. A spin, a vibration or a collision that is faster "
         "than a step is missed, and the result may look smooth and still be wrong.",
         "Notice above {notice}, or if a body turns by more than 1 rad, moves by more than its own "
         "size, or swings with fewer than six steps in a period: then 8 % of each swing is lost or "
         "gained. Problem above {bad}: half of the motion within a step is wrong.",
         "Run again with {finer}, until this row is good. What the row names is the fastest part "
         "of "
         "the motion: with twenty steps for each of its swings or turns less than 1 % of them is "
         "lost.",
         &STEP_ERROR_NOTICE, &STEP_ERROR_BAD},
    [PCS_FINDING_ENERGY] =
        {"Energy that nothing accounts for: the change of energy from start to end, less the work "
         "of all forces, drives, dampers, friction and impacts, as a part of the largest energy or "
         "work (a pure number; 0.01 is 1 %).",
         "In nature this remainder is zero. Here it is energy that the computation itself made or "
         "lost: if it is large, speeds and forces are wrong, even if the motion looks right.",
         "Notice above {notice%}: it begins to show in a plot of the energy. Problem above {bad%}: "
         "speeds are then wrong by 5 %, as energy goes with the square of speed.",
         "Run again with {finer}: the remainder becomes smaller with it. If it does not, look for "
         "forces that jump, and for bodies that overlap at the start.",
         &REMAINDER_NOTICE, &REMAINDER_BAD},
    [PCS_FINDING_PENETRATION] =
        {"How deep two bodies were inside each other at worst, at the end of a step (m; rad for "
         "the stop of a hinge).",
         "Rigid bodies cannot overlap. Depth means that a contact was seen late, or that contacts "
         "demand the impossible, and gaps and clearances are wrong by as much.",
         OVERLAP_LIMITS,
         "If the scheme has the option projection, set it to all: it moves bodies apart after each "
         "step. Otherwise run again with {finer}. If contacts contradict each other, as with a "
         "part "
         "jammed in a hole that is too small, correct the model.",
         &PENETRATION_NOTICE, &PENETRATION_BAD},
    [PCS_FINDING_HOVER] =
        {"The widest gap across which a contact pushed: bodies that did not touch and still felt a "
         "force (m; rad for the stop of a hinge).",
         "Such a force comes too early. Bodies are slowed down or held before they meet, because a "
         "step is longer than the last part of the approach takes.",
         OVERLAP_LIMITS,
         "Run again with {finer}. The row names the contact and the time to look at.",
         &PENETRATION_NOTICE, &PENETRATION_BAD},
    [PCS_FINDING_CHATTER] =
        {"The longest series in which one contact opened and closed again and again with at most "
         "three steps between: the number of changes.",
         "Such a contact neither rests nor flies. Its force jumps between zero and large values "
         "that depend on the step; the mean of the force over a longer time is still right.",
         "Notice from 20 changes in a row on: a part that bounces or rattles does not change so "
         "often within so few steps. It is never called a problem.",
         "Plot forces of this contact as means over several frames. Run again with {finer}; if the "
         "series stays, look for a stiff spring or a drive that works against the contact.",
         NULL, NULL},
    [PCS_FINDING_IMPACT_GAIN] =
        {"Energy that impacts added to the bodies, all impacts together, as a part of the largest "
         "energy of the run (a pure number; 0.01 is 1 %).",
         "A real impact keeps energy or loses it. A gain comes from the rule for the rebound: the "
         "restitution sets the rebound of each contact by itself, and with friction or several "
         "contacts at once that can be more than the bodies have.",
         "Notice above {notice%}: more than errors of steps make. Problem above {bad%}: speeds "
         "behind the impacts are then wrong by 5 %.",
         "Give the contact that the row names a smaller restitution, or less friction.",
         &GAIN_NOTICE, &GAIN_BAD},
    [PCS_FINDING_ANGULAR_MOMENTUM] =
        {"By how much the angular momentum (the quantity of spin) of bodies changed that nothing "
         "from outside acts on, as a part of its size (a pure number).",
         "Such bodies keep it for ever. A change means that a fast rotation was not followed: a "
         "body may turn over too early, too late or not at all.",
         "Notice above {notice}; problem above {bad}, by which the axis of the spin can tilt by 6 "
         "degrees.",
         "Run again with {finer}, so that the fastest body takes twenty steps or more for a turn.",
         &MOMENTUM_NOTICE, &MOMENTUM_BAD},
    [PCS_FINDING_DRIFT] =
        {"By how much joints came apart at worst: the distance between points that a joint holds "
         "together (m), or the angle between axes that it holds parallel (rad).",
         "The program sums up velocities to positions, and small errors of the sum can pull a "
         "hinge open. A mechanism with open joints has other lengths than the model says.",
         "Notice above {notice} m or rad, which is finer than any machined fit. Problem above "
         "{bad} m or rad: a millimetre is the play of a joint that is worn out.",
         "If the scheme has the option projection (percuss list schemes), set it to all: it closes "
         "joints after each step. Otherwise run again with {finer}.",
         &DRIFT_NOTICE, &DRIFT_BAD},
    [PCS_FINDING_VELOCITY_DRIFT] =
        {"The speed with which joints came apart at worst (m/s, or rad/s for angles).",
         "It is how drift begins. Where it is large the forces in the joints are wrong, too.",
         "Notice above {notice} m/s or rad/s; problem above {bad} m/s or rad/s: a centimetre in "
         "each "
         "second.",
         "Run again with {finer}.", &VELOCITY_NOTICE, &VELOCITY_BAD},
    [PCS_FINDING_SINGULAR] =
        {"How many conditions of the joints at most lost their effect in positions that the "
         "mechanism passed, beside those at the start.",
         "In such a position, say with all bars of a four-bar in one line, a mechanism can go on "
         "in "
         "more than one way, and its joint forces can be very large near it.",
         "Notice from one condition on. It is never called a problem: the run went through.",
         "Watch the motion there: is it the one that you expect? Which way a real mechanism takes "
         "is settled by its speed or a small spring; the model must have what settles it.",
         NULL, NULL},
    [PCS_FINDING_REDUNDANT] =
        {"How many conditions of the joints, at the start, repeat what other joints hold already.",
         "It is like a door with three hinges: it moves as it should, but how the hinges share the "
         "load depends on their stiffness and play, which a rigid model does not have. The shares "
         "given here are one possibility of many.",
         "Notice from one condition on. It is never called a problem: the motion is right.",
         "If you need only the motion, nothing. To get forces that are unique, replace one joint "
         "by "
         "one that holds less (a spherical joint for a hinge), or make a part flexible.",
         NULL, NULL},
    [PCS_FINDING_FORCES] =
        {"How many components of the contact forces, at the instant with the most, repeat what "
         "other "
         "contacts hold already (normal forces, and friction of contacts that stick).",
         "It is like a table with four legs: how it stands is certain, but the share of each leg "
         "depends on the stiffness of legs and floor, which a rigid model does not have. The "
         "shares "
         "given here are one possibility of many; their sums are certain.",
         "No limits: it is a property of the model, not an error of the run. Looked at every some "
         "steps, in models without meshes.",
         "If you need only the motion or sums of forces, nothing. To get forces that are unique, "
         "let "
         "the body stand on three points, or make a part flexible.",
         NULL, NULL},
    [PCS_FINDING_RESIDUAL] =
        {"How exactly the laws of contact and friction were met in the worst step: no overlap, no "
         "pulling, friction up to its limit and against the slip. A pure number, relative to the "
         "speeds in the step.",
         "In each step all contact forces are found together by iteration. What is left when it "
         "ends is an error of the forces and speeds of that step.",
         "Notice above {notice}: forces have fewer than eight digits. Problem above {bad}: errors "
         "of this size in many steps add up to what can be seen.",
         "Run again with {finer}, or allow more iterations (solver_iterations). If it stays, look "
         "for contacts that contradict each other.",
         &RESIDUAL_NOTICE, &RESIDUAL_BAD},
    [PCS_FINDING_MOMENTUM] =
        {"How exactly mass times change of velocity equals the sum of all forces in the worst "
         "step, "
         "relative to the largest of them (a pure number).",
         "This is Newton's law itself. If it does not hold, everything in that step is wrong.",
         "Notice above {notice}: fewer than eight digits. Problem above {bad}: errors of this size "
         "in many steps add up to what can be seen.",
         "Run again with {finer}, or allow more iterations (newton_iterations). If it stays, look "
         "for formulas that jump and for springs that are far stiffer than the rest.",
         &RESIDUAL_NOTICE, &RESIDUAL_BAD},
    [PCS_FINDING_UNCONVERGED] =
        {"The number of steps in which the iteration for forces or velocities ended before it met "
         "its tolerance. Their best values were kept.",
         "Such a step is less exact than the others. The rows of the contact problem and of the "
         "momentum balance say by how much at worst.",
         "Notice from one step on. Problem above {bad%} of the steps: then they are no exception.",
         "Run again with {finer}: shorter steps are easier to solve. Or allow more iterations "
         "(percuss list schemes).",
         NULL, &UNCONVERGED_BAD},
    [PCS_FINDING_REJECTED] =
        {"The number of steps that were computed, found wanting and repeated with a shorter "
         "length.",
         "It costs time and does not make the result worse.",
         "Notice above {notice%} of the steps, or above all of them where the scheme chooses "
         "their length and tries it out. It is never called a problem.",
         "Nothing has to be done. Where the length of a step is your choice, a smaller one may be "
         "faster in the end.",
         &REJECTED_NOTICE, NULL},
    [PCS_FINDING_INITIAL_PENETRATION] =
        {"How deep the deepest contact was inside the other body before the first step (m; rad for "
         "the stop of a hinge).",
         "Overlapping bodies are pushed apart in the first steps. That motion and its energy come "
         "from the positions in the model file and not from physics.",
         "Notice above {notice} m, which is more than rounding makes. Problem above {bad%} of the "
         "model's size{here}.",
         "Correct the initial positions; percuss check MODEL names the contacts. Or let the run "
         "begin at rest in its equilibrium, with --start static.",
         &START_LIMIT, &PENETRATION_BAD},
    [PCS_FINDING_ASSEMBLY] =
        {"How far bodies were moved before the first step so that all joints are closed (m or "
         "rad).",
         "The run begins in the positions found, not in those of the model file.",
         "Notice above {notice} m or rad: more than digits that were left out in typing. It is "
         "never called a problem.",
         "Correct the positions in the model file; percuss check MODEL prints what was moved.",
         &ASSEMBLY_NOTICE, NULL},
};

// What the user changes to make a run finer, under each way in which schemes choose steps.
static const char *const finer[PCS_REFINED_COUNT] = {
    [PCS_REFINED_UNKNOWN] = "half the step, or a tenth of the tolerance if the scheme has one",
    [PCS_REFINED_STEP] = "half the step (--step)",
    [PCS_REFINED_TOLERANCE] = "a tenth of the tolerance (--set simulation.tolerance=...; the step "
                              "is only that of the output)",
    [PCS_REFINED_FIRST_STEP] = "half the step of the integrator (--set simulation.first_step=...)",
    [PCS_REFINED_TIME_STEP] = "half the step of the time stepping (--set "
                              "simulation.largest_time_step=...)",
    [PCS_REFINED_HYBRID] = "a tenth of the tolerance and half of largest_time_step (--set "
                           "simulation.tolerance=... and so on)",
    [PCS_REFINED_HYBRID_FIXED] = "half of first_step and of largest_time_step (--set "
                                 "simulation.first_step=... and so on)",
};

// A number and a unit as a reader writes them: 1e-6, not 1e-06.
static void print_number(char *words, size_t size, double value, const char *unit)
{
    snprintf(words, size, "%g", value);
    char *zero = strstr(words, "e-0");
    if (zero)
        memmove(zero + 2, zero + 3, strlen(zero + 3) + 1);
    const size_t length = strlen(words);
    snprintf(words + length, size - length, "%s", unit);
}

// What stands in braces, as words.
static void replace(const pcs_run_facts *facts, const explanation_row *row, const char *key,
                    char *words, size_t size)
{
    const pcs_statistics *s = facts->statistics;
    const double model = s->size > 0 ? s->size : facts->size;
    const bool known = s->refined_by >= 0 && s->refined_by < PCS_REFINED_COUNT;
    words[0] = '\0';
    if (strcmp(key, "finer") == 0)
        snprintf(words, size, "%s", finer[known ? s->refined_by : PCS_REFINED_UNKNOWN]);
    else if (strcmp(key, "notice") == 0 && row->notice)
        print_number(words, size, *row->notice, "");
    else if (strcmp(key, "notice%") == 0 && row->notice)
        print_number(words, size, 100 * *row->notice, NO_BREAK "%");
    else if (strcmp(key, "bad") == 0 && row->bad)
        print_number(words, size, *row->bad, "");
    else if (strcmp(key, "bad%") == 0 && row->bad)
        print_number(words, size, 100 * *row->bad, NO_BREAK "%");
    else if (strcmp(key, "here") == 0 && row->bad && model > 0)
        snprintf(words, size, " (here %.2g" NO_BREAK "m)", *row->bad * model);
}

// The text with its braces replaced; what does not fit is cut.
static void fill(const pcs_run_facts *facts, const explanation_row *row, const char *text,
                 char *filled, size_t size)
{
    size_t length = 0;
    while (*text && length + 1 < size) {
        char key[16] = "", words[160];
        const char *end = *text == '{' ? strchr(text, '}') : NULL;
        if (end && (size_t)(end - text) <= sizeof key) {
            memcpy(key, text + 1, (size_t)(end - text) - 1);
            replace(facts, row, key, words, sizeof words);
            snprintf(filled + length, size - length, "%s", words);
            length = strlen(filled);
            text = end + 1;
        } else {
            filled[length++] = *text++;
            filled[length] = '\0';
        }
    }
}

void pcs_finding_explain(const pcs_run_facts *facts, pcs_finding_kind kind,
                         pcs_explanation *explanation)
{
    *explanation = (pcs_explanation){0};
    if ((int)kind < 0 || kind >= PCS_FINDING_KIND_COUNT || !rows[kind].measured)
        return;
    const explanation_row *row = &rows[kind];
    const size_t size = PCS_EXPLANATION_SIZE;
    fill(facts, row, row->measured, explanation->measured, size);
    fill(facts, row, row->matters, explanation->matters, size);
    fill(facts, row, row->limits, explanation->limits, size);
    fill(facts, row, row->remedy, explanation->remedy, size);
}
