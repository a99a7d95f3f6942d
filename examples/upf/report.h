// Reports as lines of text: `TIME KIND key=value ...`, time in seconds of the worker's clock.
#ifndef UPF_REPORT_H
#define UPF_REPORT_H

#include "upf.h"

void report_write(FILE* out, const struct event* e);

#endif
