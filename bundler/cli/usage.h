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

/// Adds the argument PROJECT. Where it is not given, `project` is the first folder with a project
/// from the current one up, or `.`.
CLI::Option* add_project(CLI::App& command, std::string& project);

/// The first argument that the program or the command in `arguments` (without the program's name)
/// does not know, said for a person; empty when all are known.
std::string unknown_argument(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace muster::cli
