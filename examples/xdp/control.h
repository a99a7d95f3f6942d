/* What the control planes of these programs share (control.c); each has a fill.c of its own. */
#ifndef EXAMPLES_XDP_CONTROL_H
#define EXAMPLES_XDP_CONTROL_H

#include <stdio.h>

/* Name of the program's function. */
extern const char program_name[];

/* Takes one line of the file of tables. */
void fill_line(char* line);

/* An entry of a map, by the map's name. */
void put(const char* table, const void* key, const void* value);

/* Says what cannot be done, and why, and ends. */
void give_up(const char* what) __attribute__((noreturn));

#endif
