// Signal handlers of a staged program. A handler runs in the middle of whatever was interrupted: a gate there must not
// let other packets run, nor a site suspend the one that was. So the program's handlers are installed by way of
// this file (src/transform/signals.h), and run with staging off: what the handler changes of the round is put back when
// it returns. A handler that leaves by longjmp is not for this file; the analysis excludes it. One that ends the program
// does what the interrupted packet would have done first: it lets the packets before it end (heddle_leaving).
#include "internal.h"

#include <errno.h>
#include <signal.h>

using namespace heddle::runtime;

extern "C" __attribute__((preserve_most)) void heddle_leaving(const char* place) {
  heddle_thread& thread = heddle_this_thread;
  if (thread.interrupted != HEDDLE_NONE) thread.round = thread.interrupted;
  thread.in_handler = 0;
  heddle_alone(place);
}

namespace {

struct Handler {
  union {
    void (*plain)(int);
    void (*with_info)(int, siginfo_t*, void*);
  };
  int flags; // SA_SIGINFO as the program wants it
};
Handler handlers[NSIG];

void on_signal(int number, siginfo_t* info, void* context) {
  heddle_thread& thread = heddle_this_thread;
  const uint32_t round = thread.round, outer = thread.interrupted;
  const int in_handler = thread.in_handler;
  if (round != HEDDLE_NONE) thread.interrupted = round;
  thread.round = HEDDLE_NONE;
  thread.in_handler = 1;
  const Handler handler = handlers[number];
  if (handler.flags & SA_SIGINFO)
    handler.with_info(number, info, context);
  else
    handler.plain(number);
  thread.round = round;
  thread.interrupted = outer;
  thread.in_handler = in_handler;
}

bool is_function(const struct sigaction& action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

// What the program set, in place of what the kernel has.
void show_own(int number, struct sigaction& action, const Handler& own) {
  if (!(action.sa_flags & SA_SIGINFO) || action.sa_sigaction != on_signal) return;
  if (!(own.flags & SA_SIGINFO)) action.sa_flags &= ~SA_SIGINFO;
  if (own.flags & SA_SIGINFO)
    action.sa_sigaction = own.with_info;
  else
    action.sa_handler = own.plain;
}

} // namespace

extern "C" {

// As sigaction(2). A signal that arrives during the call may meet the new handler a little early.
int heddle_sigaction(int number, const struct sigaction* action, struct sigaction* old) {
  if (number <= 0 || number >= NSIG) return sigaction(number, action, old);
  const Handler before = handlers[number];
  struct sigaction wrapped;
  if (action != nullptr && is_function(*action)) {
    wrapped = *action;
    if (action->sa_flags & SA_SIGINFO)
      handlers[number].with_info = action->sa_sigaction;
    else
      handlers[number].plain = action->sa_handler;
    handlers[number].flags = action->sa_flags;
    wrapped.sa_sigaction = on_signal;
    wrapped.sa_flags |= SA_SIGINFO;
    action = &wrapped;
  }
  int result = sigaction(number, action, old);
  if (result != 0)
    handlers[number] = before;
  else if (old != nullptr)
    show_own(number, *old, before);
  return result;
}

// As signal(3): BSD's meaning, which is the C library's default.
void (*heddle_signal(int number, void (*handler)(int)))(int) {
  struct sigaction action = {}, old;
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (handler == SIG_ERR || number <= 0 || number >= NSIG) {
    errno = EINVAL;
    return SIG_ERR;
  }
  sigaddset(&action.sa_mask, number);
  return heddle_sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

} // extern "C"
