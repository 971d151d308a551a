#include "plot_units.h"

#include <string.h>

#include "plot_impacts.h"

const char *plot_signal_unit(const pcs_result *result, const char *wanted)
{
    char path[256];
    const char *end = strrchr(wanted, '.');
    if (end && strncmp(wanted, "contact.", 8) == 0 && strcmp(end, ".state") == 0)
        return "state";
    if (plot_impacts_contact(result, wanted) >= 0)
        return "N s";
    for (int32_t i = 0; pcs_result_signal_path(result, i, path, sizeof path); i++) {
        if (strcmp(path, wanted) != 0)
            continue;
        const char *unit = pcs_result_signal_unit(result, i);
        return unit && strcmp(unit, "1") != 0 ? unit : "";
    }
    return "?";
}
