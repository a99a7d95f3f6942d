#include "lines.h"
#include "forward.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

int lines_read(const char* path, bool (*entry)(void* to, const char* line), void* to) {
  FILE* f = fopen(path, "r");
  if (!f) return failed("%s: %s", path, strerror(errno));
  char line[1024];
  int rc = 0;
  for (unsigned number = 1; rc == 0 && fgets(line, sizeof line, f); number++) {
    line[strcspn(line, "#\n")] = '\0';
    if (line[strspn(line, " \t")] && !entry(to, line)) rc = failed("%s:%u: no entry: %s", path, number, line);
  }
  if (ferror(f)) rc = failed("%s: %s", path, strerror(errno));
  fclose(f);
  return rc;
}
