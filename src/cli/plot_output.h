// The drawing of a figure on any cairo surface, for plot_output.c.
#ifndef PCS_CLI_PLOT_OUTPUT_H
#define PCS_CLI_PLOT_OUTPUT_H

#include "plot_layout.h"

// False when memory is out; cairo's own failures are seen in its status.
bool plot_draw(cairo_t *cr, const plot_figure *figure);

#endif
