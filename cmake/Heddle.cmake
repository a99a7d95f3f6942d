# One way to declare each kind of target; the rooms' CMakeLists.txt use nothing else.

set(HEDDLE_WARNINGS -Wall -Wextra -Wno-unused-parameter)
set(HEDDLE_SANITIZERS -fsanitize=address,undefined -fno-sanitize=vptr -fno-omit-frame-pointer)
set(HEDDLE_LLVM_BIN /usr/lib/llvm-19/bin)
# More takes a fifth to a quarter of the time that a file takes.
set(HEDDLE_DEBUG_INFO -gline-tables-only CACHE STRING "debug information of Heddle's own code: a stack's lines; -g for a debugger")

# LLVM's headers are most of the work of compiling a file, so the common ones are compiled once: those that every room may
# include, by the lowest of them, and those of the IR by the lowest that works on it. Each file names what it needs all the same:
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without.
set(HEDDLE_SUPPORT_HEADERS <llvm/ADT/DenseMap.h> <llvm/ADT/SmallVector.h> <llvm/ADT/STLExtras.h>
  <llvm/ADT/StringExtras.h> <llvm/ADT/StringMap.h> <llvm/Support/Error.h> <llvm/Support/FileSystem.h>
  <llvm/Support/FormatVariadic.h> <llvm/Support/JSON.h> <llvm/Support/MemoryBuffer.h> <llvm/Support/Path.h>
  <llvm/Support/raw_ostream.h> <algorithm> <map> <memory> <optional> <set> <string> <vector>)
set(HEDDLE_IR_HEADERS ${HEDDLE_SUPPORT_HEADERS} <llvm/IR/DebugInfo.h> <llvm/IR/Dominators.h> <llvm/IR/InstIterator.h>
  <llvm/IR/Instructions.h> <llvm/IR/IntrinsicInst.h> <llvm/IR/IRBuilder.h> <llvm/IR/LLVMContext.h> <llvm/IR/Module.h>
  <llvm/IR/Verifier.h> <llvm/Transforms/Utils/BasicBlockUtils.h> <llvm/Transforms/Utils/Cloning.h>)

# heddle_common_headers(target OWNER owner HEADERS headers...): from its owner's, or as the owner.
function(heddle_common_headers target)
  cmake_parse_arguments(ARG "" "OWNER" "HEADERS" ${ARGN})
  if(target STREQUAL ARG_OWNER)
    target_precompile_headers(${target} PRIVATE ${ARG_HEADERS})
  else()
    target_precompile_headers(${target} REUSE_FROM ${ARG_OWNER})
  endif()
endfunction()

# A room: the static library heddle_<name> out of every .cpp of the folder, with the rooms it stands on. IR: it works on LLVM's IR.
function(heddle_room name)
  cmake_parse_arguments(ARG "IR" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(heddle_${name} STATIC ${sources})
  heddle_tool_flags(heddle_${name})
  target_link_libraries(heddle_${name} PUBLIC ${ARG_DEPENDS})
  if(ARG_IR)
    heddle_common_headers(heddle_${name} OWNER heddle_program HEADERS ${HEDDLE_IR_HEADERS})
  else()
    heddle_common_headers(heddle_${name} OWNER heddle_support HEADERS ${HEDDLE_SUPPORT_HEADERS})
  endif()
endfunction()

# An archive that goes into the user's programs. Heddle finds it from its own executable, in the build folder as where it is
# installed (src/support/installed.h), so its folder is fixed: LIBDIR may be lib64 or lib/x86_64-linux-gnu.
set(HEDDLE_LIB lib/heddle)
function(heddle_runtime target)
  set_target_properties(${target} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${HEDDLE_LIB})
  install(TARGETS ${target} ARCHIVE DESTINATION ${HEDDLE_LIB})
endfunction()

# Flags of everything that runs inside Heddle's own processes (not the runtime, which runs in the user's).
function(heddle_tool_flags target)
  target_compile_options(${target} PRIVATE ${HEDDLE_WARNINGS} -fno-exceptions ${HEDDLE_DEBUG_INFO})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${target} PUBLIC ${LLVM_DEFINITIONS})
  if(HEDDLE_SANITIZE)
    target_compile_options(${target} PUBLIC ${HEDDLE_SANITIZERS})
    target_link_options(${target} PUBLIC ${HEDDLE_SANITIZERS})
  endif()
endfunction()
