// Tables' memory.
#ifndef FORWARD_MEMORY_H
#define FORWARD_MEMORY_H

#include <stddef.h>

// Zeroed, aligned to 2 MB, in huge pages where the system gives some. For free(); NULL if there is none.
void* memory_create(size_t bytes);

#endif
