// Where the files lie that places ("file:line") name.
#pragma once

#include <map>
#include <string>

namespace heddle {

struct Program;

// From a file's name in SourceLocation to its path when the program was compiled. Left out: names that more than one path has, as in
// libraries that each have a util.c.
std::map<std::string, std::string> source_files(const Program& program);

} // namespace heddle
