// The page that the build makes from the viewer/ folder (cmake/PercussViewer.cmake).
#ifndef PCS_IO_REPORT_PAGE_H
#define PCS_IO_REPORT_PAGE_H

#include <stddef.h>

extern const unsigned char pcs_viewer_page[];
extern const size_t pcs_viewer_page_size; // 0: built without it

// Where the data go; NULL if the page has no such place.
const unsigned char *pcs_report_find_mark(const unsigned char *page, size_t size);

#endif
