// Families of cases. Sanitizers look at the code that runs and not at its numbers: in `./dev test`
// they see every seventh case, plain runs and `./dev sanitize` all of them. Seven has no divisor in
// common with the lists that cases are usually made of.
#ifndef PCS_TESTS_SUPPORT_FAMILY_H
#define PCS_TESTS_SUPPORT_FAMILY_H

#ifdef PERCUSS_FEWER_CASES
enum { CASE_STRIDE = 7 };
#else
enum { CASE_STRIDE = 1 };
#endif

#endif
