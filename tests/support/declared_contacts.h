// Declared contacts of every kind, and a small model for them: two bodies and a point mass.
#ifndef PCS_TESTS_SUPPORT_DECLARED_CONTACTS_H
#define PCS_TESTS_SUPPORT_DECLARED_CONTACTS_H

#include "base/random.h"
#include "model/assembly.h"
#include "model/contact.h"
#include "model/model.h"
#include "support/probe.h"

enum { DECLARED_Q_MAX = 32, DECLARED_SLOTS_MAX = 64 };

// The bodies are "one" and "two" (0 and 1), the point mass is "dot" (2).
typedef struct declared_model {
    pcs_context *ctx;
    pcs_builder *builder;
    pcs_model *model;
    pcs_configuration c;
    double q[DECLARED_Q_MAX], v[DECLARED_Q_MAX], moved[DECLARED_Q_MAX], turns[8];
    pcs_contact contacts[DECLARED_SLOTS_MAX];
} declared_model;

// Contacts are added between begin and finish; end asserts that nothing leaks.
void declared_begin(declared_model *f, int32_t dimension);
void declared_finish(declared_model *f);
void declared_end(declared_model *f);
// Random q and v around the initial state.
void declared_randomise(declared_model *f, pcs_random *random);

pcs_frame declared_frame(pcs_random *random, int32_t dimension, pcs_body_id body);
// Sizes of order 1 for whatever the kind needs: radii, boxes, a closed polyline, a closed curve of
// a line, a parabola, an arc and a spline.
pcs_contact_def declared_contact(pcs_contact_kind kind, const char *name, double friction);
// One of the kind between body and body ("p"), ground and body ("q"), body and ground ("r", without
// friction), body and point mass ("s"), at frames from `frame`; bodies numbered as above.
enum { DECLARED_PAIRS = 4 };
typedef pcs_frame (*declared_frame_fn)(pcs_random *random, int32_t dimension, pcs_body_id body);
void declared_contacts(pcs_contact_kind kind, declared_frame_fn frame, pcs_random *random,
                       int32_t dimension, pcs_contact_def def[DECLARED_PAIRS]);
// The same on a probe that this begins, with two bodies and a point mass; `rough`: "r" too has
// friction.
void declared_probe(probe *p, pcs_random *random, int32_t dimension, pcs_contact_kind kind,
                    bool rough);

#endif
