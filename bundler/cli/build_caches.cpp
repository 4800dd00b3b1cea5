#include "bundler/cli/build_caches.h"

#include <algorithm>

#include "bundler/cli/edges.h"

namespace muster::cli {
namespace {

/// At its end, a build waits for uploads for at most its duration divided by this number. A cache
/// should make a build less than one tenth longer, including the time for hashing and sending.
constexpr int kPatienceDivisor = 16;

Result<std::string> read_text(const std::string& path) {
  constexpr std::uint64_t kBytesMax = std::uint64_t{16} << 20U;
  const auto file = open_folder_of(path);
  if (!file) return fail(file.error());
  ByteVector buffer;
  const auto bytes = read_whole(*file.value().folder, file.value().name, kBytesMax, buffer);
  if (!bytes) return fail(bytes.error());
  return std::string(as_text(bytes.value()));
}

// Reads the token from the first line of a file. The token is not an argument, because all users of
// a machine can see arguments.
Result<std::string> read_token(const std::string& path) {
  if (path.empty()) return std::string();
  const auto text = read_text(path);
  if (!text) return fail(text.error());
  const std::string token = text.value().substr(0, text.value().find_first_of("\r\n"));
  const bool is_visible = std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; });
  if (token.empty() || !is_visible) {
    return fail(ErrorCode::invalid_argument,
                "the first line of '" + path +
                    "' is not a token: a token has one or more visible ASCII characters");
  }
  return token;
}

// Options for a server are refused if no cache is a server, because they would have no effect.
Result<void> check_options(const BuildArguments& arguments) {
  const auto refuse = [&](std::string_view option) {
    return fail(ErrorCode::invalid_argument,
                std::string(option) + " needs a --cache with the address of a server");
  };
  if (std::ranges::any_of(arguments.caches, is_address)) return {};
  if (!arguments.cache_token.empty()) return refuse("--cache-token");
  if (!arguments.cache_ca.empty()) return refuse("--cache-ca");
  if (arguments.is_cache_read_only) return refuse("--cache-read-only");
  return {};
}

Result<std::unique_ptr<CurlTransport>> open_transport(const std::string& address,
                                                      const BuildArguments& arguments,
                                                      const std::stop_token& stop) {
  const auto token = read_token(arguments.cache_token);
  if (!token) return fail(token.error());
  if (!arguments.cache_ca.empty()) {
    // Checks the path now, because otherwise a wrong path would be reported only after the build.
    const auto certificates = read_text(arguments.cache_ca);
    if (!certificates) return fail(certificates.error());
  }
  return CurlTransport::open({.address = address,
                              .bearer_token = token.value(),
                              .ca_file = arguments.cache_ca,
                              .stop = stop});
}

}  // namespace

bool is_address(const std::string& cache) { return cache.find("://") != std::string::npos; }

Result<std::unique_ptr<BuildCaches>> BuildCaches::open(const BuildArguments& arguments,
                                                       Session& session) {
  if (auto fits = check_options(arguments); !fits) return fail(fits.error());
  std::unique_ptr<BuildCaches> caches(new BuildCaches());
  const auto size = size_from(arguments.cache_size);
  if (!size) return fail(size.error().code, "--cache-size " + size.error().message);
  caches->folder_bytes_max_ = size.value();
  std::vector<CacheLevel> levels;
  for (const std::string& cache : arguments.caches) {
    if (is_address(cache) ? caches->transport_ != nullptr : caches->folder_ != nullptr) {
      return fail(ErrorCode::invalid_argument, "--cache takes one folder and one address at most");
    }
    if (is_address(cache)) {
      auto transport = open_transport(cache, arguments, session.stop);
      if (!transport) return fail(transport.error());
      caches->transport_ = std::move(transport.value());
      caches->server_ = std::make_unique<HttpBlobs>(*caches->transport_);
      levels.push_back({.store = caches->server_.get(),
                        .name = address_without_credentials(cache),
                        .is_writable = !arguments.is_cache_read_only,
                        .is_far = true});
      continue;
    }
    auto folder = DiskBlobs::open(cache);
    if (!folder) {
      print_note(session, "the cache is not used: " + folder.error().message);
      continue;
    }
    caches->folder_ = std::move(folder.value());
    levels.insert(levels.begin(), {.store = caches->folder_.get(), .name = "'" + cache + "'"});
  }
  if (!levels.empty()) caches->cache_.emplace(std::move(levels));
  return caches;
}

void BuildCaches::finish(Session& session, Duration elapsed) {
  if (!cache_) return;
  cache_->finish(elapsed / kPatienceDivisor, session.stop);
  // After a stop request, queries and uploads fail, so the notes about failures would be wrong.
  if (session.stop.stop_requested()) return;
  for (const std::string& note : cache_->notes()) print_note(session, note);
  if (folder_ == nullptr || cache_->counters(0).stored == 0) return;
  const auto trimmed = folder_->trim(folder_bytes_max_);
  if (!trimmed) print_note(session, "the cache may grow too large: " + trimmed.error().message);
}

}  // namespace muster::cli
