// Shared parts of the command line: suggestions for misspelt names, short options, and the default
// project.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace muster::cli {

/// Checks that a value is one of these names. The error for another value suggests a name.
CLI::Validator one_of(const std::vector<std::string>& names);

/// Refuses an empty value for each option and argument of `app` and of its commands. Otherwise an
/// unset variable in a script ("$BASE") would count as a missing option.
void refuse_empty_values(CLI::App& app);

/// Adds the argument PROJECT. The default is the nearest project at or above the current folder, or
/// `.` if there is no project.
CLI::Option* add_project(CLI::App& command, std::string& project);

/// Adds the arguments PROJECT and ASSET. PROJECT is optional, as in `add_project`.
void add_project_and_asset(CLI::App& command, std::string& project, std::string& asset);

/// Finds an argument that the parser would misread, and returns a message for the user. For
/// example, `--out=` would use the next argument as its value, and `-out` would mean `-o ut`. The
/// result is empty if there is no such argument. `arguments` are the arguments of the program,
/// without its name.
std::string misread_argument(const CLI::App& app, const std::vector<std::string>& arguments);

/// Finds the first argument that the program, or the command in `arguments`, does not know, and
/// returns a message with a suggestion. The result is empty if all arguments are known. `arguments`
/// are the arguments of the program, without its name.
std::string unknown_argument(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace muster::cli
