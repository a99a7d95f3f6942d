// A loop over a file of the program's own, named on the command line.
// body: read_records:1
// bodies: --body read_records
#include <stdio.h>

static unsigned state = 7;

static int next_record(unsigned *record) {
  state = state * 1103515245u + 12345u;
  *record = state >> 16;
  return state % 977 != 0;
}

static unsigned read_records(void) {
  unsigned record, sum = 0;
  for (int i = 0; i < 3; i++)
    sum += i;
  while (next_record(&record)) {
    sum ^= record;
    if (record % 100 == 0)
      printf("%u\n", record);
  }
  return sum;
}

int main(void) {
  printf("%u\n", read_records());
  return 0;
}
