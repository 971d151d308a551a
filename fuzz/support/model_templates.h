// What model_tree.c puts together: rules, each with a letter and alternatives.
#ifndef PERCUSS_FUZZ_MODEL_TEMPLATES_H
#define PERCUSS_FUZZ_MODEL_TEMPLATES_H

typedef struct fuzz_rule {
    char letter;
    int dimension;                   // 0: both
    const char *const *alternatives; // NULL-terminated
} fuzz_rule;

extern const fuzz_rule *const fuzz_rules[]; // NULL-terminated

#endif
