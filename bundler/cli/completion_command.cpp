// Prints scripts for shell completion and the manual page. The scripts and the page are made from
// the definitions of commands and options that the parser uses.
#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>

#include "bundler/cli/session.h"
#include "bundler/cli/usage.h"

namespace muster::cli {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  std::vector<const CLI::App*> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command);
  std::ranges::sort(commands, {}, [](const CLI::App* command) { return command->get_name(); });
  return commands;
}

// The first line of a description. Some descriptions have several lines.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The possible values of an option, separated by spaces; empty if any value is allowed. The
// option's type name contains the values as "{a,b}".
std::string choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', std::min(begin, type.size()));
  if (begin == std::string::npos || end == std::string::npos) return {};
  std::string choices = type.substr(begin + 1, end - begin - 1);
  std::ranges::replace(choices, ',', ' ');
  return choices;
}

std::string words_of_options(const CLI::App& command) {
  std::string words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words += " --" + name;
    for (const std::string& name : option->get_snames()) words += " -" + name;
  }
  return words.substr(std::min<std::size_t>(words.size(), 1));
}

// The words that may follow a command, except options and files: the names of its subcommands, and
// the possible values of its arguments.
std::string words_behind(const CLI::App& command) {
  std::string words;
  for (const CLI::App* inner : commands_of(command)) words += " " + inner->get_name();
  for (const CLI::Option* option : command.get_options()) {
    const std::string choices = choices_of(*option);
    if (option->get_positional() && !choices.empty()) words += " " + choices;
  }
  return words.substr(std::min<std::size_t>(words.size(), 1));
}

// The lines for the three `case` statements in the script for bash.
struct BashCases {
  std::string nested;  ///< The subcommands.
  std::string words;
  std::string values;  ///< The possible values of options.

  void add(const CLI::App& command, const std::string& above) {
    const std::string name = above + command.get_name();
    words += "    '" + name + "') words='" + words_of_options(command) + "' next='" +
             words_behind(command) + "' ;;\n";
    for (const CLI::Option* option : command.get_options()) {
      const std::string choices = choices_of(*option);
      if (choices.empty() || option->get_positional()) continue;
      std::string pattern;
      for (const std::string& spelt : option->get_lnames())
        pattern += "|'" + name + " --" + spelt + "'";
      for (const std::string& spelt : option->get_snames())
        pattern += "|'" + name + " -" + spelt + "'";
      values += "    " + pattern.substr(1) + ") values='" + choices + "' ;;\n";
    }
    for (const CLI::App* inner : commands_of(command)) {
      nested +=
          "    '" + name + " " + inner->get_name() + "') command+=\" ${COMP_WORDS[2]}\" at=2 ;;\n";
      add(*inner, name + " ");
    }
  }
};

std::string bash_text(const CLI::App& app) {
  BashCases cases;
  for (const CLI::App* command : commands_of(app)) cases.add(*command, "");
  return "_muster() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command=${COMP_WORDS[1]} at=1 next= words= values=\n"
         "  # The words of '--option=value' are three.\n"
         "  if [[ $current == = ]]; then current=\n"
         "  elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  fi\n"
         "  [[ $COMP_CWORD -gt 2 ]] && case \"$command ${COMP_WORDS[2]}\" in\n" +
         cases.nested +
         "  esac\n"
         "  [[ $COMP_CWORD == 1 ]] && command=\n"
         "  case $command in\n" +
         cases.words + "    *) words='" + words_of_options(app) + "' next='" + words_behind(app) +
         "' at=0 ;;\n"
         "  esac\n"
         "  case \"$command $previous\" in\n" +
         cases.values +
         "  esac\n"
         "  if [[ -n $values ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n"
         "  elif [[ $current == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  elif [[ -n $next && $COMP_CWORD == $((at + 1)) ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$next\" -- \"$current\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _muster muster\n";
}

std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return quoted + "'";
}

std::string fish_options(const CLI::App& command) {
  std::string text;
  const std::string seen =
      "complete -c muster -n '__fish_seen_subcommand_from " + command.get_name() + "'";
  for (const CLI::Option* option : command.get_options()) {
    const std::string choices = choices_of(*option);
    if (option->get_positional() && !choices.empty()) {
      text += seen + " -f -a " + fish_quoted(choices) + "\n";
    }
    if (option->get_lnames().empty()) continue;
    text += seen;
    for (const std::string& name : option->get_lnames()) text += " -l " + name;
    for (const std::string& name : option->get_snames()) text += " -s " + name;
    if (option->get_expected_min() > 0) text += " -r";
    if (!choices.empty()) text += " -f -a " + fish_quoted(choices);
    text += " -d " + fish_quoted(option->get_description()) + "\n";
  }
  return text;
}

std::string fish_text(const CLI::App& app) {
  std::string text;
  for (const CLI::App* command : commands_of(app)) {
    text += "complete -c muster -n __fish_use_subcommand -a " + command->get_name() + " -d " +
            fish_quoted(first_line(command->get_description())) + "\n" + fish_options(*command);
    std::string names;
    for (const CLI::App* inner : commands_of(*command)) names += " " + inner->get_name();
    for (const CLI::App* inner : commands_of(*command)) {
      text += "complete -c muster -n '__fish_seen_subcommand_from " + command->get_name() +
              "; and not __fish_seen_subcommand_from" + names + "' -f -a " + inner->get_name() +
              " -d " + fish_quoted(first_line(inner->get_description())) + "\n" +
              fish_options(*inner);
    }
  }
  return text;
}

// Escapes text for a manual page in the roff format.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '-') escaped += '\\';
    escaped += c;
  }
  std::string lines;
  for (std::size_t begin = 0; begin < escaped.size();) {
    const std::size_t end = std::min(escaped.find('\n', begin), escaped.size());
    const std::string line = escaped.substr(begin, end - begin);
    lines += (line.starts_with('.') || line.starts_with('\'') ? "\\&" : "") + line + "\n";
    begin = end + 1;
  }
  return lines;
}

std::string man_options(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    text += ".TP\n.B " + roff(option->get_name(true, true)) + roff(option->get_description());
  }
  return text;
}

std::string man_text(const CLI::App& app) {
  std::string text = ".TH MUSTER 1 \"\" \"muster " + std::string(MUSTER_VERSION) +
                     "\"\n.SH NAME\nmuster \\- check and pack the content of games\n"
                     ".SH SYNOPSIS\n.B muster\nCOMMAND [OPTION]...\n.SH DESCRIPTION\n" +
                     roff(app.get_description()) + ".SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app)) {
    text += ".SS muster " + roff(command->get_name()) + roff(command->get_description()) +
            man_options(*command);
    if (!command->get_footer().empty())
      text += ".PP\n.nf\n" + roff(command->get_footer()) + ".fi\n";
    for (const CLI::App* inner : commands_of(*command)) {
      text += ".SS muster " + roff(command->get_name() + " " + inner->get_name()) +
              roff(inner->get_description()) + man_options(*inner);
    }
  }
  return text + ".SH EXIT STATUS\n.nf\n" + roff(app.get_footer()) + ".fi\n";
}

}  // namespace

void add_completion(CLI::App& app, Session& session) {
  auto shell = std::make_shared<std::string>();
  CLI::App* completion = app.add_subcommand(
      "completion", "Print a script with which a shell completes commands and options");
  completion->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  completion->footer("Example:\n  muster completion bash > /etc/bash_completion.d/muster");
  completion->callback([shell, &app, &session] {
    const std::string text =
        *shell == "fish"
            ? fish_text(app)
            : (*shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "") +
                  bash_text(app);
    session.exit_code = write_report(session, text, {});
  });
  CLI::App* man = app.add_subcommand("man", "Print the manual page");
  man->footer("Example:\n  muster man > /usr/local/share/man/man1/muster.1");
  man->callback([&app, &session] { session.exit_code = write_report(session, man_text(app), {}); });
}

}  // namespace muster::cli
