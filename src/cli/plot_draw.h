// Draws a figure with cairo and writes it as SVG, PDF or PNG.
#ifndef PCS_CLI_PLOT_DRAW_H
#define PCS_CLI_PLOT_DRAW_H

#include "percuss/io.h"
#include "plot_figure.h"

typedef enum plot_format { PLOT_SVG, PLOT_PDF, PLOT_PNG } plot_format;

// False if the program was built without cairo.
bool plot_is_available(void);
// `scale` is the number of pixels in a point (PNG alone). NULL, or what is to be said, in `text`, in the
// context or static.
const char *plot_write(pcs_context *ctx, const plot_figure *figure, const char *path,
                       plot_format format, double scale, char *text, size_t size);
// Gives back the fonts that the libraries keep, so that a leak of ours is not hidden by them. After
// the last picture.
void plot_release(void);

#endif
