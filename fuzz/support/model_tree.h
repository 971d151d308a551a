// Model files made from the fuzzer's bytes. Most of a model follows templates with places for
// numbers, directions, formulas and names, so that many models can be built and stepped; the rest
// is taken from the table of keys that the reader uses (io/model_schema.h), right or wrong.
#ifndef PERCUSS_FUZZ_MODEL_TREE_H
#define PERCUSS_FUZZ_MODEL_TREE_H

#include "support/choices.h"

// The bytes are records of this length: the run, then one named thing in each. What changes in one
// record leaves the others as they are. The first one has a few bytes for the caller behind its own.
enum { FUZZ_RECORD = 24, FUZZ_RUN_BYTES = 20, FUZZ_MODEL_SIZE = 32768 };

// Writes the text of a model file with a final zero; returns its length.
size_t fuzz_model_text(const uint8_t *data, size_t size, char text[FUZZ_MODEL_SIZE]);

#endif
