// An element class: whatever contributes to the equations of its nodes. Elements of a class are
// stored together in the model and evaluated together; each function loops over the class's array.
// A class leaves out (NULL) what it does not have. The table is in assembly.c.
#ifndef PCS_MODEL_ELEMENT_H
#define PCS_MODEL_ELEMENT_H

#include "model/assembly.h"

typedef struct pcs_element_class {
    const char *name;
    // y += M x
    void (*mass_multiply)(const pcs_model *model, const pcs_configuration *c, const double *x,
                          double *y);
    // A += M
    void (*mass)(const pcs_model *model, const pcs_configuration *c, pcs_saddle *saddle);
    // f += forces; powers added unless NULL
    void (*force)(const pcs_model *model, const pcs_configuration *c, double *f, pcs_power *power);
    // A += scale_K K + scale_C C
    void (*tangent)(const pcs_model *model, const pcs_configuration *c, double scale_K,
                    double scale_C, pcs_saddle *saddle);
    double (*kinetic)(const pcs_model *model, const pcs_configuration *c);
    double (*potential)(const pcs_model *model, const pcs_configuration *c);
    void (*rows)(const pcs_model *model, const pcs_configuration *c, const pcs_rows *rows);
    // A += scale d(M a)/dq for fixed a, and A += scale d(G^T lambda)/dq for fixed lambda, both for
    // the perturbation q [+] delta. Only the blocks that the pattern of A has.
    void (*mass_tangent)(const pcs_model *model, const pcs_configuration *c, const double *a,
                         double scale, pcs_saddle *saddle);
    void (*row_tangent)(const pcs_model *model, const pcs_configuration *c, const double *lambda,
                        double scale, pcs_saddle *saddle);
    // blocks += scale d(G v)/dq at the velocities of c
    void (*rate_tangent)(const pcs_model *model, const pcs_configuration *c, double scale,
                         pcs_row_block *blocks);
} pcs_element_class;

extern const pcs_element_class pcs_body_class;
extern const pcs_element_class pcs_spring_class;
extern const pcs_element_class pcs_actuator_class;
extern const pcs_element_class pcs_force_class;
extern const pcs_element_class pcs_joint_class;
extern const pcs_element_class pcs_coupling_class;
extern const pcs_element_class pcs_system_class;
extern const pcs_element_class pcs_mesh_class;

// A_ij += block (row-major, size of node i x size of node j). Nothing happens for a pair of nodes
// that the pattern of A leaves out: a cheaper matrix for Newton's method.
void pcs_element_add_block(const pcs_model *model, pcs_saddle *saddle, int32_t i, int32_t j,
                           const double *block);
// A_ij += s row_i^T row_j
void pcs_element_add_outer(const pcs_model *model, pcs_saddle *saddle, int32_t i, int32_t j,
                           double s, const double *row_i, const double *row_j);
// A_ij += s row_i^T e, e the unit row of one entry
void pcs_element_add_column(const pcs_model *model, pcs_saddle *saddle, int32_t i, int32_t j,
                            double s, const double *row_i, int32_t entry);
// f_i += s row_i
static inline void pcs_element_add_row(const pcs_model *model, double *f, int32_t node, double s,
                                       const double *row)
{
    const pcs_node *n = pcs_model_node(model, node);
    int32_t size = n->n_v;
    for (int32_t i = 0; i < size; ++i)
        f[n->v + i] += s * row[i];
}

// row.v over a node
static inline double pcs_element_dot_row(const pcs_model *model, const double *v, int32_t node,
                                         const double *row)
{
    const pcs_node *n = pcs_model_node(model, node);
    int32_t size = n->n_v;
    double sum = 0;
    for (int32_t i = 0; i < size; ++i)
        sum += v[n->v + i] * row[i];
    return sum;
}

// Adds the tangent of the generalised force row^T * value(formula), row over n nodes.
void pcs_element_add_formula_tangent(const pcs_model *model, const pcs_configuration *c,
                                     const pcs_formula *formula, int32_t n, const int32_t *node,
                                     const double (*row)[PCS_NODE_V_MAX], double scale_K,
                                     double scale_C, pcs_saddle *saddle);

// f += J^T lambda for a coordinate of a pair; returns its rate J v along other velocities (0 for
// NULL).
double pcs_element_add_coordinate(const pcs_model *model, const pcs_pair *pair,
                                  const pcs_pair_state *state, const pcs_rate_form *form,
                                  double lambda, double *f, const double *v);

// Adds s K_geometric(lambda) of a coordinate, and s' J^T (d(x')/dq) for dampers.
void pcs_element_add_geometric(const pcs_model *model, const pcs_pair *pair, const double K[12][12],
                               double s, pcs_saddle *saddle);

// blocks[k] += s row for the block of `node`, row i of the row block.
void pcs_element_add_to_row(const pcs_model *model, pcs_row_block *block, int32_t i, int32_t node,
                            double s, const double *row);
// The same for row i of the row block of a coordinate of a pair: += s d(J v)/dq.
void pcs_element_add_rate_tangent(const pcs_model *model, const pcs_pair *pair,
                                  const pcs_pair_state *state, const pcs_coordinate *coordinate,
                                  double s, pcs_row_block *block, int32_t i);

static inline double pcs_element_value(const pcs_expression_value *value,
                                       const pcs_configuration *c)
{
    return value->formula ? pcs_formula_evaluate(value->formula, c->inputs) : value->number;
}

// Reference of a multi-turn angle for a coordinate.
static inline double pcs_element_reference(const pcs_configuration *c, const pcs_coordinate *x)
{
    return x->turn >= 0 ? c->turns[x->turn] : 0;
}

#endif
