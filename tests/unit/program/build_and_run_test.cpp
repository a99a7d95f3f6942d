#include "build_and_run.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace heddle::testing {
namespace {

constexpr const char* driver = R"(
#include <stddef.h>
struct packet { unsigned char *user; const void *header; const unsigned char *data; };
struct job { int (*body)(void *); unsigned char *user; };
int heddle_run_loop(int (*body)(void *), void *env, long count) {
  int exit;
  while (!(exit = body(env)))
    ;
  return exit;
}
long recvfrom(int, void *, size_t, int, void *, unsigned *);
long recvmsg(int, void *, int);
long recv(int, void *, size_t, int);
long heddle_recvfrom(int fd, void *data, size_t size, int flags, void *sender, unsigned *length) {
  return recvfrom(fd, data, size, flags, sender, length);
}
long heddle_recvmsg(int fd, void *message, int flags) { return recvmsg(fd, message, flags); }
long heddle_recv(int fd, void *data, size_t size, int flags) { return recv(fd, data, size, flags); }
int pcap_next_ex(void *, void **, const unsigned char **) __attribute__((weak));
const unsigned char *pcap_next(void *, void *) __attribute__((weak));
int heddle_pcap_next_ex(void *pcap, void **header, const unsigned char **data) {
  return pcap_next_ex(pcap, header, data);
}
const unsigned char *heddle_pcap_next(void *pcap, void *header) { return pcap_next(pcap, header); }
int pcap_loop(void *, int, void (*)(unsigned char *, const void *, const unsigned char *), unsigned char *)
    __attribute__((weak));
static void one(unsigned char *user, const void *header, const unsigned char *data) {
  struct job *job = (struct job *)user;
  struct packet packet = {job->user, header, data};
  job->body(&packet);
}
int heddle_pcap_loop(void *pcap, int count, int (*body)(void *), unsigned char *user, void *callback) {
  struct job job = {body, user};
  return pcap_loop(pcap, count, one, (unsigned char *)&job);
}
)";

TemporaryFolder make_folder() {
  Expected<TemporaryFolder> folder = TemporaryFolder::create("heddle-program-test");
  EXPECT_TRUE(bool(folder));
  return std::move(*folder);
}

std::string content(const std::string& path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> bytes = MemoryBuffer::getFile(path);
  return bytes ? (*bytes)->getBuffer().str() : "";
}

bool is_cpp(StringRef path) {
  return path.ends_with(".cpp");
}

std::string tool(StringRef name) {
  return (HEDDLE_LLVM_BIN "/" + name).str();
}

} // namespace

Workshop::Workshop() : folder_(make_folder()) {}

std::string Workshop::source(const std::string& name, const std::string& text) {
  std::string path = folder_.file(name);
  EXPECT_FALSE(errorToBool(write_file(path, [&](raw_ostream& out) { out << text; })));
  return path;
}

void Workshop::compile(std::vector<std::string> args) {
  bool cpp = any_of(args, is_cpp);
  Expected<ProcessResult> result = run_process(tool(cpp ? "clang++" : "clang"), args);
  ASSERT_TRUE(bool(result));
  ASSERT_TRUE(result->ok()) << "compiling " << args.back();
}

std::string Workshop::bitcode(const std::string& source) {
  std::string output = folder_.file("unit.bc");
  compile({"-O2", "-g", "-w", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-o", output, source});
  return content(output);
}

ProgramImage Workshop::image(const std::vector<std::string>& sources) {
  ProgramImage image;
  image.id = "test";
  for (const std::string& source : sources)
    image.modules.push_back(bitcode(source));
  return image;
}

Outcome Workshop::run(const std::string& executable) {
  std::string output = folder_.file("output");
  ProcessOptions options;
  options.stdout_path = output;
  options.timeout_seconds = 30;
  Expected<ProcessResult> result = run_process(executable, {}, options);
  if (!result) {
    ADD_FAILURE() << toString(result.takeError());
    return {};
  }
  return {result->exit_status, content(output)};
}

Outcome Workshop::run_plain(const std::vector<std::string>& sources, const std::vector<std::string>& link) {
  std::string executable = folder_.file("plain");
  std::vector<std::string> args{"-O2", "-w", "-o", executable};
  args.insert(args.end(), sources.begin(), sources.end());
  args.insert(args.end(), link.begin(), link.end());
  compile(args);
  return run(executable);
}

Outcome Workshop::run_prepared(const Program& program, const std::vector<std::string>& link) {
  std::string module = folder_.file("prepared.bc"), executable = folder_.file("prepared");
  EXPECT_FALSE(errorToBool(save_program(program, module)));
  std::vector<std::string> args{"-O2",     "-w",       "-Xclang", "-disable-llvm-passes",
                                "-o",      executable, module,    source("driver.c", driver),
                                "-lstdc++"};
  args.insert(args.end(), link.begin(), link.end());
  compile(args);
  return run(executable);
}

} // namespace heddle::testing
