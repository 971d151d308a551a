// Scenes for bench_scenes: bodies and contact points are laid out by hand, M, H and f follow.
#include "support/contact_scenes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

enum { BODIES_MAX = 4000, CONTACTS_MAX = 6000, ROWS_MAX = 64, SPRINGS_MAX = 40000, GROUND = -1 };
static const double STEP = 1e-3, GRAVITY = 9.81;

typedef struct body {
    double x[3], mass, inertia[3]; // inertia 0: a node without rotation
    double v[6], force[3];
    int32_t dof;
} body;

typedef struct point_contact {
    int32_t a, b; // the normal points from a to b
    double x[3], normal[3];
} point_contact;

typedef struct held_row { // velocity of a body along or about an axis that is held at zero
    int32_t body, axis;
    bool rotation;
} held_row;

typedef struct spring {
    int32_t a, b;
    double stiffness;
} spring;

typedef struct scene {
    int32_t dimension, size;
    pcs_random random;
    int32_t bodies, contacts, held_rows, springs;
    body body[BODIES_MAX];
    point_contact contact[CONTACTS_MAX];
    held_row held[ROWS_MAX];
    spring spring[SPRINGS_MAX];
} scene;

static double draw(scene *s, double low, double high)
{
    return pcs_random_between(&s->random, low, high);
}

// ---- Parts ----

static int32_t add_block(scene *s, double x, double y, double z, double a, double b, double c,
                         double density)
{
    const double mass = density * a * b * c;
    if (s->bodies == BODIES_MAX)
        return s->bodies - 1;
    s->body[s->bodies] = (body){.x = {x, y, z},
                                .mass = mass,
                                .inertia = {mass * (b * b + c * c) / 12.0,
                                            mass * (a * a + c * c) / 12.0,
                                            mass * (a * a + b * b) / 12.0}};
    return s->bodies++;
}

static void add_contact(scene *s, int32_t a, int32_t b, const double *x, const double *normal)
{
    if (s->contacts == CONTACTS_MAX)
        return;
    point_contact *c = &s->contact[s->contacts++];
    *c = (point_contact){.a = a, .b = b};
    memcpy(c->x, x, sizeof c->x);
    memcpy(c->normal, normal, sizeof c->normal);
}

// The corners of a face with half edges p and q
static void add_face(scene *s, int32_t a, int32_t b, const double *centre, const double *normal,
                     const double *p, const double *q)
{
    for (int32_t k = 0; k < 4; k++) {
        const double e = k % 2 == 0 ? -1.0 : 1.0, g = k < 2 ? -1.0 : 1.0;
        const double x[3] = {centre[0] + e * p[0] + g * q[0], centre[1] + e * p[1] + g * q[1],
                             centre[2] + e * p[2] + g * q[2]};
        add_contact(s, a, b, x, normal);
    }
}

// A horizontal face
static void add_bed(scene *s, int32_t a, int32_t b, double x0, double x1, double y0, double y1,
                    double z)
{
    const double centre[3] = {0.5 * (x0 + x1), 0.5 * (y0 + y1), z}, up[3] = {0.0, 0.0, 1.0};
    const double p[3] = {0.5 * (x1 - x0), 0.0, 0.0}, q[3] = {0.0, 0.5 * (y1 - y0), 0.0};
    add_face(s, a, b, centre, up, p, q);
}

static void complete_frame(const double *n, double *p, double *q)
{
    const int32_t k = fabs(n[0]) < 0.6 ? 0 : 1;
    double length = 0.0;
    for (int32_t i = 0; i < 3; i++) {
        p[i] = (i == k ? 1.0 : 0.0) - n[k] * n[i];
        length = hypot(length, p[i]);
    }
    for (int32_t i = 0; i < 3; i++)
        p[i] /= length;
    for (int32_t i = 0; i < 3; i++)
        q[i] = n[(i + 1) % 3] * p[(i + 2) % 3] - n[(i + 2) % 3] * p[(i + 1) % 3];
}

// ---- Scenes ----

// Bricks in running bond, four points on each bed joint
static void build_wall(scene *s)
{
    static const int32_t columns[] = {2, 5, 10}, courses[] = {3, 8, 12};
    const double length = 0.21, depth = 0.1, height = 0.065;
    const int32_t n = columns[s->size];
    for (int32_t j = 0; j < courses[s->size]; j++)
        for (int32_t i = 0; i < n; i++) {
            const double x = length * (i + 0.5 * (j % 2)), z = height * j;
            const int32_t b = add_block(s, x, 0.0, z + 0.5 * height, length, depth, height, 1900.0);
            if (j == 0)
                add_bed(s, GROUND, b, x - 0.5 * length, x + 0.5 * length, -0.5 * depth, 0.5 * depth,
                        0.0);
            for (int32_t k = j > 0 ? 0 : n; k < n; k++) {
                const double below = length * (k + 0.5 * ((j - 1) % 2));
                const double from = fmax(x, below) - 0.5 * length,
                             to = fmin(x, below) + 0.5 * length;
                if (to - from > 1e-3 * length)
                    add_bed(s, b - i - n + k, b, from, to, -0.5 * depth, 0.5 * depth, z);
            }
        }
}

// Voussoirs of a round arch between two abutments
static void build_arch(scene *s)
{
    static const int32_t stones[] = {7, 41, 201};
    const int32_t n = stones[s->size];
    const double pi = 3.14159265358979, radius = 0.05 * n, depth = 0.3, height = 0.2;
    for (int32_t i = 0; i <= n; i++) {
        const double a = pi * i / n, middle = pi * (i + 0.5) / n;
        const double centre[3] = {radius * cos(a), 0.0, radius * sin(a)};
        const double normal[3] = {-sin(a), 0.0, cos(a)}, q[3] = {0.0, 0.5 * depth, 0.0};
        const double p[3] = {0.5 * height * cos(a), 0.0, 0.5 * height * sin(a)};
        const int32_t b = i == n ? GROUND
                                 : add_block(s, radius * cos(middle), 0.0, radius * sin(middle),
                                             height, depth, pi * radius / n, 2400.0);
        add_face(s, i == 0 ? GROUND : i - 1, b, centre, normal, p, q);
    }
}

// Planks in layers, each across the one below
static void build_tower(scene *s)
{
    static const int32_t layers[] = {3, 12, 24};
    const double length = 0.117, width = 0.023, height = 0.0078;
    for (int32_t j = 0; j < layers[s->size]; j++)
        for (int32_t i = 0; i < 3; i++) {
            const bool along = j % 2 == 0;
            const double at = (i - 1) * 0.5 * (length - width), z = height * j;
            const double x = along ? 0.0 : at, y = along ? at : 0.0;
            const int32_t b = add_block(s, x, y, z + 0.5 * height, along ? length : width,
                                        along ? width : length, height, 600.0);
            for (int32_t k = 0; k < 3; k++) {
                const double other = (k - 1) * 0.5 * (length - width);
                const double cx = along ? other : at, cy = along ? at : other;
                add_bed(s, j == 0 ? GROUND : b - i - 3 + k, b, cx - 0.5 * width, cx + 0.5 * width,
                        cy - 0.5 * width, cy + 0.5 * width, z);
            }
        }
}

// Columns of boxes, the topmost box of each ten thousand times as heavy as the lowest
static void build_stacks(scene *s)
{
    static const int32_t columns[] = {1, 5, 20}, heights[] = {8, 12, 15};
    const double edge = 0.1;
    for (int32_t c = 0; c < columns[s->size]; c++)
        for (int32_t j = 0; j < heights[s->size]; j++) {
            const double x = 2.0 * c * edge, density = pow(1e4, (double)j / heights[s->size]);
            const int32_t b = add_block(s, x + draw(s, -0.01, 0.01) * edge,
                                        draw(s, -0.01, 0.01) * edge, edge * (j + 0.5), edge, edge,
                                        edge, 100.0 * density);
            add_bed(s, j == 0 ? GROUND : b - 1, b, x - 0.45 * edge, x + 0.45 * edge, -0.45 * edge,
                    0.45 * edge, edge * j);
        }
}

// Round bodies pushed apart from random places in a box until they hardly overlap
static double pack(scene *s, int32_t n, double fill, double *radius)
{
    enum { ROUNDS = 150 };
    double volume = 0.0;
    for (int32_t i = 0; i < n; i++) {
        radius[i] = draw(s, 0.007, 0.013);
        volume += s->dimension == 3 ? 4.18879 * pow(radius[i], 3.0) : 3.14159 * pow(radius[i], 2.0);
    }
    const double side = pow(volume / fill, 1.0 / s->dimension);
    for (int32_t i = 0; i < n; i++) {
        const double r = radius[i];
        const int32_t b = add_block(s, 0.0, 0.0, 0.0, 1.6 * r, 1.6 * r, 1.6 * r, 2500.0);
        for (int32_t k = 0; k < s->dimension; k++)
            s->body[b].x[k] = draw(s, r, side - r);
    }
    for (int32_t round = 0; round < ROUNDS; round++)
        for (int32_t i = 0; i < n; i++) {
            double *x = s->body[i].x;
            for (int32_t j = i + 1; j < n; j++) {
                double *y = s->body[j].x, d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
                const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
                const double overlap = radius[i] + radius[j] - length;
                for (int32_t k = 0; k < 3 && overlap > 0.0 && length > 0.0; k++) {
                    x[k] -= 0.5 * overlap * d[k] / length;
                    y[k] += 0.5 * overlap * d[k] / length;
                }
            }
            for (int32_t k = 0; k < s->dimension; k++)
                x[k] = fmin(fmax(x[k], radius[i]), side - radius[i]);
        }
    return side;
}

// A point between round bodies, or a face of four where they stand for blocks
static void add_touch(scene *s, int32_t a, int32_t b, const double *x, const double *normal,
                      double face)
{
    double p[3], q[3];
    if (face <= 0.0) {
        add_contact(s, a, b, x, normal);
        return;
    }
    complete_frame(normal, p, q);
    for (int32_t k = 0; k < 3; k++) {
        p[k] *= face;
        q[k] *= face;
    }
    add_face(s, a, b, x, normal, p, q);
}

static void build_packing(scene *s, int32_t n, double fill, bool faces)
{
    static double radius[BODIES_MAX];
    const double side = pack(s, n, fill, radius), near = 1.02;
    for (int32_t i = 0; i < n; i++) {
        const double *x = s->body[i].x, r = radius[i], face = faces ? 0.4 * r : 0.0;
        for (int32_t j = i + 1; j < n; j++) {
            const double *y = s->body[j].x, d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
            const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            if (length > near * (r + radius[j]))
                continue;
            const double normal[3] = {d[0] / length, d[1] / length, d[2] / length};
            const double at[3] = {x[0] + r * normal[0], x[1] + r * normal[1], x[2] + r * normal[2]};
            add_touch(s, i, j, at, normal, face);
        }
        for (int32_t k = 0; k < 2 * s->dimension - 1; k++) { // walls and the floor, no lid
            const int32_t axis = k / 2;
            const bool far = k % 2 == 0 && axis < s->dimension - 1;
            double normal[3] = {0.0}, at[3] = {x[0], x[1], x[2]};
            at[axis] = far ? side : 0.0;
            normal[axis] = far ? -1.0 : 1.0;
            if (fabs(x[axis] - at[axis]) <= near * r)
                add_touch(s, GROUND, i, at, normal, face);
        }
    }
}

static void build_spheres(scene *s)
{
    static const int32_t count[] = {12, 90, 250};
    build_packing(s, count[s->size], 0.58, false);
}

static void build_blocks(scene *s)
{
    static const int32_t count[] = {6, 30, 70};
    build_packing(s, count[s->size], 0.55, true);
}

static void build_discs(scene *s)
{
    static const int32_t count[] = {20, 120, 500};
    build_packing(s, count[s->size], 0.82, false);
}

// A plane wall of stones, two points on each joint, head joints too
static void build_masonry(scene *s)
{
    static const int32_t sizes[] = {3, 8, 18};
    const int32_t n = sizes[s->size];
    const double length = 0.2, height = 0.1, up[3] = {0.0, 1.0, 0.0}, along[3] = {1.0, 0.0, 0.0};
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = 0; i < n; i++) {
            const double x = length * (i + 0.5 * (j % 2));
            const int32_t b = add_block(s, x, height * (j + 0.5), 0.0, length, height, 1.0, 2000.0);
            for (int32_t k = 0; k < n; k++) {
                const double below = j == 0 ? x : length * (k + 0.5 * ((j - 1) % 2));
                const double ends[2] = {fmax(x, below) - 0.5 * length,
                                        fmin(x, below) + 0.5 * length};
                if (ends[1] - ends[0] <= 1e-3 * length || (j == 0 && k > 0))
                    continue;
                for (int32_t e = 0; e < 2; e++) {
                    const double at[3] = {ends[e], height * j, 0.0};
                    add_contact(s, j == 0 ? GROUND : b - i - n + k, b, at, up);
                }
            }
            for (int32_t e = 0; e < 2 && i > 0; e++) {
                const double at[3] = {x - 0.5 * length, height * (j + e), 0.0};
                add_contact(s, b - 1, b, at, along);
            }
        }
}

// One body on many feet of a bowl: W has rank 6
static void build_feet(scene *s)
{
    static const int32_t feet[] = {24, 120, 500};
    const int32_t b = add_block(s, 0.0, 0.0, 0.1, 0.3, 0.2, 0.2, 1500.0);
    for (int32_t i = 0; i < feet[s->size]; i++) {
        const double x = draw(s, -0.15, 0.15), y = draw(s, -0.1, 0.1),
                     length = sqrt(1.0 + 4.0 * (x * x + y * y));
        const double at[3] = {x, y, x * x + y * y},
                     normal[3] = {-2.0 * x / length, -2.0 * y / length, 1.0 / length};
        add_contact(s, GROUND, b, at, normal);
    }
}

// Lattices of nodes on each other: few degrees of freedom for each contact, W dense within a block
static void build_soft(scene *s)
{
    static const int32_t blocks[] = {1, 3, 5}, edges[] = {4, 5, 6};
    const int32_t n = edges[s->size], layer = n * n;
    const double step = 0.1 / (n - 1), up[3] = {0.0, 0.0, 1.0};
    for (int32_t k = 0; k < blocks[s->size] * n * layer; k++) {
        const int32_t at = k % (n * layer), x = at % n, y = at / n % n, z = at / layer;
        const int32_t b = add_block(s, x * step, y * step, (z + k / (n * layer) * (n - 1)) * step,
                                    1.0, 1.0, 1.0, 1.0 / (n * layer));
        memset(s->body[b].inertia, 0, sizeof s->body[b].inertia);
        for (int32_t e = 0; e < 18; e++) { // springs to the neighbours that are already there
            const int32_t i = x + e % 3 - 1, j = y + e / 3 % 3 - 1, l = z - e / 9;
            const int32_t other = b + (i - x) + n * (j - y) + layer * (l - z);
            if (e > 3 && e < 9)
                continue;
            if (i >= 0 && i < n && j >= 0 && j < n && l >= 0 && s->springs < SPRINGS_MAX)
                s->spring[s->springs++] = (spring){b, other, 1e6};
        }
        if (z == 0)
            add_contact(s, k < n * layer ? GROUND : b - layer, b, s->body[b].x, up);
    }
}

// Blocks in a row between two fingers, which slide along x and press
static void build_gripper(scene *s)
{
    static const int32_t blocks[] = {4, 25, 120};
    const int32_t n = blocks[s->size];
    const double edge = 0.05, along[3] = {1.0, 0.0, 0.0};
    const double p[3] = {0.0, 0.5 * edge, 0.0}, q[3] = {0.0, 0.0, 0.5 * edge};
    for (int32_t i = 0; i < n + 2; i++) {
        const bool finger = i == 0 || i == n + 1;
        const int32_t b = add_block(s, i * edge, 0.0, 0.0, edge, edge, edge, 800.0);
        const double centre[3] = {(i - 0.5) * edge, 0.0, 0.0};
        if (i > 0)
            add_face(s, b - 1, b, centre, along, p, q);
        for (int32_t k = 1; k < 6 && finger; k++)
            s->held[s->held_rows++] = (held_row){b, k % 3, k >= 3};
        if (finger)
            s->body[b].force[0] = (i == 0 ? 1.0 : -1.0) * 20.0 * n;
    }
}

typedef struct family {
    const char *name;
    int32_t dimension;
    void (*build)(scene *s);
} family;

static const family families[] = {
    {"wall", 3, build_wall},        {"arch", 3, build_arch},       {"tower", 3, build_tower},
    {"stacks", 3, build_stacks},    {"spheres", 3, build_spheres}, {"blocks", 3, build_blocks},
    {"discs", 2, build_discs},      {"masonry", 2, build_masonry}, {"feet", 3, build_feet},
    {"soft blocks", 3, build_soft}, {"gripper", 3, build_gripper},
};

int32_t bench_scene_families(void)
{
    return (int32_t)(sizeof families / sizeof *families);
}

const char *bench_scene_family(int32_t f)
{
    return families[f].name;
}

// ---- The problem ----

typedef struct matrix {
    int32_t count, capacity, *row, *column;
    double *value;
} matrix;

static bool matrix_init(matrix *m, int32_t capacity)
{
    *m = (matrix){.capacity = capacity,
                  .row = malloc(sizeof(int32_t) * (size_t)capacity),
                  .column = malloc(sizeof(int32_t) * (size_t)capacity),
                  .value = malloc(sizeof(double) * (size_t)capacity)};
    return m->row != NULL && m->column != NULL && m->value != NULL;
}

static void matrix_free(matrix *m)
{
    free(m->row);
    free(m->column);
    free(m->value);
}

static void push(matrix *m, int32_t row, int32_t column, double value)
{
    if (value == 0.0 || m->count == m->capacity)
        return;
    m->row[m->count] = row;
    m->column[m->count] = column;
    m->value[m->count++] = value;
}

static int32_t number_dofs(scene *s)
{
    int32_t dofs = 0;
    for (int32_t i = 0; i < s->bodies; i++) {
        s->body[i].dof = dofs;
        dofs += s->body[i].inertia[2] == 0.0 ? s->dimension : s->dimension == 3 ? 6 : 3;
    }
    return dofs;
}

static void set_motion(scene *s, int32_t motion)
{
    const int32_t up = s->dimension - 1;
    for (int32_t i = 0; i < s->bodies; i++) {
        body *b = &s->body[i];
        b->force[up] -= GRAVITY * b->mass;
        b->force[0] += motion == 2 ? 0.5 * GRAVITY * b->mass : 0.0;
        for (int32_t k = 0; k < 6 && motion == 1; k++)
            b->v[k] = draw(s, -1.0, 1.0) * (k < 3 ? 0.2 : 2.0);
        b->v[up] -= motion == 1 ? 1.0 : 0.0;
    }
}

static void fill_mass(const scene *s, double unit, matrix *M, double *f)
{
    for (int32_t i = 0; i < s->bodies; i++) {
        const body *b = &s->body[i];
        const int32_t turns = b->inertia[2] == 0.0 ? 0 : s->dimension == 3 ? 3 : 1;
        for (int32_t k = 0; k < s->dimension; k++) {
            push(M, b->dof + k, b->dof + k, unit * b->mass);
            f[b->dof + k] = unit * (b->mass * b->v[k] + STEP * b->force[k]);
        }
        for (int32_t k = 0; k < turns; k++) {
            const int32_t row = b->dof + s->dimension + k, axis = turns == 1 ? 2 : k;
            push(M, row, row, unit * b->inertia[axis]);
            f[row] = unit * b->inertia[axis] * b->v[3 + axis];
        }
    }
    for (int32_t k = 0; k < s->springs; k++) {
        const body *a = &s->body[s->spring[k].a], *b = &s->body[s->spring[k].b];
        const double d[3] = {b->x[0] - a->x[0], b->x[1] - a->x[1], b->x[2] - a->x[2]};
        const double scale = unit * STEP * STEP * s->spring[k].stiffness /
                             (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        for (int32_t i = 0; i < 9; i++) {
            const double value = scale * d[i / 3] * d[i % 3];
            push(M, a->dof + i / 3, a->dof + i % 3, value);
            push(M, b->dof + i / 3, b->dof + i % 3, value);
            push(M, a->dof + i / 3, b->dof + i % 3, -value);
            push(M, b->dof + i / 3, a->dof + i % 3, -value);
        }
    }
}

// Column of H: a force along `axis` at x on one body
static void push_force(const scene *s, int32_t i, double sign, const double *x, const double *axis,
                       int32_t column, matrix *H)
{
    if (i == GROUND)
        return;
    const body *b = &s->body[i];
    const double arm[3] = {x[0] - b->x[0], x[1] - b->x[1], x[2] - b->x[2]};
    for (int32_t k = 0; k < s->dimension; k++)
        push(H, b->dof + k, column, sign * axis[k]);
    for (int32_t k = s->dimension == 3 ? 0 : 2; k < 3 && b->inertia[2] > 0.0; k++) {
        const double moment = arm[(k + 1) % 3] * axis[(k + 2) % 3] -
                              arm[(k + 2) % 3] * axis[(k + 1) % 3];
        push(H, b->dof + (s->dimension == 3 ? 3 + k : 2), column, sign * moment);
    }
}

static void fill_rows(const scene *s, matrix *H)
{
    for (int32_t c = 0; c < s->contacts; c++) {
        const point_contact *contact = &s->contact[c];
        double axis[3][3] = {{0.0}};
        memcpy(axis[0], contact->normal, sizeof axis[0]);
        complete_frame(axis[0], axis[1], axis[2]);
        if (s->dimension == 2) {
            axis[1][0] = -axis[0][1];
            axis[1][1] = axis[0][0];
            axis[1][2] = 0.0;
        }
        for (int32_t k = 0; k < s->dimension; k++) {
            push_force(s, contact->b, 1.0, contact->x, axis[k], s->dimension * c + k, H);
            push_force(s, contact->a, -1.0, contact->x, axis[k], s->dimension * c + k, H);
        }
    }
    for (int32_t k = 0; k < s->held_rows; k++) {
        const held_row *row = &s->held[k];
        push(H, s->body[row->body].dof + row->axis + (row->rotation ? 3 : 0),
             s->dimension * s->contacts + k, 1.0);
    }
}

static pcs_problem *assemble(pcs_context *ctx, scene *s, const bench_scene_def *def)
{
    const int32_t dofs = number_dofs(s), rows = s->dimension * s->contacts + s->held_rows;
    matrix M = {0}, H = {0};
    pcs_problem *problem = NULL;
    double *data = calloc((size_t)(dofs + rows + s->contacts), sizeof *data);
    if (data != NULL && matrix_init(&M, 6 * s->bodies + 36 * s->springs) &&
        matrix_init(&H, 12 * rows)) {
        double *w = data + dofs, *mu = w + rows;
        for (int32_t c = 0; c < s->contacts; c++)
            mu[c] = def->friction;
        fill_mass(s, def->mass, &M, data);
        fill_rows(s, &H);
        const pcs_triplets mass = {dofs, dofs, M.count, M.row, M.column, M.value};
        const pcs_triplets force = {dofs, rows, H.count, H.row, H.column, H.value};
        if (pcs_problem_create_global(ctx, s->dimension, s->contacts, s->held_rows, &mass, &force,
                                      data, w, mu, &problem) < 0)
            problem = NULL;
    }
    matrix_free(&M);
    matrix_free(&H);
    free(data);
    return problem;
}

pcs_problem *bench_scene_create(pcs_context *ctx, const bench_scene_def *def)
{
    scene *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->dimension = families[def->family].dimension;
    s->size = def->size;
    pcs_random_init(&s->random, def->seed);
    families[def->family].build(s);
    set_motion(s, def->motion);
    pcs_problem *problem = assemble(ctx, s, def);
    free(s);
    return problem;
}
