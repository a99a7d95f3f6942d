// What the user declares about a program in heddle.toml (docs/guide.md, "heddle.toml"). The analysis cannot prove
// these statements; they are named in the plan, and `--trust proven` leaves those out that free a location.
//
//     [[commute]]                                 each call of these is atomic, and their order does not matter
//     functions = ["add_timer", "del_timer"]
//     differs = "iteration order"                 what another order may change; see differs_values()
//     why = "timers of one millisecond may expire in any order"
//     through_pointers = ["compare"]              optional: what calls through pointers within them run
//
//     [[declared]]                                this location needs no window
//     location = "session_t.last_seen"            as `heddle plan --explain` prints it
//     why = "read by the management thread only"
//
//     [[declared]]                                no memory that packets reach needs one
//     location = "all memory"
//     shared = ["session_table", "statistics"]    optional: but these do
//     why = "a session is used by its own packets only, and those never come in one batch"
//
//     [[scratch]]                                 every packet writes it before reading it; nobody else reads it
//     variable = "buffer"
//     why = "only the bytes that recvfrom has written are read"
//
//     [[scratch]]                                 likewise what a pointer leads to (own_objects.h)
//     pointer = "connection.buffer"               a field, or a variable; a list of those that lead to one object
//     make = "buffer_new(65536)"                  makes another one
//     why = "holds one message"
//
//     [[keyed]]                                   packets with different keys meet in none of these locations
//     key = "find_flow()"                         what the function returns; "serve(c)": its parameter or variable c
//     fresh = "new_flow()"                        optional: likewise, of a record that is filled at once
//     locations = ["flow_t.bytes"]                optional; without: the objects that the key points to
//     shared = ["flow_table"]                     optional, instead: all that packets reach by memory but these
//     why = "one flow's packets only"
//
//     [[output]]                                  what these put out, packets see nothing of
//     functions = ["write_log_line"]              the calls of write, send and the like in them are kept, as having succeeded
//     why = "the log is only written"
//
//     [allocators]
//     functions = ["pool_get"]                    their result is fresh memory
#pragma once

#include "support/diagnostic.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace heddle {

constexpr llvm::StringRef all_memory = "all memory"; // as a location of [[declared]]

// One table of the file.
struct Declaration {
  std::string kind;               // "commute", "declared", "scratch", "keyed", "output" or "allocators"
  std::vector<std::string> names; // functions; of "declared" and "scratch": one location; of "keyed": keys
                                  // of "scratch" with `make`: pointers
  std::string differs;            // of "commute"
  std::string why;
  // Of "commute": the only functions that calls through pointers within calls of these run. Empty: not declared.
  std::vector<std::string> through_pointers;
  // Where each name stands in the file, and after these each of `through_pointers` and of `fresh`; empty when it comes
  // from a plan.
  std::vector<unsigned> lines;
  // Of "keyed": keys of records that are filled at once; the locations, or those that are not keyed. Both empty: the objects
  // that the keys point to. `shared` of "declared" with all memory: but these.
  std::vector<std::string> fresh{}, locations{}, shared{};
  std::string make{}; // of "scratch": the call that makes an object like the one that the pointers lead to

  bool is_of_all_memory() const { return kind == "declared" && names.front() == all_memory; } // but `shared`
  // Those that stay functions of their own.
  bool names_functions() const { return kind == "commute" || kind == "allocators"; }
};

struct Declarations {
  std::string file; // empty: nothing is declared
  std::vector<Declaration> all;

  std::vector<std::string> functions() const;        // all that are named: ascending, each once
  Declarations trusted(llvm::StringRef trust) const; // under --trust: "proven" or "declared"
  std::string place(const Declaration& declaration, size_t name = 0) const; // "heddle.toml:3"
};

// The key that the program's own source gives (include/heddle/heddle.h), in place of a name in heddle.toml.
constexpr llvm::StringRef annotated_key = "HEDDLE_KEY";
constexpr size_t most_own_objects = 16; // [[scratch]] with a pointer
constexpr size_t most_keys = 15;        // of heddle.toml; with the annotation: sixteen

constexpr size_t most_commuting_groups = 30; // with two more sets of code that Heddle knows itself: a word
llvm::ArrayRef<llvm::StringRef> differs_values();

// Errors: unreadable, no TOML, an unknown key, a value of a wrong type; each with file and line.
llvm::Expected<Declarations> read_declarations(llvm::StringRef path);

} // namespace heddle
