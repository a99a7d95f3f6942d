// Undoing on a signal.
//
// Problem: a run takes minutes and leaves half-made files, folders under TMPDIR, files of the user's that
// were set aside and running children, at whatever point Ctrl-C arrives. Destructors do not run then.
//
// Alternatives: a flag that every loop asks for (easily forgotten, and no help in a long call into LLVM);
// doing it in a signal handler (may allocate nothing and take no lock).
//
// Choice: the signals are blocked, and one thread waits for them. It takes the lock of the register and never
// gives it back, so that nothing new comes into being: whoever is about to make something registers it first,
// and stops there.
#include "support/interrupt.h"

#include "support/diagnostic.h"
#include "support/progress.h"

#include "llvm/Support/FileSystem.h"

#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace heddle {

namespace {

struct Undo {
  std::string path, to; // `to` empty: remove
  pid_t process = 0;    // not 0: end it
  bool group = false;
};

// Never destroyed: the thread may run until the very end.
struct Register {
  std::mutex lock;
  uint64_t next = 1;
  std::map<uint64_t, Undo> entries;
};

Register& all() {
  static auto* the_register = new Register;
  return *the_register;
}

sigset_t waited_for;
bool waiting = false;

uint64_t add(Undo undo) {
  Register& known = all();
  std::lock_guard<std::mutex> guard(known.lock);
  known.entries.emplace(known.next, std::move(undo));
  return known.next++;
}

// The linker, for one, removes what it has begun when it is asked to end. Its parent here is about to end
// too, so nobody has to wait for it but this loop.
void end_processes(const std::map<uint64_t, Undo>& entries) {
  for (int signal : {SIGTERM, SIGKILL}) {
    bool left = false;
    for (const auto& [key, undo] : entries)
      if (undo.process) left |= kill(undo.group ? -undo.process : undo.process, signal) == 0;
    for (int i = 0; left && signal == SIGTERM && i < 200; ++i) {
      usleep(10000);
      left = false;
      for (const auto& [key, undo] : entries)
        if (undo.process) left |= kill(undo.group ? -undo.process : undo.process, 0) == 0;
    }
    if (!left) return;
  }
}

[[noreturn]] void undo_all(int signal) {
  Register& known = all();
  known.lock.lock(); // for good
  stop_progress();
  end_processes(known.entries);
  for (auto entry = known.entries.rbegin(); entry != known.entries.rend(); ++entry) {
    const Undo& undo = entry->second;
    if (undo.process) continue;
    if (!undo.to.empty())
      (void)llvm::sys::fs::rename(undo.path, undo.to);
    else if (llvm::sys::fs::is_directory(undo.path))
      (void)llvm::sys::fs::remove_directories(undo.path);
    else
      (void)llvm::sys::fs::remove(undo.path);
  }
  report(diagnose(llvm::Twine("interrupted (") + strsignal(signal) + ")",
                  "nothing half-made is left; run the same command again"));
  ::signal(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  raise(signal);
  _exit(128 + signal);
}

} // namespace

void undo_when_interrupted() {
  sigemptyset(&waited_for);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old{};
    if (sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) sigaddset(&waited_for, signal);
  }
  pthread_sigmask(SIG_BLOCK, &waited_for, nullptr);
  waiting = true;
  std::thread([] {
    int signal = 0;
    while (sigwait(&waited_for, &signal) != 0) {
    }
    undo_all(signal);
  }).detach();
}

void ended_by_signal(int signal) {
  if (!waiting || sigismember(&waited_for, signal) != 1) return;
  usleep(100000); // until the thread that waits has had it
  const std::lock_guard<std::mutex> guard(all().lock);
}

void restore_signals_in_child() {
  if (waiting) sigprocmask(SIG_UNBLOCK, &waited_for, nullptr);
}

UndoWhenInterrupted UndoWhenInterrupted::remove(std::string path) {
  return UndoWhenInterrupted(add({std::move(path), {}, 0, false}));
}

UndoWhenInterrupted UndoWhenInterrupted::move_back(std::string from, std::string to) {
  return UndoWhenInterrupted(add({std::move(from), std::move(to), 0, false}));
}

UndoWhenInterrupted UndoWhenInterrupted::end(llvm::function_ref<pid_t()> fork, bool group, pid_t& process) {
  Register& known = all();
  std::lock_guard<std::mutex> guard(known.lock);
  process = fork();
  if (process < 0) return {};
  if (group) (void)setpgid(process, process); // the process does it, too: whoever comes first
  known.entries.emplace(known.next, Undo{{}, {}, process, group});
  return UndoWhenInterrupted(known.next++);
}

UndoWhenInterrupted& UndoWhenInterrupted::operator=(UndoWhenInterrupted&& other) noexcept {
  if (this != &other) {
    forget();
    key_ = other.key_;
    other.key_ = 0;
  }
  return *this;
}

void UndoWhenInterrupted::forget() {
  if (!key_) return;
  Register& known = all();
  std::lock_guard<std::mutex> guard(known.lock);
  known.entries.erase(key_);
  key_ = 0;
}

} // namespace heddle
