// The table of finite elements.
#include "elements/finite_element.h"

static const pcs_fe_class *const classes[PCS_ELEMENT_KIND_COUNT] = {
    [PCS_ELEMENT_BAR] = NULL,
};

const pcs_fe_class *pcs_fe_class_find(pcs_element_kind kind)
{
    return kind >= 0 && kind < PCS_ELEMENT_KIND_COUNT ? classes[kind] : NULL;
}

const char *pcs_element_kind_name(pcs_element_kind kind)
{
    const pcs_fe_class *class = pcs_fe_class_find(kind);
    return class ? class->name : NULL;
}
