// Where packets claim their keys: the values that `[[keyed]]` and HEDDLE_KEY name, as calls in the program.
//
// Problem. A key is a value in the middle of a packet's code, which the optimiser may move, merge and inline. Analysis, checker and
// runtime have to find it at the same place.
// Choice: before the optimiser runs, every place where the value comes to be gets a call of heddle_claim, which is
// unknown to the optimiser and so stays where it is, in every copy that it makes of the code. What is built from the prepared
// module then keeps these calls (the staged and the checked program, where a plan uses the key), or drops them.
#pragma once

#include "program/declarations.h"

namespace llvm {
class BasicBlock;
class CallBase;
class Instruction;
class Module;
class Value;
} // namespace llvm

namespace heddle {

// One call of heddle_claim.
struct Claim {
  const llvm::CallBase* call = nullptr;
  unsigned key = 0; // claim_number()
  bool fresh =
      false; // the record is filled at once: what earlier packets still have to do with it comes first
  bool nobodys = false; // likewise, and the user says that no other packet in flight has it
};

// Inserts the claims. Errors: a function or a variable that is not there, each with file and line.
llvm::Error insert_claims(llvm::Module& module, const Declarations& declarations);

// The declarations, with one for the program's own annotations, if it has any.
Declarations with_annotations(Declarations declarations, const llvm::Module& module);

// The number of a declaration of kind "keyed" in the program's claims.
unsigned claim_number(const Declarations& declarations, const Declaration& declaration);

// Of a value that the program shows to be a key (analysis/inferred_keys.h): claims it behind its definition, where the block is split.
bool can_be_claimed(const llvm::Instruction& value);
void claim_value(llvm::Instruction& value, unsigned key, bool fresh);
// Where claim_value() does.
const llvm::Instruction& place_of_claim(const llvm::Instruction& value);
// A number above those of all claims in the module.
unsigned next_claim_number(const llvm::Module& module);

// The claim that the block ends with; a null call: none.
Claim claim_of(const llvm::BasicBlock& block);
// The value that is claimed.
const llvm::Value& claimed_value(const Claim& claim);

// Removes all claims but those of `used` keys.
void drop_claims(llvm::Module& module, llvm::ArrayRef<unsigned> used);

} // namespace heddle
