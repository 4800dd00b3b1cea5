// What commands have in common on the command line: suggestions for what is misspelt, short
// options, and the project that is meant where none is given.
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

/// Checks that a value is one of these names, and suggests one.
CLI::Validator one_of(std::vector<std::string> names);

/// Refuses empty values of every option and argument of `app` and its commands: what a script
/// passes from a variable that is not set ("$BASE") would count as not given.
void refuse_empty_values(CLI::App& app);

/// Adds the argument PROJECT. Where it is not given, `project` is the first folder with a project
/// from the current one up, or `.`.
CLI::Option* add_project(CLI::App& command, std::string& project);

/// Adds the arguments PROJECT and ASSET, of which the first may be left out as with `add_project`.
void add_project_and_asset(CLI::App& command, std::string& project, std::string& asset);

/// What is wrong with the spelling of an argument that parsing would take for something else, for a
/// person: `--out=` takes the next argument for its value, and `-out` is `-o ut`. Empty when
/// nothing is. `arguments` are those of the program, without its name.
std::string misread_argument(const CLI::App& app, const std::vector<std::string>& arguments);

/// The first argument that the program or the command in `arguments` (without the program's name)
/// does not know, with what was probably meant; empty when all are known.
std::string unknown_argument(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace muster::cli
