// Lemke's complementary path for the circular friction cone: u = W r + q + t (d + D r) with d_N > 0
// has all contacts open for large t, and its solutions (r, t) form a path from there to t = 0, of
// smooth pieces [CottlePangStone2009, ch. 4], one for each combination of states,
//     open   r = 0                                     while u_N >= 0
//     stick  u = 0                                     while |r_T| <= mu r_N
//     slip   u_N = 0, r_T = -mu r_N s, u_T = sigma s   while r_N >= 0 and sigma >= 0, |s| = 1.
// W may have any rank: tangent and corrections come from the equations bordered by one more row,
// and the sense of travel is that which keeps the sign of the bordered determinant
// [AllgowerGeorg2003]. A path may lead to infinity where W does not resist some impulses, or wind
// for long; then another d leads another way. A search starts in the middle instead: any a = z - v
// stands for one pair that obeys the law, d is what it lacks, and D keeps its equations regular
// (else D is for bilateral rows, which may be redundant).
#include "nonsmooth/contact_path.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "linalg/dense.h"

// Largest turn of a slip direction in one step (radian), the factor of a step that failed, the
// number of such reductions, and corrections to the path after one step. The factors of the tangent
// serve for the corrections too, until one leaves more than the part CHORD of the error.
static const double TURN_MAX = 0.3, SHORTEN = 0.25;
enum { SHORTEN_MAX = 12, CORRECTIONS_MAX = 20 };
// A step counts if every correction shrinks the distance by CONTRACTION, all together are not
// longer than the part REACH of the step (else it has jumped to another stretch of the path) and no
// contact is beyond the end of its piece by more than SLACK (1 + |z|).
static const double CHORD = 0.1, CONTRACTION = 0.5, REACH = 0.3, SLACK = 1e-9;
// Distance from the path, over 1 + |z|, at which a correction is good.
static const double ACCURACY = 1e-10;
// Scaled impulses beyond which the path counts as lost to infinity, and steps of no length in a row
// after which it counts as lost in rounding.
static const double FAR_AWAY = 1e8, NO_LENGTH = 1e-14;
enum { RESTING_MAX = 30 };
// Random covering vectors: decades of the normal part, up and down.
static const double COVER_DECADES = 1.0;
// D of contacts in a search (V has a diagonal of order one), and the sizes, as powers of ten, of
// displacements from the centre and of starts anywhere.
static const double SEARCH_DAMPING = 0.1, NEAR_SMALLEST = -4.0, NEAR_LARGEST = 0.0;
static const double FAR_SMALLEST = -1.0, FAR_LARGEST = 1.0;
// Doublings of t in the search for the start.
enum { DOUBLINGS = 60 };

typedef enum contact_state { OPEN, STICK, SLIP } contact_state;
typedef enum event_kind { TURN, OPENS, CLOSES, STICKS, SLIPS, ARRIVES } event_kind;

typedef struct path_event {
    event_kind kind;
    int32_t block;
    double length; // along the tangent
} path_event;

// Scaled variables: z = r / (c Q), v = c u / Q with c_i^2 = rho_i, Q the largest velocity of q.
struct pcs_contact_path {
    const pcs_friction_contact *problem;
    int32_t n, rows, closed; // closed: rows of closed blocks
    double unit;             // Q
    double *c;               // per block
    double *V, *b;           // rows x rows; rows
    double *d, *D;           // rows
    double *z, *v, t;
    double *saved_z, saved_t;
    double *centre,
        distance;           // of a search: a with the smallest |V z + b - v| so far, and that norm
    double *tangent, *rate; // dz and, last, dt; dv
    double *s;              // 2 for each block: slip direction
    uint8_t *state;
    int32_t *place;    // of each row in the system, -1: open
    double *A, *right; // (rows + 1)^2; rows + 1
    double *null;      // rows + 1: kernel of the equations in A, in the places of the system
    double *border;    // rows + 1: differential of what is zero at the event
    int32_t *pivot;
    bool factored;   // A and pivot are factors of the present combination of states
    int orientation; // sign of the bordered determinant at the start
};

static int32_t block_size(const pcs_contact_path *p, int32_t i)
{
    return p->problem->W->offset[i + 1] - p->problem->W->offset[i];
}

static double friction(const pcs_contact_path *p, int32_t i)
{
    return block_size(p, i) > 1 ? p->problem->mu[i] : 0.0;
}

static void fill_scaled(pcs_contact_path *p)
{
    const pcs_block_matrix *W = p->problem->W;
    memset(p->V, 0, (size_t)p->rows * (size_t)p->rows * sizeof *p->V);
    for (int32_t i = 0; i < p->n; i++)
        p->c[i] = sqrt(pcs_friction_block_rho(W, i));
    for (int32_t i = 0; i < p->n; i++) {
        const int32_t size = block_size(p, i);
        for (int32_t k = W->row_start[i]; k < W->row_start[i + 1]; k++) {
            const int32_t j = W->column[k], columns = block_size(p, j);
            const double *B = W->value + W->value_start[k], factor = p->c[i] * p->c[j];
            for (int32_t a = 0; a < size; a++)
                for (int32_t e = 0; e < columns; e++)
                    p->V[(int64_t)(W->offset[i] + a) * p->rows + W->offset[j] + e] =
                        factor * B[a * columns + e];
        }
        for (int32_t k = W->offset[i]; k < W->offset[i + 1]; k++)
            p->b[k] = p->c[i] * p->problem->q[k] / p->unit;
    }
}

pcs_status pcs_contact_path_create(const pcs_friction_contact *problem, pcs_arena *arena,
                                   pcs_contact_path **out)
{
    const int32_t n = problem->W->n, rows = problem->W->offset[n];
    const int64_t width = rows + 1;
    pcs_contact_path *p = PCS_ARENA_ARRAY(arena, pcs_contact_path, 1);
    double *matrices = PCS_ARENA_ARRAY(arena, double, (int64_t)rows *rows + width * width);
    double *vectors = PCS_ARENA_ARRAY(arena, double, 12 * width + 3 * (int64_t)n);
    int32_t *indices = PCS_ARENA_ARRAY(arena, int32_t, 2 * width);
    uint8_t *state = PCS_ARENA_ARRAY(arena, uint8_t, n);
    if (!p || !matrices || !vectors || !indices || !state)
        return PCS_ERROR_MEMORY;
    *p = (pcs_contact_path){.problem = problem,
                            .n = n,
                            .rows = rows,
                            .unit = pcs_friction_contact_scale(problem),
                            .V = matrices,
                            .A = matrices + (int64_t)rows * rows,
                            .b = vectors,
                            .d = vectors + width,
                            .D = vectors + 2 * width,
                            .z = vectors + 3 * width,
                            .v = vectors + 4 * width,
                            .saved_z = vectors + 5 * width,
                            .tangent = vectors + 6 * width,
                            .rate = vectors + 7 * width,
                            .right = vectors + 8 * width,
                            .null = vectors + 9 * width,
                            .border = vectors + 10 * width,
                            .centre = vectors + 11 * width,
                            .s = vectors + 12 * width,
                            .c = vectors + 12 * width + 2 * (int64_t)n,
                            .state = state,
                            .place = indices,
                            .pivot = indices + width};
    fill_scaled(p);
    *out = p;
    return PCS_OK;
}

// v = V z + b + t (d + D z), and the slip directions: v_T - z_T is a positive multiple of s
// wherever sigma and r_N are not both zero.
static void evaluate(pcs_contact_path *p)
{
    for (int32_t k = 0; k < p->rows; k++)
        p->v[k] = p->b[k] + p->t * (p->d[k] + p->D[k] * p->z[k]);
    pcs_dense_vector_add(p->rows, p->rows, 1.0, p->V, p->z, p->v);
    for (int32_t i = 0; i < p->n; i++) {
        const int32_t first = p->problem->W->offset[i], size = block_size(p, i);
        double *s = p->s + 2 * (int64_t)i, a[2] = {0.0, 0.0};
        if (p->state[i] != SLIP)
            continue;
        for (int32_t k = 1; k < size; k++)
            a[k - 1] = p->v[first + k] - p->z[first + k];
        const double length = hypot(a[0], a[1]);
        for (int32_t k = 0; k < 2 && length > 0.0; k++)
            s[k] = a[k] / length;
    }
}

// One row of the linear system: e . dz_i + f . dv_i with dv = (V + t D) dz + (d + D z) dt.
static void write_row(const pcs_contact_path *p, int32_t i, const double *e, const double *f,
                      double *row)
{
    const int32_t first = p->problem->W->offset[i], size = block_size(p, i);
    memset(row, 0, ((size_t)p->closed + 1) * sizeof *row);
    for (int32_t a = 0; a < size; a++) {
        const int32_t k = first + a;
        const double *V = p->V + (int64_t)k * p->rows;
        if (p->place[k] >= 0)
            row[p->place[k]] += e[a] + f[a] * p->t * p->D[k];
        if (f[a] == 0.0)
            continue;
        for (int32_t j = 0; j < p->rows; j++)
            if (p->place[j] >= 0)
                row[p->place[j]] += f[a] * V[j];
        row[p->closed] += f[a] * (p->d[k] + p->D[k] * p->z[k]);
    }
}

// The equations of slip beside u_N = 0, in the directions s and, in space, t normal to it:
//     z_T . s + mu z_N = 0,     z_T . t = 0 = v_T . t,
// the second one differentiated with s = (v_T - z_T)/|v_T - z_T|.
static void slip_equation(const pcs_contact_path *p, int32_t i, int32_t a, double *e, double *f,
                          double *value)
{
    const int32_t first = p->problem->W->offset[i], size = block_size(p, i);
    const double *s = p->s + 2 * (int64_t)i, mu = friction(p, i), *z = p->z + first;
    const double *v = p->v + first;
    if (size == 2) { // multiplied by s = +-1: the determinant keeps its sign when s changes
        e[0] = mu * s[0];
        e[1] = 1.0;
        *value = z[1] + mu * s[0] * z[0];
        return;
    }
    if (a == 1) {
        e[0] = mu;
        e[1] = s[0];
        e[2] = s[1];
        *value = mu * z[0] + s[0] * z[1] + s[1] * z[2];
        return;
    }
    const double length = hypot(v[1] - z[1], v[2] - z[2]);
    const double k = length > 0.0 ? fmax(0.0, fmin(1.0, mu * z[0] / length)) : 0.0;
    e[1] = -(1.0 - k) * s[1];
    e[2] = (1.0 - k) * s[0];
    f[1] = -k * s[1];
    f[2] = k * s[0];
    *value = -s[1] * z[1] + s[0] * z[2];
}

// Equation a of a closed block: its value, and its differential e . dz_i + f . dv_i.
static void block_equation(const pcs_contact_path *p, int32_t i, int32_t a, double *e, double *f,
                           double *value)
{
    if (p->state[i] == SLIP && a > 0) {
        slip_equation(p, i, a, e, f, value);
        return;
    }
    f[a] = 1.0;
    *value = p->v[p->problem->W->offset[i] + a];
}

// Minus the values of the closed blocks on the right, and their rows where asked for; returns the
// largest value.
static double write_equations(pcs_contact_path *p, bool rows)
{
    double largest = 0.0;
    for (int32_t i = 0, row = 0; i < p->n; i++) {
        const int32_t size = block_size(p, i);
        for (int32_t a = 0; a < size && p->state[i] != OPEN; a++, row++) {
            double e[3] = {0.0, 0.0, 0.0}, f[3] = {0.0, 0.0, 0.0}, value;
            block_equation(p, i, a, e, f, &value);
            if (rows)
                write_row(p, i, e, f, p->A + (int64_t)row * (p->closed + 1));
            p->right[row] = -value;
            largest = fmax(largest, fabs(value));
        }
    }
    return largest;
}

// The end of the sticking piece, (|z_T|^2 - mu^2 z_N^2)/2 = 0, divided by the size of its terms.
static double cone_border(const pcs_contact_path *p, int32_t i, double *e)
{
    const double mu = friction(p, i), *z = p->z + p->problem->W->offset[i];
    double norm = mu * mu * fabs(z[0]), value = -0.5 * mu * mu * z[0] * z[0];
    e[0] = -mu * mu * z[0];
    for (int32_t k = 1; k < block_size(p, i); k++) {
        e[k] = z[k];
        value += 0.5 * z[k] * z[k];
        norm += fabs(z[k]);
    }
    norm = norm > 0.0 ? norm : 1.0;
    for (int32_t k = 0; k < block_size(p, i); k++)
        e[k] /= norm;
    return value / norm;
}

// The end of the slipping piece, sigma = s . v_T = 0.
static double speed_border(const pcs_contact_path *p, int32_t i, double *f)
{
    const double *s = p->s + 2 * (int64_t)i, *v = p->v + p->problem->W->offset[i];
    double value = 0.0;
    for (int32_t k = 1; k < block_size(p, i); k++) {
        f[k] = s[k - 1];
        value += s[k - 1] * v[k];
    }
    return value;
}

// The tangent in the places of the system, its last entry that of t
static void write_tangent(const pcs_contact_path *p, double *row)
{
    for (int32_t k = 0; k < p->rows; k++)
        if (p->place[k] >= 0)
            row[p->place[k]] = p->tangent[k];
    row[p->closed] = p->tangent[p->rows];
}

// The differential of what is zero at the event in p->border; returns its value. A mere turn ends
// in the plane normal to the tangent, the whole path at t = 0.
static double write_border(pcs_contact_path *p, const path_event *event)
{
    double e[3] = {0.0, 0.0, 0.0}, f[3] = {0.0, 0.0, 0.0}, value = 0.0;
    const int32_t i = event->block;
    switch (event->kind) {
    case TURN:
        write_tangent(p, p->border);
        return 0.0;
    case ARRIVES:
        memset(p->border, 0, (size_t)p->closed * sizeof *p->border);
        p->border[p->closed] = 1.0;
        return p->t;
    case CLOSES:
        f[0] = 1.0;
        value = p->v[p->problem->W->offset[i]];
        break;
    case OPENS:
        e[0] = 1.0;
        value = p->z[p->problem->W->offset[i]];
        break;
    case STICKS:
        value = speed_border(p, i, f);
        break;
    case SLIPS:
        value = cone_border(p, i, e);
        break;
    }
    write_row(p, i, e, f, p->border);
    return value;
}

static void place_rows(pcs_contact_path *p)
{
    p->closed = 0;
    p->factored = false;
    for (int32_t i = 0; i < p->n; i++)
        for (int32_t k = p->problem->W->offset[i]; k < p->problem->W->offset[i + 1]; k++)
            p->place[k] = p->state[i] != OPEN ? p->closed++ : -1;
}

// Factors of the equations at the present point, bordered by the tangent, and their kernel; returns
// the sign of the determinant, 0: singular
static int factor(pcs_contact_path *p, int32_t *steps)
{
    const int32_t m = p->closed + 1;
    int sign = 1;
    ++*steps;
    write_equations(p, true);
    write_tangent(p, p->A + (int64_t)p->closed * m);
    p->factored = pcs_dense_lu_factor(m, p->A, p->pivot) < 0;
    for (int32_t k = 0; k < m && p->factored; k++) {
        const double u = p->A[(int64_t)k * m + k];
        p->factored = isfinite(u);
        sign = (u < 0.0) != (p->pivot[k] != k + 1) ? -sign : sign;
    }
    if (!p->factored)
        return 0;
    memset(p->null, 0, (size_t)p->closed * sizeof *p->null);
    p->null[p->closed] = 1.0;
    pcs_dense_lu_solve(m, p->A, p->pivot, 1, p->null);
    return sign;
}

static double largest_impulse(const pcs_contact_path *p)
{
    double largest = 0.0;
    for (int32_t k = 0; k < p->rows; k++)
        largest = fmax(largest, fabs(p->z[k]));
    return largest;
}

static double dot(int32_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; k++)
        sum += x[k] * y[k];
    return sum;
}

// Step of Newton's method, or of the chord method where the factors are older, into p->right: what
// the equations ask for plus a multiple of the kernel that leads to the event's surface, which is
// `value` away. Returns its length, infinite without factors.
static double correction(pcs_contact_path *p, double value, int32_t *steps)
{
    const int32_t m = p->closed + 1;
    if (!p->factored && factor(p, steps) == 0)
        return INFINITY;
    p->right[p->closed] = 0.0;
    pcs_dense_lu_solve(m, p->A, p->pivot, 1, p->right);
    const double way = -(value + dot(m, p->border, p->right)) / dot(m, p->border, p->null);
    for (int32_t j = 0; j < m; j++)
        p->right[j] += way * p->null[j];
    return sqrt(dot(m, p->right, p->right));
}

// Back to the path, in the surface of the event.
static bool correct(pcs_contact_path *p, const path_event *event, double reach, int32_t *steps)
{
    double before = INFINITY, moved = 0.0;
    bool newton = !p->factored, arrived = false;
    for (int32_t k = 0; k <= CORRECTIONS_MAX; k++) {
        evaluate(p);
        const double value = write_border(p, event);
        const double error = fmax(write_equations(p, false), fabs(value));
        arrived = error <= ACCURACY * (1.0 + largest_impulse(p));
        if (arrived || (newton && !(error < CONTRACTION * before)))
            break;
        newton = !p->factored || !(error < CHORD * before);
        p->factored = !newton && p->factored;
        before = error;
        moved += correction(p, value, steps);
        if (!(moved <= reach))
            break;
        for (int32_t j = 0; j < p->rows; j++)
            p->z[j] += p->place[j] >= 0 ? p->right[p->place[j]] : 0.0;
        p->t += p->right[p->closed];
    }
    p->factored = arrived && p->factored;
    return arrived;
}

// The unit tangent in the sense of travel, and the rate of v; false if the system is singular.
static bool find_tangent(pcs_contact_path *p, int32_t *steps)
{
    const int sign = factor(p, steps);
    if (sign == 0)
        return false;
    p->orientation = p->orientation == 0 ? sign : p->orientation;
    const double norm = sqrt(dot(p->closed + 1, p->null, p->null));
    const double scale = (sign == p->orientation ? 1.0 : -1.0) / norm;
    if (!(norm > 0.0) || !isfinite(norm))
        return false;
    for (int32_t k = 0; k < p->rows; k++)
        p->tangent[k] = p->place[k] >= 0 ? p->null[p->place[k]] * scale : 0.0;
    p->tangent[p->rows] = p->null[p->closed] * scale;
    for (int32_t k = 0; k < p->rows; k++)
        p->rate[k] = p->t * p->D[k] * p->tangent[k] +
                     (p->d[k] + p->D[k] * p->z[k]) * p->tangent[p->rows];
    pcs_dense_vector_add(p->rows, p->rows, 1.0, p->V, p->tangent, p->rate);
    return true;
}

// Where x falls to zero at the rate dx
static double way_to_zero(double x, double dx)
{
    return dx < 0.0 ? fmax(0.0, x) / -dx : INFINITY;
}

// Where a sticking impulse leaves its cone: |z_T + h dz_T| = mu (z_N + h dz_N)
static double way_out_of_cone(int32_t size, double mu, const double *z, const double *dz)
{
    double a = -mu * mu * dz[0] * dz[0], b = -mu * mu * z[0] * dz[0], c = -mu * mu * z[0] * z[0];
    for (int32_t k = 1; k < size; k++) {
        a += dz[k] * dz[k];
        b += z[k] * dz[k];
        c += z[k] * z[k];
    }
    c = fmin(c, 0.0);
    const double discriminant = b * b - a * c;
    if (discriminant < 0.0)
        return INFINITY; // stays inside for ever
    const double root = sqrt(discriminant);
    if (b > 0.0)
        return -c / (b + root);
    return a > 0.0 ? (root - b) / a : INFINITY;
}

static void offer(path_event *event, event_kind kind, int32_t block, double length)
{
    if (length < event->length)
        *event = (path_event){kind, block, length};
}

// What comes first along the tangent; an infinite length: nothing.
static path_event next_event(const pcs_contact_path *p)
{
    path_event event = {TURN, -1, INFINITY};
    offer(&event, ARRIVES, -1, way_to_zero(p->t, p->tangent[p->rows]));
    for (int32_t i = 0; i < p->n; i++) {
        const int32_t first = p->problem->W->offset[i], size = block_size(p, i);
        const double *z = p->z + first, *v = p->v + first, *dz = p->tangent + first;
        const double *dv = p->rate + first, *s = p->s + 2 * (int64_t)i, mu = friction(p, i);
        if (pcs_is_bilateral(p->problem, i))
            continue;
        if (p->state[i] == OPEN) {
            offer(&event, CLOSES, i, way_to_zero(v[0], dv[0]));
        } else if (p->state[i] == STICK) {
            if (size == 1)
                offer(&event, OPENS, i, way_to_zero(z[0], dz[0]));
            else
                offer(&event, SLIPS, i, way_out_of_cone(size, mu, z, dz));
        } else {
            offer(&event, OPENS, i, way_to_zero(z[0], dz[0]));
            double sigma = 0.0, d_sigma = 0.0;
            for (int32_t k = 1; k < size; k++) {
                sigma += s[k - 1] * v[k];
                d_sigma += s[k - 1] * dv[k];
            }
            if (mu > 0.0)
                offer(&event, STICKS, i, way_to_zero(sigma, d_sigma));
            if (size == 3 && mu > 0.0) {
                const double length = hypot(v[1] - z[1], v[2] - z[2]);
                const double turn = fabs(s[0] * (dv[2] - dz[2]) - s[1] * (dv[1] - dz[1]));
                offer(&event, TURN, i, turn > 0.0 ? TURN_MAX * length / turn : INFINITY);
            }
        }
    }
    return event;
}

// Whether no contact is beyond the end of its piece, up to rounding.
static bool is_inside(const pcs_contact_path *p)
{
    const double slack = SLACK * (1.0 + largest_impulse(p));
    for (int32_t i = 0; i < p->n; i++) {
        const int32_t first = p->problem->W->offset[i], size = block_size(p, i);
        const double *z = p->z + first, *v = p->v + first, *s = p->s + 2 * (int64_t)i;
        const double mu = friction(p, i);
        if (pcs_is_bilateral(p->problem, i))
            continue;
        if (p->state[i] == OPEN ? v[0] < -slack : z[0] < -slack)
            return false;
        double norm = 0.0, sigma = 0.0;
        for (int32_t k = 1; k < size; k++) {
            norm = hypot(norm, z[k]);
            sigma += s[k - 1] * v[k];
        }
        if ((p->state[i] == STICK && norm > mu * z[0] + slack) ||
            (p->state[i] == SLIP && mu > 0.0 && sigma < -slack))
            return false;
    }
    return true;
}

static void move(pcs_contact_path *p, double length)
{
    for (int32_t k = 0; k < p->rows; k++)
        p->z[k] = p->saved_z[k] + length * p->tangent[k];
    p->t = p->saved_t + length * p->tangent[p->rows];
}

// Goes to the event, or where curvature forbids that a part of the way.
static bool go_to(pcs_contact_path *p, path_event *event, int32_t *steps)
{
    memcpy(p->saved_z, p->z, (size_t)p->rows * sizeof *p->z);
    p->saved_t = p->t;
    for (int k = 0; k <= SHORTEN_MAX; k++) {
        move(p, event->length);
        const double reach = REACH * event->length + SLACK * (1.0 + largest_impulse(p));
        if (correct(p, event, reach, steps) && is_inside(p))
            return true;
        *event = (path_event){TURN, -1, SHORTEN * event->length};
    }
    return false;
}

static void change_state(pcs_contact_path *p, const path_event *event)
{
    const int32_t i = event->block, first = i >= 0 ? p->problem->W->offset[i] : 0;
    const int32_t size = i >= 0 ? block_size(p, i) : 0;
    double *s = p->s + 2 * (int64_t)i, norm = 0.0;
    if (event->kind == TURN || event->kind == ARRIVES)
        return;
    if (event->kind == OPENS) {
        p->state[i] = OPEN;
        for (int32_t k = 0; k < size; k++)
            p->z[first + k] = 0.0;
    } else if (event->kind == STICKS || size == 1) {
        p->state[i] = STICK;
    } else { // slip, in the direction of the velocity or against the impulse
        const double *x = event->kind == CLOSES ? p->v + first : p->z + first;
        const double sign = event->kind == CLOSES ? 1.0 : -1.0;
        for (int32_t k = 1; k < size; k++)
            norm = hypot(norm, x[k]);
        s[0] = norm > 0.0 ? sign * x[1] / norm : 1.0;
        s[1] = size == 3 && norm > 0.0 ? sign * x[2] / norm : 0.0;
        p->state[i] = SLIP;
    }
    place_rows(p);
    evaluate(p);
}

static void choose_damping(pcs_contact_path *p, double contacts)
{
    for (int32_t i = 0; i < p->n; i++)
        for (int32_t k = p->problem->W->offset[i]; k < p->problem->W->offset[i + 1]; k++)
            p->D[k] = pcs_is_bilateral(p->problem, i) ? 1.0 : contacts;
}

// d: with normal parts alone no path leads to t = infinity, since r . u = r . W r + t d_N . r_N > 0
// contradicts friction, r . u <= 0; tangential ones (odd seeds) make other and often shorter paths.
static void choose_cover(pcs_contact_path *p, uint64_t random)
{
    pcs_random source;
    pcs_random_init(&source, random);
    memset(p->d, 0, (size_t)p->rows * sizeof *p->d);
    for (int32_t i = 0; i < p->n; i++) {
        double *d = p->d + p->problem->W->offset[i];
        if (pcs_is_bilateral(p->problem, i))
            continue;
        d[0] = 1.0;
        if (random > 0)
            d[0] = pow(10.0, pcs_random_between(&source, -COVER_DECADES, COVER_DECADES));
        for (int32_t k = 1; k < block_size(p, i) && random % 2 == 1; k++)
            d[k] = pcs_random_between(&source, -1.0, 1.0);
    }
}

// A t at which all contacts are open; bilateral rows are solved there.
static bool find_start(pcs_contact_path *p, int32_t *steps)
{
    const path_event fixed = {TURN, -1, 0.0}; // with the tangent along t: t stays
    for (int32_t i = 0; i < p->n; i++)
        p->state[i] = pcs_is_bilateral(p->problem, i) ? STICK : OPEN;
    place_rows(p);
    memset(p->tangent, 0, (size_t)p->rows * sizeof *p->tangent);
    p->tangent[p->rows] = -1.0;
    p->t = 1.0;
    for (int k = 0; k < DOUBLINGS; k++, p->t *= 2.0) {
        bool open = true;
        memset(p->z, 0, (size_t)p->rows * sizeof *p->z);
        if (!correct(p, &fixed, INFINITY, steps))
            return false;
        for (int32_t i = 0; i < p->n; i++)
            open = open && (p->state[i] != OPEN || p->v[p->problem->W->offset[i]] > 0.0);
        if (open)
            return true;
    }
    return false;
}

// r of the present point
static void read_impulses(const pcs_contact_path *p, double *r)
{
    for (int32_t i = 0; i < p->n; i++)
        for (int32_t k = p->problem->W->offset[i]; k < p->problem->W->offset[i + 1]; k++)
            r[k] = p->z[k] * p->c[i] * p->unit;
}

// Keeps the point of the walk that lacks least, |t (d + D z)|, for the next search.
static void keep_nearest(pcs_contact_path *p)
{
    double sum = 0.0;
    for (int32_t k = 0; k < p->rows; k++) {
        const double lack = p->t * (p->d[k] + p->D[k] * p->z[k]);
        sum += lack * lack;
    }
    if (!(sqrt(sum) < p->distance))
        return;
    p->distance = sqrt(sum);
    for (int32_t k = 0; k < p->rows; k++)
        p->centre[k] = p->z[k] - p->v[k];
}

// From the present point, with the tangent as border of the first factors; true at t = 0.
static bool walk(pcs_contact_path *p, bool search, int32_t max_steps, pcs_monitor *monitor,
                 int32_t *steps)
{
    const int32_t last = *steps + max_steps;
    int resting = 0;
    p->orientation = 0;
    while (*steps < last && resting < RESTING_MAX && !pcs_monitor_is_stopped(monitor)) {
        if (!find_tangent(p, steps))
            return false;
        path_event event = next_event(p);
        if (isinf(event.length) || !go_to(p, &event, steps))
            return false;
        if (event.kind == ARRIVES)
            return true;
        resting = event.length > NO_LENGTH ? 0 : resting + 1;
        change_state(p, &event);
        if (largest_impulse(p) > FAR_AWAY)
            return false;
        if (search)
            keep_nearest(p);
    }
    return false;
}

bool pcs_contact_path_follow(pcs_contact_path *path, uint64_t random, int32_t max_steps,
                             pcs_monitor *monitor, double *r, int32_t *steps)
{
    choose_damping(path, 0.0);
    choose_cover(path, random);
    if (!find_start(path, steps) || !walk(path, false, max_steps, monitor, steps))
        return false;
    read_impulses(path, r);
    return true;
}

void pcs_contact_path_set_centre(pcs_contact_path *path, const double *r)
{
    const int32_t *offset = path->problem->W->offset;
    path->distance = INFINITY;
    pcs_friction_contact_velocity(path->problem, r, path->v);
    for (int32_t i = 0; i < path->n; i++)
        for (int32_t k = offset[i]; k < offset[i + 1]; k++)
            path->centre[k] = (r[k] / path->c[i] - path->c[i] * path->v[k]) / path->unit;
}

// The pair z - v = a of one contact that obeys the law, in p->z and d = v; states and directions.
static void split(pcs_contact_path *p, int32_t i, const double *a)
{
    const int32_t first = p->problem->W->offset[i], size = block_size(p, i);
    double *s = p->s + 2 * (int64_t)i, *z = p->z + first, length = 0.0;
    const bool bilateral = pcs_is_bilateral(p->problem, i);
    for (int32_t k = 1; k < size; k++)
        length = hypot(length, a[k]);
    const double bound = friction(p, i) * a[0];
    const bool slips = !bilateral && size > 1 && length > bound;
    p->state[i] = !bilateral && a[0] <= 0.0 ? OPEN : slips ? SLIP : STICK;
    for (int32_t k = 0; k < size; k++) {
        z[k] = p->state[i] == OPEN ? 0.0 : a[k];
        if (p->state[i] == SLIP && k > 0) {
            s[k - 1] = -a[k] / length;
            z[k] = bound / length * a[k];
        }
        p->d[first + k] = z[k] - a[k];
    }
    if (bilateral)
        memset(p->d + first, 0, (size_t)size * sizeof *p->d);
}

bool pcs_contact_path_search(pcs_contact_path *path, uint64_t random, int32_t max_steps,
                             pcs_monitor *monitor, double *r, int32_t *steps)
{
    const int32_t *offset = path->problem->W->offset;
    pcs_random source;
    pcs_random_init(&source, random);
    const bool near = random % 2 == 0;
    const double power = near ? pcs_random_between(&source, NEAR_SMALLEST, NEAR_LARGEST)
                              : pcs_random_between(&source, FAR_SMALLEST, FAR_LARGEST);
    const double size = random > 0 ? pow(10.0, power) : 0.0;
    choose_damping(path, SEARCH_DAMPING);
    for (int32_t i = 0; i < path->n; i++) {
        double a[3] = {0.0, 0.0, 0.0};
        for (int32_t k = offset[i]; k < offset[i + 1]; k++)
            a[k - offset[i]] = (near ? path->centre[k] : 0.0) +
                               size * pcs_random_between(&source, -1.0, 1.0);
        split(path, i, a);
    }
    place_rows(path);
    for (int32_t k = 0; k < path->rows; k++) // at t = 1
        path->d[k] -= path->b[k] + path->D[k] * path->z[k];
    pcs_dense_vector_add(path->rows, path->rows, -1.0, path->V, path->z, path->d);
    path->t = 1.0;
    memset(path->tangent, 0, (size_t)path->rows * sizeof *path->tangent);
    path->tangent[path->rows] = -1.0; // t falls at first
    evaluate(path);
    if (!walk(path, true, max_steps, monitor, steps))
        return false;
    read_impulses(path, r);
    return true;
}
