#include "specialize/bpf/keeper.h"

#include "support/diagnostic.h"

#include <atomic>
#include <bpf/bpf.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

namespace heddle {

using llvm::Error;
using llvm::Expected;

// What both processes see. The program that runs is `now` or, during a swap, already `next`.
struct Keeper::Shared {
  std::atomic<uint32_t> now, next;
};

struct Keeper::State {
  const Attachment* attachment = nullptr;
  const RunningProgram* original = nullptr;
  RunningProgram current; // the version that runs, if one does
  Shared* shared = nullptr;
  Descriptor alive; // closed with this process, by whatever ends it
  UndoWhenInterrupted undo;
  pid_t process = -1;
};

namespace {

// Whether the original is in place again; false where neither program is any more.
bool put_back(const Attachment& attachment, int original, uint32_t original_id,
              const std::atomic<uint32_t>& now, const std::atomic<uint32_t>& next) {
  if (now == original_id && next == original_id) return true;
  constexpr int most_tries = 50; // a swap that was under way may end between two
  for (int tries = 0; tries != most_tries; ++tries) {
    for (uint32_t id : {next.load(), now.load()}) {
      if (id == original_id) continue;
      Descriptor running(bpf_prog_get_fd_by_id(id));
      if (!running) continue;
      Error error = attachment.replace(running.get(), original);
      if (!error) return true;
      llvm::consumeError(std::move(error));
    }
    usleep(10'000);
  }
  return now == original_id;
}

// In the keeper: until the other process asks for its end by SIGTERM, or has ended.
void wait_for_end(int alive) {
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  int asked = signalfd(-1, &end, SFD_CLOEXEC);
  pollfd events[] = {{alive, 0, 0}, {asked, POLLIN, 0}}; // a closed pipe reports itself
  while (poll(events, 2, -1) < 0 && errno == EINTR)
    ;
}

} // namespace

Keeper::Keeper(std::unique_ptr<State> state) : state_(std::move(state)) {}
Keeper::Keeper(Keeper&&) noexcept = default;

Expected<Keeper> Keeper::start(const Attachment& attachment, const RunningProgram& original,
                               const Pins* pins) {
  auto state = std::make_unique<State>();
  void* page = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int ends[2];
  if (page == MAP_FAILED || pipe(ends) != 0)
    return diagnose(llvm::Twine("no process can be started: ") + strerror(errno),
                    "free memory, or raise `ulimit -n`");
  state->attachment = &attachment;
  state->original = &original;
  state->shared = new (page) Shared{original.id, original.id};
  if (pins)
    if (Error error = pins->add(original.id, original.fd.get())) return std::move(error);
  Descriptor waiting(ends[0]);
  state->alive = Descriptor(ends[1]);
  auto fork_keeper = [&] {
    pid_t process = fork();
    if (process != 0) return process;
    setsid(); // what is sent to the terminal's processes is not meant for it
    close(ends[1]);
    wait_for_end(ends[0]);
    bool good = put_back(attachment, original.fd.get(), original.id, state->shared->now, state->shared->next);
    bool gone = good || (!attachment.holds(state->shared->now) && !attachment.holds(state->shared->next));
    if (pins && gone) pins->remove(original.id);
    _exit(good ? 0 : 1);
  };
  state->undo = UndoWhenInterrupted::end(fork_keeper, /*group=*/false, state->process);
  if (state->process < 0)
    return diagnose(llvm::Twine("no process can be started: ") + strerror(errno), "raise `ulimit -u`");
  return Keeper(std::move(state));
}

Error Keeper::replace(RunningProgram next) {
  State& s = *state_;
  int now = s.current.fd ? s.current.fd.get() : s.original->fd.get();
  s.shared->next = next.id;
  if (Error error = s.attachment->replace(now, next.fd.get())) {
    s.shared->next = s.shared->now.load();
    return error;
  }
  s.shared->now = next.id;
  s.current = std::move(next);
  return Error::success();
}

Error Keeper::replace_by_original() {
  State& s = *state_;
  if (!s.current.fd) return Error::success(); // it runs
  s.shared->next = s.original->id;
  if (Error error = s.attachment->replace(s.current.fd.get(), s.original->fd.get())) {
    s.shared->next = s.shared->now.load();
    return error;
  }
  s.shared->now = s.original->id;
  s.current = {};
  return Error::success();
}

uint32_t Keeper::now() const {
  return state_->shared->now;
}

Error Keeper::restore() {
  State& s = *state_;
  if (s.process < 0) return Error::success();
  s.alive = Descriptor();
  int status = 0;
  while (waitpid(s.process, &status, 0) < 0 && errno == EINTR)
    ;
  s.process = -1;
  s.undo = UndoWhenInterrupted();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Error::success();
  return diagnose("the original program is not put back: somebody else has replaced or removed it",
                  "`ip link` and `bpftool map dump` show what runs there now", s.attachment->where());
}

Keeper::~Keeper() {
  if (state_) llvm::consumeError(restore());
}

} // namespace heddle
