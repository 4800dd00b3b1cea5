// The commands that read a build's output: verify, inspect and extract.
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bundler/cli/edges.h"
#include "bundler/cli/key_files.h"
#include "bundler/cli/session.h"
#include "bundler/cli/usage.h"
#include "bundler/cook/object_to_tree.h"
#include "bundler/report/dictionary_folder.h"
#include "bundler/report/inspection.h"
#include "bundler/report/output_check.h"
#include "bundler/report/yaml_text.h"
#include "registry/base/counted.h"
#include "registry/base/escaped_text.h"
#include "registry/base/json_text.h"
#include "registry/base/mapped_file.h"
#include "registry/base/parallel.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster::cli {
namespace {

constexpr std::uint64_t kShownFileBytesMax = 8ULL * 1024 * 1024 * 1024;

// ---- verify

struct VerifyArguments {
  std::string out;
  std::string format = "text";
  std::string key;  ///< The path of a file with a public key; may be empty.
};

int verify(const VerifyArguments& arguments, Session& session) {
  const auto& [out, format, key_file] = arguments;
  const auto key = read_verify_key(key_file);
  if (!key) return report_error(session, key.error());
  if (auto whole = recover_output(out); !whole) return report_error(session, whole.error());
  const auto files = open_folder(out);
  if (!files) return report_error(session, files.error());
  session.reporter.begin("verifying", 0);
  const auto check = check_output(*files.value(), processor_count(), session.stop, key.value());
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
    write_report(session, json_text(report), {});
  } else {
    for (const OutputProblem& problem : found.problems) {
      session.out << escaped_text(problem.path) << ": " << to_string(problem.code) << ": "
                  << escaped_text(problem.message) << "\n";
    }
    session.out << fmt::format(
        "{}, {}, {}: {}\n", counted(found.bundles, "bundle"),
        counted(found.entries, "entry", "entries"), counted(found.bytes, "byte"),
        found.problems.empty() ? "all undamaged" : counted(found.problems.size(), "problem"));
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
    return report_error(session, {ErrorCode::io, "'" + path + "' was truncated while it was read"});
  }
  if (!text) {
    refuse(session,
           fmt::format("{}: {}: {}", path, to_string(text.error().code), text.error().message));
    return kFindings;
  }
  if (const int code = write_report(session, text.value(), {}); code != kSuccess) return code;
  // The printed text was made from the tables only, so the entries must still be verified.
  const auto bundle = BundleReader::open(file.value().bytes());
  if (!bundle) return kSuccess;  // A catalog was already checked completely when it was opened.
  Decompressor decompressor;
  // The dictionaries are in a folder beside the folder of the bundle, for example in
  // `OUT/client/dictionaries` for `OUT/client/bundles/X.mbundle`.
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (const auto target = open_folder(folder + "/..")) {
    decompressor.use(read_dictionaries(*target.value()));
  }
  ByteVector plain;
  if (auto whole = bundle.value().verify(decompressor, plain); !whole) {
    refuse(session,
           fmt::format("{}: {}: {}", path, to_string(whole.error().code), whole.error().message));
    return kFindings;
  }
  return kSuccess;
}

// ---- extract

// Prints an error and returns the exit code. Damage is a finding, but a read error, a missing file
// or a write error is not a finding.
int report_damage(Session& session, const Error& error) {
  const int code = report_error(session, error);
  switch (error.code) {
    case ErrorCode::truncated:
    case ErrorCode::hash_mismatch:
    case ErrorCode::malformed:
    case ErrorCode::unsupported_version:
      return kFindings;
    default:
      return code;
  }
}

// Refuses a folder inside the build, because no catalog would list the written files.
Result<void> check_is_outside(const std::string& folder, const std::string& out) {
  const auto resolved_path = resolved(folder);
  if (!resolved_path) return fail(resolved_path.error());
  const auto build = resolved(out);
  if (!build) return fail(build.error());
  if (resolved_path.value() != build.value() &&
      !resolved_path.value().starts_with(build.value() + "/"))
    return {};
  return fail(ErrorCode::invalid_argument,
              "'" + folder + "' is inside the build; extract to another folder");
}

struct ExtractArguments {
  std::string out;
  std::string guid;
  std::string folder;
  std::string target = {};  ///< The target; empty for the client, or the server if the client does
                            ///< not have the asset.
};

class Extraction {
 public:
  Extraction(FileSystem& to, const CatalogReader& catalog,
             std::shared_ptr<const DictionarySet> dictionaries)
      : to_(to), catalog_(catalog) {
    decompressor_.use(std::move(dictionaries));
  }

  // Writes the entries of the asset `only`, or all entries of the bundle if `only` is null. Returns
  // the number of written entries.
  Result<std::size_t> run(const BundleReader& bundle, const Guid& only) {
    std::size_t written = 0;
    for (std::uint32_t i = 0; i < bundle.entry_count(); ++i) {
      const BundleEntry entry = bundle.entry(i);
      if (!only.is_null() && entry.guid != only) continue;
      if (auto done = write_entry(bundle, entry); !done) return fail(done.error());
      ++written;
    }
    return written;
  }

 private:
  AssetPath target_path(const BundleEntry& entry) const {
    const auto asset = catalog_.find_asset(entry.guid);
    const auto path = AssetPath::parse(asset ? asset->path : entry.guid.to_string());
    // The catalog is untrusted. A path that would lead out of the folder is replaced by the guid.
    AssetPath chosen = path ? path.value() : AssetPath().child(entry.guid.to_string());
    const std::string name(chosen.name());
    if (entry.kind == EntryKind::import_settings) return chosen.parent().child(name + ".meta");
    if (entry.kind == EntryKind::prefab) return chosen.parent().child(name + ".flat");
    return chosen;
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

  FileSystem& to_;
  const CatalogReader& catalog_;
  Decompressor decompressor_;
  ByteVector plain_;
};

// The folder and the catalog of a target, and the bundle of the target that contains an asset.
struct Holder {
  std::unique_ptr<FileSystem> files;
  ByteVector bytes;
  std::optional<CatalogReader> catalog;
  std::optional<std::uint32_t> bundle;
};

Result<Holder> find_holder(const std::string& folder, const Guid& guid) {
  auto files = open_folder(folder);
  if (!files) return fail(files.error());
  Holder holder{std::move(files).value(), {}, {}, {}};
  const AssetPath path = AssetPath().child("catalog.mcat");
  const auto bytes = read_whole(*holder.files, path, kShownFileBytesMax, holder.bytes);
  if (!bytes) return fail(bytes.error());
  auto catalog = CatalogReader::open(bytes.value());
  if (!catalog) return fail(catalog.error());
  holder.bundle = catalog.value().bundle_of(guid);
  holder.catalog = std::move(catalog).value();
  return holder;
}

// Finds an asset in the requested target, or in the first target that has it.
Result<Holder> find_holder(const ExtractArguments& arguments, const Guid& guid) {
  std::vector<std::string> targets{arguments.target};
  if (arguments.target.empty()) targets = {"client", "server"};
  Error missing;
  bool was_opened = false;
  for (const std::string& target : targets) {
    auto holder = find_holder(arguments.out + "/" + target, guid);
    if (holder && holder.value().bundle) return holder;
    // A build may have only one target.
    if (!holder && holder.error().code != ErrorCode::not_found) return holder;
    if (!holder && missing.message.empty()) missing = holder.error();
    was_opened = was_opened || holder.has_value();
  }
  if (!was_opened) return fail(missing);
  return fail(ErrorCode::not_found,
              "no bundle " + (arguments.target.empty() ? "" : "of the " + arguments.target + " ") +
                  "holds " + arguments.guid);
}

int extract(const ExtractArguments& arguments, Session& session) {
  const auto guid = Guid::parse_any_case(arguments.guid);
  if (!guid) return report_error(session, guid.error());
  if (auto whole = recover_output(arguments.out); !whole) {
    return report_error(session, whole.error());
  }
  if (auto outside = check_is_outside(arguments.folder, arguments.out); !outside) {
    return report_error(session, outside.error());
  }
  const auto holder = find_holder(arguments, guid.value());
  if (!holder) return report_damage(session, holder.error());
  const CatalogReader& catalog = *holder.value().catalog;
  const BundleName name = catalog.bundle(*holder.value().bundle).name;
  const bool whole_bundle = name == BundleName::of_prefab(guid.value());
  const auto path = AssetPath::parse(name.path());
  if (!path) return report_error(session, path.error());
  ByteVector file;
  const auto file_bytes = read_whole(*holder.value().files, path.value(), kShownFileBytesMax, file);
  if (!file_bytes) return report_error(session, file_bytes.error());
  const auto bundle = BundleReader::open(file_bytes.value());
  if (!bundle) return report_damage(session, bundle.error());
  // The bundle is verified completely before any file is written.
  Decompressor decompressor;
  decompressor.use(read_dictionaries(*holder.value().files));
  ByteVector plain;
  if (auto whole = bundle.value().verify(decompressor, plain); !whole) {
    return report_damage(session, whole.error());
  }
  if (auto may = begin_writing(session); !may) return report_error(session, may.error());
  const auto folder = open_or_create_folder(arguments.folder);
  if (!folder) return report_error(session, folder.error());
  const auto written = Extraction(*folder.value(), catalog, decompressor.dictionaries())
                           .run(bundle.value(), whole_bundle ? Guid() : guid.value());
  if (!written) return report_damage(session, written.error());
  session.out << written.value() << " entries of " << name.path() << " written to "
              << arguments.folder << "\n";
  return kSuccess;
}

}  // namespace

void add_output_commands(CLI::App& app, Session& session) {
  auto verified = std::make_shared<VerifyArguments>();
  CLI::App* verify_command =
      app.add_subcommand("verify", "Check that a build's output is complete and undamaged");
  verify_command->add_option("OUT", verified->out, "A build's output folder")->required();
  verify_command->add_option(
      "--key", verified->key,
      "Check the signature with this public key (FILE.pub of 'muster keygen')");
  verify_command->add_option("--format", verified->format, "text or json")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  verify_command->footer(
      "Example:\n  muster verify build/game\n  muster verify build/game --key studio.key.pub");
  verify_command->callback(
      [verified, &session] { session.exit_code = verify(*verified, session); });

  auto out = std::make_shared<std::string>();
  auto format = std::make_shared<std::string>("text");

  CLI::App* inspect_command =
      app.add_subcommand("inspect", "Show the content of a bundle or catalog file");
  inspect_command->add_option("FILE", *out, "A .mbundle or .mcat file")->required();
  inspect_command->add_option("--format", *format, "text or json")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  inspect_command->footer("Example:\n  muster inspect build/game/client/catalog.mcat");
  inspect_command->callback(
      [out, format, &session] { session.exit_code = inspect(*out, *format, session); });

  auto arguments = std::make_shared<ExtractArguments>();
  CLI::App* extract_command =
      app.add_subcommand("extract", "Write an asset, or a prefab with its whole bundle, to files");
  extract_command->add_option("OUT", arguments->out, "A build's output folder")->required();
  extract_command->add_option("GUID", arguments->guid, "The asset or prefab")->required();
  extract_command->add_option("DIR", arguments->folder, "The folder to write the files to")
      ->required();
  extract_command
      ->add_option("--target", arguments->target,
                   "client or server; default: the client's version, else the server's")
      ->check(one_of({"client", "server"}));
  extract_command->footer(
      "Example:\n  muster extract build/game 00112233445566778899aabbccddeeff /tmp/crate");
  extract_command->callback(
      [arguments, &session] { session.exit_code = extract(*arguments, session); });
}

}  // namespace muster::cli
