// Ctrl-C and polite termination: the first signal asks the run to stop within a second, the
// second ends the program at once.
#ifndef PCS_CLI_INTERRUPT_H
#define PCS_CLI_INTERRUPT_H

#include <stdbool.h>

void cli_interrupt_install(void);
// They end the program at once until the next install(): while a file is read, which may be a pipe
// that never ends. What was printed so far is out.
void cli_interrupt_pause(void);
// A closed pipe and a file size limit become errors of the write call, with their messages; part of
// the above.
void cli_write_signals_ignore(void);
bool cli_interrupted(void);

#endif
