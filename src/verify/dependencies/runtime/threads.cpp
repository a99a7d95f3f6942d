// The end of a thread.
#include "watch.h"

#include <pthread.h>

namespace heddle::dependencies {
namespace {

pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t key;
bool have_key = false;

void release(void* pointer) {
  auto& thread = *static_cast<Thread*>(pointer);
  thread.watching = false;
  thread.shadow.release();
  release_scratch(thread);
  release_own_objects(thread);
  release_keys(thread);
}

void make_key() {
  have_key = pthread_key_create(&key, release) == 0;
}

} // namespace

void release_at_end(Thread& thread) {
  pthread_once(&once, make_key);
  if (have_key) pthread_setspecific(key, &thread);
}

} // namespace heddle::dependencies
