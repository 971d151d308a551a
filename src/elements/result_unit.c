// Units of element results by their names, for files and pictures.
#include <string.h>

#include "percuss/mesh.h"

const char *pcs_mesh_result_unit(const char *name)
{
    // The first part of a name that fits decides; "torque" and "moment" before "force" and "shear".
    static const char *const units[][2] = {
        {"mises", "Pa"},   {"stress", "Pa"}, {"pressure", "Pa"}, {"torque", "N m"},
        {"moment", "N m"}, {"force", "N"},   {"shear", "N"},     {"curvature", "1/m"},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
        if (strstr(name, units[i][0]))
            return units[i][1];
    return "1";
}
