// Ctrl-C and polite termination: the first signal asks the run to stop after the present step, the
// second ends the program at once.
#ifndef PCS_CLI_INTERRUPT_H
#define PCS_CLI_INTERRUPT_H

#include <stdbool.h>

void cli_interrupt_install(void);
bool cli_interrupted(void);

#endif
