// A strict look at a JSON text (RFC 8259), for tests of what writes it.
#ifndef PCS_TESTS_SUPPORT_JSON_CHECK_H
#define PCS_TESTS_SUPPORT_JSON_CHECK_H

#include <stddef.h>

// The place of the first mistake, NULL if the text is one JSON value in UTF-8 and nothing else.
const char *json_find_mistake(const char *text, size_t size);

#endif
