// A context whose blocks are kept when they are freed, and handed out again: what is made and destroyed
// again and again while steps are taken makes no heap call once it has had its largest size.
#ifndef PCS_BASE_POOL_H
#define PCS_BASE_POOL_H

#include "base/context.h"

typedef struct pcs_pool pcs_pool;

// Memory and questions of stop go to `parent`; errors stay in the pool's context.
pcs_status pcs_pool_create(pcs_context *parent, pcs_pool **out) PCS_MUST_CHECK;
// All that was made through its context is gone before. NULL is allowed.
void pcs_pool_destroy(pcs_pool *pool);
pcs_context *pcs_pool_context(pcs_pool *pool);

#endif
