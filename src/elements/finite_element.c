// The table of finite elements.
#include "elements/finite_element.h"

static const pcs_fe_class *const classes[PCS_ELEMENT_KIND_COUNT] = {
    [PCS_ELEMENT_BAR] = &pcs_fe_bar,
    [PCS_ELEMENT_BEAM] = &pcs_fe_beam,
    [PCS_ELEMENT_LINEAR_BEAM] = &pcs_fe_linear_beam,
    [PCS_ELEMENT_LINEAR_TIMOSHENKO] = &pcs_fe_linear_timoshenko,
    [PCS_ELEMENT_HEXAHEDRON] = &pcs_fe_hexahedron,
    [PCS_ELEMENT_HEXAHEDRON_PLAIN] = &pcs_fe_hexahedron_plain,
    [PCS_ELEMENT_TETRAHEDRON] = &pcs_fe_tetrahedron,
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

const char *pcs_element_kind_help(pcs_element_kind kind)
{
    const pcs_fe_class *class = pcs_fe_class_find(kind);
    return class ? class->help : NULL;
}

bool pcs_element_kind_allowed(pcs_element_kind kind, int32_t dimension)
{
    const pcs_fe_class *class = pcs_fe_class_find(kind);
    return class && ((dimension == 2 && class->planar) || (dimension == 3 && class->spatial));
}
