#include <memory>

#include <CLI/CLI.hpp>

#include "bundler/cli/edges.h"
#include "bundler/cli/session.h"
#include "bundler/cli/usage.h"
#include "registry/model/json_schemas.h"

namespace muster::cli {
namespace {

struct SchemaArguments {
  std::string project;
  std::string of;
  std::string out;
};

Result<std::string> content_schema(const std::string& folder) {
  const auto files = open_folder(folder);
  if (!files) return fail(files.error());
  const auto config = load_config(*files.value());
  if (!config) return fail(config.error());
  const auto classes = declared_classes(config.value());
  if (!classes) return fail(classes.error());
  const auto components = load_components(*files.value(), config.value());
  if (!components) return fail(components.error());
  return content_json_schema(classes.value(), components.value(), config.value().strip);
}

int schema(const SchemaArguments& arguments, Session& session) {
  if (arguments.of == "config") {
    return write_report(session, config_json_schema(), arguments.out);
  }
  if (arguments.project.empty()) {
    return report_error(session, {ErrorCode::invalid_argument,
                                  "give a project's folder: the schema is made from its "
                                  "classes and components"});
  }
  const auto text = content_schema(arguments.project);
  if (!text) return report_error(session, text.error());
  return write_report(session, text.value(), arguments.out);
}

}  // namespace

void add_schema(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<SchemaArguments>();
  CLI::App* command = app.add_subcommand(
      "schema", "Write a JSON Schema, with which editors complete keys and mark errors");
  command
      ->add_option("OF", arguments->of,
                   "config: for muster.yaml; content: for a project's plain files")
      ->required()
      ->check(one_of({"config", "content"}));
  command->add_option("PROJECT", arguments->project, "The project's folder, for 'content'");
  command->add_option("-o,--out", arguments->out, "Write the schema to this file");
  command->footer(
      "Examples:\n  muster schema config --out muster.schema.json\n"
      "  muster schema content my-game --out content.schema.json");
  command->callback([arguments, &session] { session.exit_code = schema(*arguments, session); });
}

}  // namespace muster::cli
