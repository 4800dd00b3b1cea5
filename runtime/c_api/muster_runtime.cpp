// The functions of the library and of stores; catalog_calls.cpp and loading_calls.cpp have the
// other functions of the header. Each function checks its arguments, calls the C++ library, and
// converts the result to a status. A function that could throw runs inside `caught` or `guarded`.
#include "runtime/c_api/muster_runtime.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/c_api/store_state.h"

namespace muster::c_api {
namespace {

// With two threads, one thread can read from the disk while the other thread decompresses.
constexpr std::uint32_t kThreadsDefault = 2;
constexpr std::uint32_t kThreadsMax = 64;

void write_message(std::string_view text, char* message, std::size_t message_bytes) noexcept {
  if (message == nullptr || message_bytes == 0) return;
  const std::size_t length = std::min(text.size(), message_bytes - 1);
  std::memcpy(message, text.data(), length);
  message[length] = '\0';
}

// Parses a list of variants, for example "quality=low,language=de".
Result<std::vector<VariantSetting>> read_variants(const char* text) {
  std::vector<VariantSetting> settings;
  std::string_view rest = text == nullptr ? std::string_view() : std::string_view(text);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view item = rest.substr(0, comma);
    const std::size_t at = item.find('=');
    if (at == std::string_view::npos) {
      return fail(
          ErrorCode::invalid_argument,
          "write variants as in 'quality=low,language=de', not '" + std::string(text) + "'");
    }
    settings.push_back({item.substr(0, at), item.substr(at + 1)});
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return settings;
}

Result<std::unique_ptr<muster_store>> open_store(const char* folder,
                                                 const muster_store_options& options) {
  // Files are not mapped: a library must not handle the signal of a truncated file.
  auto memory = std::make_shared<MemoryPool>();
  auto source = std::make_unique<PreadSource>(folder, memory);
  const auto variants = read_variants(options.variants);
  if (!variants) return fail(variants.error());
  Result<BundleStore> opened =
      BundleStore::open(*source, BundleStore::Catalogs::built, memory, variants.value());
  if (!opened) return fail(opened.error());
  LoaderOptions loading;
  if (options.memory_budget_bytes != 0) loading.memory_budget_bytes = options.memory_budget_bytes;
  if (options.start_budget_bytes != 0) loading.start_budget_bytes = options.start_budget_bytes;
  const std::uint32_t threads = options.thread_count == 0 ? kThreadsDefault : options.thread_count;
  return std::make_unique<muster_store>(std::move(source), std::move(opened).value(), threads,
                                        loading);
}

}  // namespace
}  // namespace muster::c_api

using namespace muster;         // NOLINT(google-build-using-namespace)
using namespace muster::c_api;  // NOLINT(google-build-using-namespace)

uint32_t muster_abi_version(void) { return MUSTER_ABI_VERSION; }

const char* muster_version(void) { return MUSTER_VERSION; }

const char* muster_status_name(muster_status status) {
  static constexpr const char* kNames[] = {"ok",
                                           "invalid_argument",
                                           "not_found",
                                           "already_exists",
                                           "permission_denied",
                                           "no_space",
                                           "io",
                                           "malformed",
                                           "truncated",
                                           "unsupported_version",
                                           "limit_exceeded",
                                           "hash_mismatch",
                                           "busy",
                                           "cancelled",
                                           "timed_out",
                                           "unsupported"};
  if (status == MUSTER_STALE_REQUEST) return "stale_request";
  if (status == MUSTER_OUT_OF_MEMORY) return "out_of_memory";
  if (status == MUSTER_INTERNAL) return "internal";
  if (status == MUSTER_WRONG_PROCESS) return "wrong_process";
  const bool is_known = status >= 0 && static_cast<std::size_t>(status) < std::size(kNames);
  return is_known ? kNames[status] : "unknown";
}

muster_status muster_guid_parse(const char* text, muster_guid* guid) {
  if (text == nullptr || guid == nullptr) return MUSTER_INVALID_ARGUMENT;
  return caught([](muster_status status, const char*) { return status; },
                [&]() -> muster_status {
                  const Result<Guid> parsed = Guid::parse(text);
                  if (!parsed) return status_of(parsed.error().code);
                  *guid = guid_to(parsed.value());
                  return MUSTER_OK;
                });
}

muster_status muster_guid_print(const muster_guid* guid, char* text) {
  if (guid == nullptr || text == nullptr) return MUSTER_INVALID_ARGUMENT;
  return caught([](muster_status status, const char*) { return status; },
                [&]() -> muster_status {
                  write_message(guid_from(*guid).to_string(), text, Guid::kTextLength + 1);
                  return MUSTER_OK;
                });
}

muster_status muster_store_open(const char* folder, const muster_store_options* options,
                                muster_store** store, char* message, size_t message_bytes) {
  const auto complain = [&](muster_status status, std::string_view text) {
    write_message(text, message, message_bytes);
    return status;
  };
  if (store == nullptr) return complain(MUSTER_INVALID_ARGUMENT, "a pointer is null");
  *store = nullptr;
  if (folder == nullptr || *folder == '\0') {
    return complain(MUSTER_INVALID_ARGUMENT, "name the folder of a build's target");
  }
  muster_store_options wanted{};
  if (!copy_options(options, wanted) || wanted.thread_count > kThreadsMax) {
    return complain(MUSTER_INVALID_ARGUMENT,
                    "store options: set struct_size, clear unused members, and use at most 64 "
                    "threads");
  }
  return caught(complain, [&]() -> muster_status {
    Result<std::unique_ptr<muster_store>> opened = open_store(folder, wanted);
    if (!opened) return complain(status_of(opened.error().code), opened.error().message);
    *store = std::move(opened).value().release();
    return MUSTER_OK;
  });
}

muster_status muster_store_close(muster_store* store) {
  if (store == nullptr) return MUSTER_INVALID_ARGUMENT;
  // Waiting for threads that do not exist in this process would never end.
  if (!store->is_of_this_process()) return refuse_forked(*store);
  const std::unique_ptr<muster_store> closed(store);
  return MUSTER_OK;
}

const char* muster_last_error(const muster_store* store) {
  return store == nullptr ? "the store is null" : store->last_error.c_str();
}
