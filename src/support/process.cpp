#include "support/process.h"

#include "support/diagnostic.h"
#include "support/interrupt.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle {

namespace {

double seconds(const timeval& t) {
  return double(t.tv_sec) + double(t.tv_usec) * 1e-6;
}

bool redirect(const std::string& path, int fd, int flags) {
  if (path.empty()) return true;
  int opened = open(path.c_str(), flags, 0644);
  if (opened < 0) return false;
  dup2(opened, fd);
  close(opened);
  return true;
}

// In the child: never returns. Writes errno into `report` when the program cannot be started.
[[noreturn]] void start(const std::string& program, std::vector<char*>& argv, const ProcessOptions& options,
                        int report) {
  bool ok = redirect(options.stdin_path, 0, O_RDONLY) &&
            redirect(options.stdout_path, 1, O_WRONLY | O_CREAT | O_TRUNC) &&
            redirect(options.stderr_path, 2, O_WRONLY | O_CREAT | O_TRUNC) &&
            (options.directory.empty() || chdir(options.directory.c_str()) == 0);
  if (ok && options.core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(*options.core, &set);
    sched_setaffinity(0, sizeof set, &set);
  }
  if (ok) {
    for (const auto& [name, value] : options.environment)
      setenv(name.c_str(), value.c_str(), 1);
    execvp(program.c_str(), argv.data());
  }
  int error = errno;
  (void)!write(report, &error, sizeof error);
  _exit(127);
}

// Waits for `pid`, at most until the deadline; then kills its whole process group.
int await(pid_t pid, unsigned timeout_seconds, rusage& usage, bool& timed_out) {
  int status = 0;
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_seconds);
  while (timeout_seconds) {
    pid_t done = wait4(pid, &status, WNOHANG, &usage);
    if (done == pid) return status;
    if (std::chrono::steady_clock::now() > deadline) {
      timed_out = true;
      kill(-pid, SIGKILL);
      kill(pid, SIGKILL);
      break;
    }
    usleep(2000);
  }
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  return status;
}

} // namespace

llvm::Expected<ProcessResult> run_process(llvm::StringRef program, llvm::ArrayRef<std::string> args,
                                          const ProcessOptions& options) {
  std::string path = program.str();
  std::vector<char*> argv{path.data()};
  for (const std::string& arg : args)
    argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);

  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0)
    return diagnose(llvm::Twine("cannot start: ") + strerror(errno), "raise the limit of open files",
                    program);
  auto begin = std::chrono::steady_clock::now();
  const bool group = options.own_group || options.timeout_seconds;
  auto fork_and_start = [&] {
    const pid_t forked = fork();
    if (forked != 0) return forked;
    if (group) setpgid(0, 0);
    restore_signals_in_child();
    start(path, argv, options, report[1]);
  };
  pid_t pid = -1;
  auto undo = UndoWhenInterrupted::end(fork_and_start, group, pid);
  close(report[1]);
  if (pid < 0) {
    close(report[0]);
    return diagnose(llvm::Twine("cannot start: ") + strerror(errno), "free some memory or processes",
                    program);
  }
  int error = 0;
  bool failed = read(report[0], &error, sizeof error) == sizeof error;
  close(report[0]);

  ProcessResult result;
  rusage usage{};
  int status = await(pid, options.timeout_seconds, usage, result.timed_out);
  if (WIFSIGNALED(status) && !result.timed_out) ended_by_signal(WTERMSIG(status));
  if (failed)
    return diagnose(llvm::Twine("cannot start: ") + strerror(error), "check that it exists and is executable",
                    program);
  result.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.user_seconds = seconds(usage.ru_utime);
  result.system_seconds = seconds(usage.ru_stime);
  result.peak_memory_kib = usage.ru_maxrss;
  return result;
}

} // namespace heddle
