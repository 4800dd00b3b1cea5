#include "bundler/cli/usage.h"

#include <algorithm>
#include <set>

#include <CLI/CLI.hpp>

#include "bundler/cli/edges.h"
#include "registry/vocabulary/near_name.h"

namespace muster::cli {
namespace {

std::set<std::string> names_of(const CLI::App& command) {
  std::set<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.insert("--" + name);
  }
  return names;
}

bool knows(const CLI::App& command, const std::string& name) {
  return command.get_option_no_throw(name) != nullptr;
}

}  // namespace

CLI::Validator one_of(std::vector<std::string> names) {
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ",") + name;
  CLI::Validator check(
      [names, known](std::string& value) {
        if (std::ranges::find(names, value) != names.end()) return std::string();
        return value + " not in {" + known + "}" +
               did_you_mean(value, {names.begin(), names.end()});
      },
      "{" + known + "}");
  return check;
}

CLI::Option* add_project(CLI::App& command, std::string& project) {
  CLI::Option* option = command.add_option(
      "PROJECT", project, "The project's folder; without it the one that the current folder is in");
  command.parse_complete_callback([option, &project] {
    if (option->count() == 0) project = project_above(".");
  });
  return option;
}

std::string unknown_argument(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = &app;
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with('-') || argument == "-") {
      const auto inner =
          command->get_subcommands([&](const CLI::App* one) { return one->check_name(argument); });
      if (!inner.empty()) command = inner.front();
      continue;
    }
    const bool is_long = argument.starts_with("--");
    const std::string name =
        is_long ? argument.substr(0, argument.find('=')) : argument.substr(0, 2);
    if (knows(*command, name)) continue;
    // `-out` is a common way to write `--out`.
    const std::string meant = is_long ? name : "-" + argument.substr(0, argument.find('='));
    return "unexpected argument '" + (is_long ? name : argument) + "'" +
           did_you_mean(meant, names_of(*command));
  }
  return {};
}

}  // namespace muster::cli
