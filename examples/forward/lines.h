// Tables as text: an entry a line, `#` starts a comment.
#ifndef FORWARD_LINES_H
#define FORWARD_LINES_H

#include <stdbool.h>

// Calls `entry` for each line that is not empty. 0, or -1 with a message: the file cannot be read, or `entry` said false of a line.
int lines_read(const char* path, bool (*entry)(void* to, const char* line), void* to);

#endif
