#include "bundler/cli/usage.h"

#include <algorithm>
#include <set>
#include <utility>

#include <CLI/CLI.hpp>

#include "bundler/cli/edges.h"
#include "registry/base/near_name.h"

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

const CLI::App* command_named(const CLI::App& app, const std::string& name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* one) { return one->check_name(name); });
  return found.empty() ? nullptr : found.front();
}

std::string unexpected(const std::string& argument, const std::string& meant,
                       const CLI::App& command) {
  std::set<std::string> names = names_of(command);
  // `did_you_mean` returns no suggestion if `meant` is itself a known name.
  const bool is_known = names.contains(meant);
  return "unexpected argument '" + argument + "'" +
         (is_known ? "; did you mean '" + meant + "'?" : did_you_mean(meant, names));
}

std::string unknown_command(const CLI::App& app, const std::string& name) {
  std::set<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.insert(command->get_name());
  const std::string above = app.get_parent() == nullptr ? "" : app.get_name() + " ";
  const std::string meant = did_you_mean(name, names);
  return "there is no command '" + above + name + "'" +
         (meant.empty() ? "; 'muster " + above + "--help' lists them" : meant);
}

}  // namespace

CLI::Validator one_of(const std::vector<std::string>& names) {
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
      "PROJECT", project,
      "The project's folder; default: the project that contains the current folder");
  command.parse_complete_callback([option, &project] {
    if (option->count() == 0) project = project_above(".");
  });
  return option;
}

void add_project_and_asset(CLI::App& command, std::string& project, std::string& asset) {
  CLI::Option* first = command.add_option(
      "PROJECT", project,
      "The project's folder; default: the project that contains the current folder");
  CLI::Option* second = command.add_option(
      "ASSET", asset, "A guid, or a path from the project's root or the current folder");
  command.parse_complete_callback([first, second, &project, &asset] {
    if (first->count() == 0) throw CLI::RequiredError("ASSET");
    if (second->count() > 0) return;
    if (is_project_folder(project)) throw CLI::RequiredError("ASSET");
    // A single argument is the asset, although the parser expects the project at this position.
    asset = std::exchange(project, project_above("."));
  });
}

void refuse_empty_values(CLI::App& app) {
  const CLI::Validator check(
      [](std::string& value) {
        return value.empty() ? std::string("the value is empty; leave the option out to not use it")
                             : std::string();
      },
      "");
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() > 0) option->check(check);
  }
  for (CLI::App* command : app.get_subcommands({})) refuse_empty_values(*command);
}

std::string misread_argument(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = &app;
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (const CLI::App* inner = command_named(*command, argument)) {
      command = inner;
      continue;
    }
    if (argument.starts_with("--")) {
      const std::string name = argument.substr(0, argument.size() - 1);
      if (argument.ends_with('=') && knows(*command, name)) return name + ": the value is empty";
      continue;
    }
    const std::string name = "-" + argument.substr(0, argument.find('='));
    if (argument.starts_with('-') && name.size() > 3 && knows(*command, name)) {
      return unexpected(argument, name, *command);
    }
  }
  return {};
}

std::string unknown_argument(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = &app;
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with('-') || argument == "-") {
      const CLI::App* const inner = command_named(*command, argument);
      if (inner == nullptr && command->get_require_subcommand_min() > 0) {
        return unknown_command(*command, argument);
      }
      if (inner != nullptr) command = inner;
      continue;
    }
    const bool is_long = argument.starts_with("--");
    const std::string name =
        is_long ? argument.substr(0, argument.find('=')) : argument.substr(0, 2);
    if (knows(*command, name)) continue;
    // `-out` is a common mistake for `--out`.
    const std::string meant = is_long ? name : "-" + argument.substr(0, argument.find('='));
    return unexpected(is_long ? name : argument, meant, *command);
  }
  return {};
}

}  // namespace muster::cli
