// Hosts as files, and what is derived from their curves.
#include "host/host.h"
#include "host/hosts.h"
#include "support/file.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::HasSubstr;

namespace {

Host sample() {
  Host host;
  host.name = "Test CPU";
  host.origin = "made up";
  host.machine.cpu = "Test CPU";
  host.machine.caches = {{1, "Data", "48K", 12}, {1, "Instruction", "32K", 8}, {2, "Unified", "2M", 16}};
  host.front_end = {"made up", 16, 14, 14, {{16, 0.25, 0.3, 0.5}, {64, 0.5, 0.5, 0.75}, {256, 0.5, 1, 1}}};
  host.window_instructions = {200, 3, "made up"};
  host.data.push_back({"memory", "4 KiB", 1024, {300, 1, "made up"}, {12, 1, "made up"}, {}, {}});
  host.calls = {"made up", "calls", {{32, 1000, 2000}}};
  return host;
}

std::string text_of(const Host& host, const std::string& file) {
  llvm::cantFail(write_host(host, file));
  return llvm::cantFail(read_file(file))->getBuffer().str();
}

// The error of reading a file with that text.
std::string refusal(const std::string& text) {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create("heddle-host"));
  llvm::cantFail(write_file(folder.file("host"), [&](llvm::raw_ostream& out) { out << text; }));
  return llvm::toString(read_host(folder.file("host")).takeError());
}

std::string changed(const char* from, const char* to) {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create("heddle-host"));
  std::string text = text_of(sample(), folder.file("host"));
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, strlen(from), to);
}

TEST(HostFile, IsReadAsItWasWritten) {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create("heddle-host"));
  const std::string text = text_of(sample(), folder.file("host"));
  const Host again = llvm::cantFail(read_host(folder.file("host")));
  EXPECT_EQ(text, text_of(again, folder.file("again")));
  EXPECT_EQ(again.front_end.points.size(), 3u);
  EXPECT_DOUBLE_EQ(again.find("memory", "4 KiB")->loads_at_once.value, 12);
  EXPECT_EQ(again.find("memory", "2 MiB"), nullptr);
}

// Every object of the file has exactly the fields that the schema lists for it.
void expect_matches(const llvm::json::Value& value, const llvm::json::Object& schema,
                    const llvm::json::Object& figure, const std::string& path) {
  const llvm::json::Object& described = schema.get("$ref") ? figure : schema;
  if (const llvm::json::Object* object = value.getAsObject()) {
    const llvm::json::Object* fields = described.getObject("properties");
    ASSERT_TRUE(fields) << path << " is no object by the schema";
    EXPECT_EQ(object->size(), fields->size()) << path;
    for (const auto& [name, inner] : *object) {
      const llvm::json::Object* field = fields->getObject(name);
      ASSERT_TRUE(field) << path << '.' << name.str() << " is not in the schema";
      expect_matches(inner, *field, figure, path + "." + name.str());
    }
  } else if (const llvm::json::Array* array = value.getAsArray()) {
    const llvm::json::Object* items = described.getObject("items");
    ASSERT_TRUE(items) << path << " has no items by the schema";
    for (const llvm::json::Value& element : *array)
      expect_matches(element, *items, figure, path + "[]");
  }
}

TEST(HostFile, MatchesTheSchema) {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create("heddle-host"));
  const auto host = llvm::cantFail(llvm::json::parse(text_of(sample(), folder.file("host"))));
  const auto text = llvm::cantFail(read_file(HEDDLE_SOURCE_DIR "/docs/host.schema.json"));
  const auto schema = llvm::cantFail(llvm::json::parse(text->getBuffer()));
  const llvm::json::Object& root = *schema.getAsObject();
  expect_matches(host, root, *root.getObject("$defs")->getObject("figure"), "host");
}

TEST(HostFile, WhatIsWrongIsNamed) {
  EXPECT_THAT(refusal("text"), HasSubstr("not a host"));
  EXPECT_THAT(refusal("{\"format\": \"heddle-plan\"}"), HasSubstr("heddle-host"));
  EXPECT_THAT(refusal(changed("\"version\": 1", "\"version\": 7")), HasSubstr("format version 7"));
  EXPECT_THAT(refusal(changed("\"window_instructions\"", "\"windows\"")),
              HasSubstr("'window_instructions' is missing"));
  EXPECT_THAT(refusal(changed("\"value\": 300", "\"value\": \"many\"")),
              HasSubstr("'data[0].latency_cycles.value' is not a number"));
  EXPECT_THAT(refusal(changed("\"footprint_kib\": 64", "\"footprint_kib\": 8")), HasSubstr("do not rise"));
}

TEST(Host, CachesAreInBytes) {
  EXPECT_EQ(sample().cache_bytes(1, "Instruction"), 32u * 1024);
  EXPECT_EQ(sample().cache_bytes(2, "Data"), 2u << 20);
  EXPECT_EQ(sample().cache_bytes(3, "Data"), 0u);
}

double lines(double kib) {
  return kib * 1024 / 64;
}

TEST(Refill, IsWhatIsAboveTheCostOfCodeThatFits) {
  const Host host = sample();
  EXPECT_DOUBLE_EQ(refill_cycles_per_line(host, &CodePoint::straight, 100), 0);
  EXPECT_NEAR(refill_cycles_per_line(host, &CodePoint::straight, lines(64)), 4, 1e-9);
  EXPECT_NEAR(refill_cycles_per_line(host, &CodePoint::conditional, lines(256)), 14 * 0.7, 1e-9);
}

TEST(Refill, LiesBetweenItsNeighboursAndStaysBeyondTheLast) {
  const Host host = sample();
  EXPECT_NEAR(refill_cycles_per_line(host, &CodePoint::conditional, lines(128)), 14 * 0.45, 1e-9);
  EXPECT_NEAR(refill_cycles_per_line(host, &CodePoint::conditional, 1 << 20), 14 * 0.7, 1e-9);
}

TEST(Refill, OfMoreCodeIsNeverLess) {
  Host host = sample();
  host.front_end.points[1].conditional = 5; // disturbed
  EXPECT_NEAR(refill_cycles_per_line(host, &CodePoint::conditional, lines(64)), 14 * 0.7, 1e-9);
}

TEST(Refill, OfAHostWithoutCurvesIsNothing) {
  EXPECT_EQ(refill_cycles_per_line(Host(), &CodePoint::conditional, 1000), 0);
}

TEST(Hosts, ChangesAreSaidAndAKernelIsNone) {
  const Host host = sample();
  Machine now = host.machine;
  now.kernel = "Linux 9";
  EXPECT_EQ(changes_since(host, now), "");
  now.cpu = "Other CPU";
  EXPECT_EQ(changes_since(host, now), "its CPU is Other CPU, and was Test CPU");
  now = host.machine;
  now.caches.pop_back();
  EXPECT_THAT(changes_since(host, now), HasSubstr("its caches are of 48K, 32K"));
}

TEST(Hosts, StoredOnesAreWhole) {
  for (const char* name : {"xeon-gold-6248r", "xeon-e5-2680", "xeon-e5-2640-v3"}) {
    auto host = read_host(std::string(HEDDLE_SOURCE_DIR "/src/host/reference/") + name + ".json");
    ASSERT_TRUE(bool(host)) << llvm::toString(host.takeError());
    EXPECT_GT(host->cache_bytes(1, "Instruction"), 0u);
    EXPECT_FALSE(host->crossing_cycles.source.empty());
  }
}

} // namespace
