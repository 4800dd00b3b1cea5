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

/// Checks that a value is one of these names; otherwise suggests one.
CLI::Validator one_of(const std::vector<std::string>& names);

/// Refuses empty values of all options and arguments of `app` and its commands: an unset variable
/// in a script ("$BASE") would otherwise count as a missing option.
void refuse_empty_values(CLI::App& app);

/// Adds the argument PROJECT. By default `project` is the first folder with a project from the
/// current one up, or `.`.
CLI::Option* add_project(CLI::App& command, std::string& project);

/// Adds the arguments PROJECT and ASSET; the first is optional, as in `add_project`.
void add_project_and_asset(CLI::App& command, std::string& project, std::string& asset);

/// Describes an argument whose spelling the parser would misread, for the user: `--out=` uses the
/// next argument as its value, and `-out` is `-o ut`. Empty if there is no such argument.
/// `arguments` are those of the program, without its name.
std::string misread_argument(const CLI::App& app, const std::vector<std::string>& arguments);

/// The first argument that the program or the command in `arguments` (without the program's name)
/// does not know, with a suggestion; empty if all are known.
std::string unknown_argument(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace muster::cli
