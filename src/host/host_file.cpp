// A host as JSON; docs/host.schema.json describes the fields.
#include "host/host_fields.h"
#include "support/fields.h"
#include "support/file.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

namespace {

constexpr const char* format_name = "heddle-host";
constexpr uint32_t format_version = 1;

} // namespace

static llvm::Error not_a_host(const llvm::Twine& why, llvm::StringRef path) {
  return diagnose("not a host: " + why, "give a file that 'heddle calibrate' wrote", path);
}

// Plans divide by these, and interpolate between them in order.
static llvm::Error check_figures(const Host& host, llvm::StringRef path) {
  uint64_t last = 0;
  for (const CodePoint& point : host.front_end.points) {
    if (point.footprint_kib <= last) return not_a_host("its footprints do not rise", path);
    last = point.footprint_kib;
    if (!(point.straight > 0 && point.conditional > 0 && point.indirect > 0))
      return not_a_host("a cost of " + llvm::Twine(last) + " KiB of code is not above 0", path);
  }
  const FrontEnd& lines = host.front_end;
  if (last && !(lines.straight_instructions_per_line > 0 && lines.conditional_instructions_per_line > 0 &&
                lines.indirect_instructions_per_line > 0))
    return not_a_host("a number of instructions per line is not above 0", path);
  return llvm::Error::success();
}

void write_host(const Host& host, llvm::json::OStream& json) {
  FieldWriter fields(json);
  fields("format", std::string(format_name));
  fields("version", format_version);
  list_fields(fields, host);
}

llvm::Error write_host(const Host& host, llvm::StringRef path) {
  return write_file(path, [&](llvm::raw_ostream& out) {
    llvm::json::OStream json(out, 2);
    json.object([&] { write_host(host, json); });
    out << '\n';
  });
}

llvm::Expected<Host> read_host(llvm::StringRef path) {
  auto buffer = read_file(path);
  if (!buffer) return buffer.takeError();
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value) return not_a_host(llvm::toString(value.takeError()), path);
  const llvm::json::Object* object = value->getAsObject();
  if (!object || object->getString("format") != llvm::StringRef(format_name))
    return not_a_host(llvm::Twine("no field 'format' with the value '") + format_name + "'", path);
  Host host;
  std::string format;
  uint32_t version = 0;
  FieldReader fields(*value, "");
  fields("format", format);
  fields("version", version);
  if (version != format_version)
    return diagnose("host of format version " + llvm::Twine(version) + ", and this Heddle reads " +
                        llvm::Twine(format_version),
                    "calibrate again with 'heddle calibrate'", path);
  list_fields(fields, host);
  if (llvm::Error error = fields.done(
          path, "docs/host.schema.json lists the fields; or calibrate again with 'heddle calibrate'"))
    return std::move(error);
  if (llvm::Error error = check_figures(host, path)) return std::move(error);
  return host;
}

} // namespace heddle
