#include <memory>

#include <CLI/CLI.hpp>

#include "bundler/cli/edges.h"
#include "bundler/cli/key_files.h"
#include "bundler/cli/session.h"

namespace muster::cli {
namespace {

constexpr std::uint64_t kKeyFileBytesMax = 4096;

Result<std::string> read_key_text(const std::string& path) {
  const auto file = open_folder_of(path);
  if (!file) return fail(file.error());
  ByteVector buffer;
  const auto bytes = read_whole(*file.value().folder, file.value().name, kKeyFileBytesMax, buffer);
  if (!bytes) return fail(bytes.error().code, "'" + path + "': " + bytes.error().message);
  return std::string(as_text(bytes.value()));
}

int keygen(const std::string& path, Session& session) {
  const std::string open_path = path + ".pub";
  if (const auto file = open_folder_of(open_path);
      file && file.value().folder->stat(file.value().name)) {
    return report_error(
        session,
        {ErrorCode::already_exists,
         "'" + open_path +
             "' exists, and a new key pair would replace it; remove it, or name another file"});
  }
  if (auto may = begin_writing(session); !may) return report_error(session, may.error());
  const SigningKeys keys = signing_keys(random_seed());
  // Writes the secret key first, because the public key alone would be useless.
  if (auto made = create_secret_file(path, as_bytes(key_file_text(keys.secret))); !made) {
    return report_error(session, made.error());
  }
  if (auto made = write_named_file(open_path, as_bytes(key_file_text(keys.open))); !made) {
    return report_error(
        session, {made.error().code, made.error().message + "; '" + path +
                                         "' was created, and 'verify --key' accepts it too"});
  }
  session.out << "secret key: " << path << " (keep it out of version control)\n"
              << "verify key: " << open_path << "\n";
  return kSuccess;
}

}  // namespace

Result<std::optional<SigningKey>> read_signing_key(const std::string& path) {
  if (path.empty()) return std::optional<SigningKey>();
  const auto text = read_key_text(path);
  if (!text) return fail(text.error());
  const auto key = parse_signing_key(text.value());
  if (key) return key;
  const bool is_open = parse_verify_key(text.value()).has_value();
  return fail(
      ErrorCode::malformed,
      is_open ? "'" + path + "' is a public key; sign with the secret key, in the file without .pub"
              : "'" + path + "' is not a secret key; 'muster keygen' creates one");
}

Result<std::optional<VerifyKey>> read_verify_key(const std::string& path) {
  if (path.empty()) return std::optional<VerifyKey>();
  const auto text = read_key_text(path);
  if (!text) return fail(text.error());
  if (const auto key = parse_verify_key(text.value())) return key;
  const auto secret = parse_signing_key(text.value());
  if (secret) return std::optional<VerifyKey>(verify_key_of(*secret));
  return fail(ErrorCode::malformed,
              "'" + path + "' is not a key; 'muster keygen' creates a key and its .pub");
}

void add_keygen(CLI::App& app, Session& session) {
  auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("keygen", "Make a key pair for signing builds");
  command
      ->add_option("FILE", *path,
                   "The file for the secret key; the public key is written to FILE.pub")
      ->required();
  command->footer(
      "Example:\n  muster keygen studio.key\n"
      "  muster build my-game --out build/game --sign studio.key\n"
      "  muster verify build/game --key studio.key.pub");
  command->callback([path, &session] { session.exit_code = keygen(*path, session); });
}

}  // namespace muster::cli
