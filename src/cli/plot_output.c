// A figure as a file: SVG, PDF or PNG.
#include "plot_draw.h"

#ifdef PERCUSS_HAVE_CAIRO
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <fontconfig/fontconfig.h>
#include <math.h>
#include <stdio.h>

#include "plot_output.h"

bool plot_is_available(void)
{
    return true;
}

void plot_release(void)
{
    cairo_debug_reset_static_data();
    FcFini();
}

static cairo_status_t write_bytes(void *user, const unsigned char *bytes, unsigned int count)
{
    FILE *file = user;
    return fwrite(bytes, 1, count, file) == count ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *create_surface(const plot_figure *figure, plot_format format, double scale,
                                       FILE *file)
{
    double width = figure->width, height = figure->height;
    switch (format) {
    case PLOT_SVG:
        return cairo_svg_surface_create_for_stream(write_bytes, file, width, height);
    case PLOT_PDF:
        return cairo_pdf_surface_create_for_stream(write_bytes, file, width, height);
    case PLOT_PNG:
        break;
    }
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)lround(width * scale),
                                      (int)lround(height * scale));
}

// Draws into an open file; NULL or the reason of a failure other than the file's.
static const char *draw_to(const plot_figure *figure, plot_format format, double scale, FILE *file)
{
    cairo_surface_t *surface = create_surface(figure, format, scale, file);
    cairo_t *cr = cairo_create(surface);
    if (format == PLOT_PNG)
        cairo_scale(cr, scale, scale);
    bool ok = plot_draw(cr, figure);
    cairo_show_page(cr);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    if (status == CAIRO_STATUS_SUCCESS && format == PLOT_PNG)
        status = cairo_surface_write_to_png_stream(surface, write_bytes, file);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (!ok)
        return "out of memory";
    if (status == CAIRO_STATUS_SUCCESS || status == CAIRO_STATUS_WRITE_ERROR)
        return NULL;
    return cairo_status_to_string(status);
}

const char *plot_write(pcs_context *ctx, const plot_figure *figure, const char *path,
                       plot_format format, double scale, char *text, size_t size)
{
    pcs_output_file *file = NULL;
    pcs_status status = pcs_output_file_create(ctx, path, "the picture", &file);
    if (status >= 0) {
        const char *reason = draw_to(figure, format, scale, pcs_output_file_stream(file));
        if (reason) {
            snprintf(text, size, "%s: cannot write the picture: %s", path, reason);
            pcs_output_file_abandon(file);
            return text;
        }
        status = pcs_output_file_commit(file);
    }
    return status >= 0 ? NULL : pcs_context_error(ctx);
}

#else

void plot_release(void)
{
}

bool plot_is_available(void)
{
    return false;
}

const char *plot_write(pcs_context *ctx, const plot_figure *figure, const char *path,
                       plot_format format, double scale, char *text, size_t size)
{
    (void)ctx, (void)figure, (void)path, (void)format, (void)scale, (void)text, (void)size;
    return "this percuss was built without cairo";
}

#endif
