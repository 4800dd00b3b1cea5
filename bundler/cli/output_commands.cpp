// The commands that work on a build's output: verify, inspect, extract.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bundler/cli/edges.h"
#include "bundler/cli/session.h"
#include "bundler/cook/object_to_tree.h"
#include "bundler/report/inspection.h"
#include "bundler/report/output_check.h"
#include "bundler/report/yaml_text.h"
#include "registry/vocabulary/counted.h"
#include "registry/vocabulary/mapped_file.h"
#include "registry/vocabulary/parallel.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMaxFileBytes = 8ULL * 1024 * 1024 * 1024;

// ---- verify

int verify(const std::string& out, const std::string& format, Session& session) {
  if (auto whole = recover_output(out); !whole) return report_error(session, whole.error());
  const auto files = open_folder(out);
  if (!files) return report_error(session, files.error());
  session.reporter.begin("verifying", 0);
  const auto check = check_output(*files.value(), processor_count(), session.stop);
  session.reporter.finish();
  if (!check) return report_error(session, check.error());
  const OutputCheck& found = check.value();
  if (format == "json") {
    Json report{{"bundles", found.bundles}, {"entries", found.entries}, {"bytes", found.bytes}};
    report["problems"] = Json::array();
    for (const OutputProblem& problem : found.problems) {
      report["problems"].push_back({{"path", problem.path},
                                    {"code", to_string(problem.code)},
                                    {"message", problem.message}});
    }
    write_report(session, report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", {});
  } else {
    for (const OutputProblem& problem : found.problems) {
      session.out << problem.path << ": " << to_string(problem.code) << ": " << problem.message
                  << "\n";
    }
    session.out << fmt::format(
        "{}, {}, {}: {}\n", counted(found.bundles, "bundle"),
        counted(found.entries, "entry", "entries"), counted(found.bytes, "byte"),
        found.problems.empty() ? "all whole" : counted(found.problems.size(), "problem"));
  }
  return found.problems.empty() ? kSuccess : kFindings;
}

// ---- inspect

int inspect(const std::string& path, const std::string& format, Session& session) {
  const auto file = map_file(path);
  if (!file) return report_error(session, file.error());
  const auto text = inspect_file(
      file.value().bytes(), format == "json" ? InspectionFormat::json : InspectionFormat::text);
  if (file.value().is_damaged()) {
    return report_error(session, {ErrorCode::io, "'" + path + "' was cut short while it was read"});
  }
  if (!text) {
    session.err << "muster: " << path << ": " << to_string(text.error().code) << ": "
                << text.error().message << "\n";
    return kFindings;
  }
  return write_report(session, text.value(), {});
}

// ---- extract

struct ExtractArguments {
  std::string out;
  std::string guid;
  std::string folder;
  std::string target = "client";
};

class Extraction {
 public:
  Extraction(const FileSystem& from, FileSystem& to, const CatalogReader& catalog)
      : from_(from), to_(to), catalog_(catalog) {}

  // Writes one asset's entries, or all of a bundle's when `only` is null.
  Result<std::size_t> run(const AssetPath& bundle_path, const Guid& only) {
    const auto bytes = read_whole(from_, bundle_path, kMaxFileBytes, file_);
    if (!bytes) return fail(bytes.error());
    const auto bundle = BundleReader::open(bytes.value());
    if (!bundle) return fail(bundle.error());
    std::size_t written = 0;
    for (std::uint32_t i = 0; i < bundle.value().entry_count(); ++i) {
      const BundleEntry entry = bundle.value().entry(i);
      if (!only.is_null() && entry.guid != only) continue;
      if (auto done = write_entry(bundle.value(), entry); !done) return fail(done.error());
      ++written;
    }
    return written;
  }

 private:
  AssetPath target_path(const BundleEntry& entry) const {
    const auto asset = catalog_.find_asset(entry.guid);
    const auto path = AssetPath::parse(asset ? asset->path : entry.guid.to_string());
    // The catalog is outside data: a path that leaves the folder becomes a plain name.
    AssetPath place = path ? path.value() : AssetPath().child(entry.guid.to_string());
    const std::string name(place.name());
    if (entry.kind == EntryKind::import_settings) return place.parent().child(name + ".meta");
    if (entry.kind == EntryKind::prefab) return place.parent().child(name + ".flat");
    return place;
  }

  Result<void> write_entry(const BundleReader& bundle, const BundleEntry& entry) {
    const auto plain = bundle.read(entry, decompressor_, plain_);
    if (!plain) return fail(plain.error());
    const AssetPath path = target_path(entry);
    if (entry.kind != EntryKind::object && entry.kind != EntryKind::import_settings) {
      return to_.write(path, plain.value());
    }
    const auto object = ObjectReader::open(plain.value());
    if (!object) return fail(object.error());
    return to_.write(path, as_bytes(tree_to_yaml(object_to_tree(object.value()))));
  }

  const FileSystem& from_;
  FileSystem& to_;
  const CatalogReader& catalog_;
  Decompressor decompressor_;
  ByteVector file_;
  ByteVector plain_;
};

int extract(const ExtractArguments& arguments, Session& session) {
  const auto guid = Guid::parse_any_case(arguments.guid);
  if (!guid) return report_error(session, guid.error());
  if (auto whole = recover_output(arguments.out); !whole) {
    return report_error(session, whole.error());
  }
  const auto files = open_folder(arguments.out + "/" + arguments.target);
  if (!files) return report_error(session, files.error());
  ByteVector buffer;
  const auto bytes =
      read_whole(*files.value(), AssetPath().child("catalog.mcat"), kMaxFileBytes, buffer);
  if (!bytes) return report_error(session, bytes.error());
  const auto catalog = CatalogReader::open(bytes.value());
  if (!catalog) return report_error(session, catalog.error());
  const auto bundle = catalog.value().bundle_of(guid.value());
  if (!bundle) {
    return report_error(session, {ErrorCode::not_found, "no bundle of the " + arguments.target +
                                                            " holds " + arguments.guid});
  }
  const BundleName name = catalog.value().bundle(*bundle).name;
  const bool whole_bundle = name == BundleName::of_prefab(guid.value());
  session.writing = true;
  const auto folder = open_or_create_folder(arguments.folder);
  if (!folder) return report_error(session, folder.error());
  const auto path = AssetPath::parse(name.path());
  if (!path) return report_error(session, path.error());
  const auto written = Extraction(*files.value(), *folder.value(), catalog.value())
                           .run(path.value(), whole_bundle ? Guid() : guid.value());
  if (!written) return report_error(session, written.error());
  session.out << written.value() << " entries of " << name.path() << " written to "
              << arguments.folder << "\n";
  return kSuccess;
}

}  // namespace

void add_output_commands(CLI::App& app, Session& session) {
  auto out = std::make_shared<std::string>();
  auto format = std::make_shared<std::string>("text");
  CLI::App* verify_command =
      app.add_subcommand("verify", "Check a build's output to the last byte");
  verify_command->add_option("OUT", *out, "A build's output folder")->required();
  verify_command->add_option("--format", *format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  verify_command->footer("Example:\n  muster verify build/game");
  verify_command->callback(
      [out, format, &session] { session.exit_code = verify(*out, *format, session); });

  CLI::App* inspect_command =
      app.add_subcommand("inspect", "Show what a bundle or catalog file holds");
  inspect_command->add_option("FILE", *out, "A .mbundle or .mcat file")->required();
  inspect_command->add_option("--format", *format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  inspect_command->footer("Example:\n  muster inspect build/game/client/catalog.mcat");
  inspect_command->callback(
      [out, format, &session] { session.exit_code = inspect(*out, *format, session); });

  auto arguments = std::make_shared<ExtractArguments>();
  CLI::App* extract_command = app.add_subcommand(
      "extract", "Write an asset, or a prefab with all of its bundle, back to files");
  extract_command->add_option("OUT", arguments->out, "A build's output folder")->required();
  extract_command->add_option("GUID", arguments->guid, "The asset or prefab")->required();
  extract_command->add_option("DIR", arguments->folder, "Where to")->required();
  extract_command->add_option("--target", arguments->target, "client or server")
      ->check(CLI::IsMember({"client", "server"}))
      ->capture_default_str();
  extract_command->footer(
      "Example:\n  muster extract build/game 00112233445566778899aabbccddeeff /tmp/crate");
  extract_command->callback(
      [arguments, &session] { session.exit_code = extract(*arguments, session); });
}

}  // namespace muster::cli
