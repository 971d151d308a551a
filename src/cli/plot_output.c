// A figure as a file: SVG, PDF or PNG, written beside the target and renamed.
#include "plot_draw.h"

#ifdef PERCUSS_HAVE_CAIRO
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <fontconfig/fontconfig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// Draws into an open file; NULL or the reason of a failure.
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
    if (status == CAIRO_STATUS_WRITE_ERROR)
        return strerror(errno != 0 ? errno : EIO);
    return status == CAIRO_STATUS_SUCCESS ? NULL : cairo_status_to_string(status);
}

const char *plot_write(const plot_figure *figure, const char *path, plot_format format,
                       double scale, char *text, size_t size)
{
    size_t part_size = strlen(path) + sizeof ".part";
    char *part = malloc(part_size);
    if (!part)
        return "out of memory";
    snprintf(part, part_size, "%s.part", path);
    FILE *file = fopen(part, "wb");
    const char *reason = file ? NULL : strerror(errno);
    if (file) {
        errno = 0;
        reason = draw_to(figure, format, scale, file);
        if (!reason && (fflush(file) != 0 || ferror(file)))
            reason = strerror(errno);
        if (fclose(file) != 0 && !reason)
            reason = strerror(errno);
        if (!reason && rename(part, path) != 0)
            reason = strerror(errno);
    }
    if (reason) {
        snprintf(text, size, "%s", reason);
        if (file)
            unlink(part);
    }
    free(part);
    return reason ? text : NULL;
}

#else

void plot_release(void)
{
}

bool plot_is_available(void)
{
    return false;
}

const char *plot_write(const plot_figure *figure, const char *path, plot_format format,
                       double scale, char *text, size_t size)
{
    (void)figure, (void)path, (void)format, (void)scale, (void)text, (void)size;
    return "this percuss was built without cairo";
}

#endif
