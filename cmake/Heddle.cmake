# One way to declare each kind of target; the rooms' CMakeLists.txt use nothing else.

set(HEDDLE_WARNINGS -Wall -Wextra -Wno-unused-parameter)
set(HEDDLE_SANITIZERS -fsanitize=address,undefined -fno-sanitize=vptr -fno-omit-frame-pointer)
set(HEDDLE_LLVM_BIN /usr/lib/llvm-19/bin)

# A room: the static library heddle_<name> out of every .cpp of the folder, with the rooms it stands on.
function(heddle_room name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(heddle_${name} STATIC ${sources})
  heddle_tool_flags(heddle_${name})
  target_link_libraries(heddle_${name} PUBLIC ${ARG_DEPENDS})
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
  target_compile_options(${target} PRIVATE ${HEDDLE_WARNINGS} -fno-exceptions)
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${target} PUBLIC ${LLVM_DEFINITIONS})
  if(HEDDLE_SANITIZE)
    target_compile_options(${target} PUBLIC ${HEDDLE_SANITIZERS})
    target_link_options(${target} PUBLIC ${HEDDLE_SANITIZERS})
  endif()
endfunction()
