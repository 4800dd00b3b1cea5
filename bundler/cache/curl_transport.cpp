// libcurl needs thirty libraries, which take longer to load than a small build. So it is loaded for
// the first request, on that thread, and not with the program. Each request uses its own multi
// handle, which can be woken up, so that a request ends at once when it is abandoned (the callbacks
// of curl_easy_perform may be a second apart while no data arrives).
#include "bundler/cache/curl_transport.h"

#include <curl/curl.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstring>

namespace muster {
namespace {

constexpr const char* kLibrary = "libcurl.so.4";
/// libcurl handles timeouts; all other events wake it up.
constexpr int kPollMilliseconds = 1000;

// The library's functions, under their original names. The library stays loaded until the process
// ends.
struct Curl {
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&(::curl_easy_setopt)) easy_setopt = nullptr;
  decltype(&::curl_multi_init) multi_init = nullptr;
  decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&::curl_multi_perform) multi_perform = nullptr;
  decltype(&::curl_multi_poll) multi_poll = nullptr;
  decltype(&::curl_multi_wakeup) multi_wakeup = nullptr;
  decltype(&::curl_multi_info_read) multi_info_read = nullptr;
  decltype(&(::curl_easy_getinfo)) easy_getinfo = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
  std::string missing;  ///< Why it cannot be used; empty if it can.

  Curl() {
    void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* const reason = dlerror();
      missing = reason != nullptr ? reason : kLibrary;
      return;
    }
    find(library, "curl_global_init", global_init);
    find(library, "curl_easy_init", easy_init);
    find(library, "curl_easy_cleanup", easy_cleanup);
    find(library, "curl_easy_setopt", easy_setopt);
    find(library, "curl_multi_init", multi_init);
    find(library, "curl_multi_cleanup", multi_cleanup);
    find(library, "curl_multi_add_handle", multi_add_handle);
    find(library, "curl_multi_remove_handle", multi_remove_handle);
    find(library, "curl_multi_perform", multi_perform);
    find(library, "curl_multi_poll", multi_poll);
    find(library, "curl_multi_wakeup", multi_wakeup);
    find(library, "curl_multi_info_read", multi_info_read);
    find(library, "curl_easy_getinfo", easy_getinfo);
    find(library, "curl_easy_strerror", easy_strerror);
    find(library, "curl_slist_append", slist_append);
    find(library, "curl_slist_free_all", slist_free_all);
    if (missing.empty() && global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) missing = kLibrary;
  }

 private:
  template <typename Function>
  void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) missing = std::string(kLibrary) + " has no " + name;
  }
};

// Loaded once per process, by the first caller.
const Curl& library() {
  static const Curl curl;
  return curl;
}

long milliseconds(Duration duration) {
  return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

ErrorCode code_of(CURLcode code) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return ErrorCode::timed_out;
    case CURLE_ABORTED_BY_CALLBACK:
      return ErrorCode::cancelled;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
      return ErrorCode::truncated;
    default:
      return ErrorCode::io;
  }
}

}  // namespace

struct CurlTransport::Handle {
  CURL* curl = library().easy_init();
  CURLM* multi = library().multi_init();  // Keeps the connection for the next request.
  // Does not wait for a server's permission to send the body: servers without this feature cost a
  // second each time.
  curl_slist* headers = library().slist_append(nullptr, "Expect:");
  bool has_token = false;
  std::array<char, CURL_ERROR_SIZE> reason{};
  ByteVector body;
  std::uint64_t body_bytes_max = 0;
  bool is_too_large = false;
  Bytes to_send;
  Bytes all_to_send;

  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (curl != nullptr) library().easy_cleanup(curl);
    if (multi != nullptr) library().multi_cleanup(multi);
    library().slist_free_all(headers);
  }

  static std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* user) {
    auto& handle = *static_cast<Handle*>(user);
    const std::size_t got = size * count;
    if (got > handle.body_bytes_max - handle.body.size()) {
      handle.is_too_large = true;
      return 0;
    }
    const Bytes piece = as_bytes({bytes, got});
    handle.body.insert(handle.body.end(), piece.begin(), piece.end());
    return got;
  }
  static std::size_t give_body(char* bytes, std::size_t size, std::size_t count, void* user) {
    auto& handle = *static_cast<Handle*>(user);
    const Bytes piece = handle.to_send.first(std::min(size * count, handle.to_send.size()));
    if (!piece.empty()) std::memcpy(bytes, piece.data(), piece.size());
    handle.to_send = handle.to_send.subspan(piece.size());
    return piece.size();
  }
  // Called if a connection that was kept open turns out to be closed.
  static int seek_body(void* user, curl_off_t offset, int origin) {
    auto& handle = *static_cast<Handle*>(user);
    const auto at = static_cast<std::uint64_t>(offset);
    if (origin != SEEK_SET || at > handle.all_to_send.size()) return CURL_SEEKFUNC_FAIL;
    handle.to_send = handle.all_to_send.subspan(static_cast<std::size_t>(at));
    return CURL_SEEKFUNC_OK;
  }

  // Performs the prepared request.
  CURLcode perform(const std::stop_token& stop, const std::stop_token& abandoned) {
    const Curl& curl_library = library();
    const auto wake = [this] { library().multi_wakeup(multi); };
    const std::stop_callback on_stop(stop, wake);
    const std::stop_callback on_abandoned(abandoned, wake);
    if (curl_library.multi_add_handle(multi, curl) != CURLM_OK) return CURLE_FAILED_INIT;
    CURLcode code = CURLE_FAILED_INIT;
    for (int running = 1; running > 0;) {
      if (stop.stop_requested() || abandoned.stop_requested()) {
        code = CURLE_ABORTED_BY_CALLBACK;
        break;
      }
      if (curl_library.multi_perform(multi, &running) != CURLM_OK) break;
      if (running > 0) curl_library.multi_poll(multi, nullptr, 0, kPollMilliseconds, nullptr);
    }
    int left = 0;
    while (const CURLMsg* const message = curl_library.multi_info_read(multi, &left)) {
      if (message->msg == CURLMSG_DONE) code = message->data.result;
    }
    curl_library.multi_remove_handle(multi, curl);
    return code;
  }
};

std::string address_for_people(const std::string& address) {
  const std::size_t scheme = address.find("://");
  const std::size_t at = address.rfind('@');
  if (at == std::string::npos) return address;
  return (scheme < at ? address.substr(0, scheme + 3) : std::string()) + address.substr(at + 1);
}

Result<std::unique_ptr<CurlTransport>> CurlTransport::open(CurlOptions options) {
  std::string scheme = options.address.substr(0, options.address.find("://"));
  std::ranges::transform(scheme, scheme.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  if (scheme != "http" && scheme != "https") {
    return fail(ErrorCode::invalid_argument,
                "'" + address_for_people(options.address) +
                    "' is no address of a cache: it begins with 'http://' or 'https://'");
  }
  while (options.address.ends_with('/')) options.address.pop_back();
  return std::unique_ptr<CurlTransport>(new CurlTransport(std::move(options)));
}

CurlTransport::CurlTransport(CurlOptions options) : options_(std::move(options)) {}
CurlTransport::~CurlTransport() = default;

Result<std::unique_ptr<CurlTransport::Handle>> CurlTransport::take_handle() {
  if (!library().missing.empty()) {
    return fail(ErrorCode::unsupported,
                "libcurl cannot be used (Debian: libcurl4): " + library().missing);
  }
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<Handle>();
  auto handle = std::move(idle_.back());
  idle_.pop_back();
  return handle;
}

void CurlTransport::give_back(std::unique_ptr<Handle> handle) {
  handle->body = ByteVector();
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(handle));
}

Result<HttpAnswer> CurlTransport::perform(Handle& handle, const std::string& path,
                                          std::uint64_t bytes, const std::stop_token& abandoned) {
  CURL* const curl = handle.curl;
  const auto set = library().easy_setopt;
  if (curl == nullptr || handle.multi == nullptr) {
    return fail(ErrorCode::io, "libcurl cannot be used");
  }
  const std::string address = options_.address + path;
  const auto seconds = [](Duration duration) {
    return std::max(1L, milliseconds(duration) / 1000);
  };
  const long for_bytes = static_cast<long>(bytes / (kSlowBytesPerSecond / 1000));
  const long longest = milliseconds(options_.connect_timeout + options_.stall_timeout) + for_bytes;
  handle.reason[0] = '\0';
  handle.body.clear();
  handle.is_too_large = false;
  set(curl, CURLOPT_URL, address.c_str());
  set(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  set(curl, CURLOPT_NOSIGNAL, 1L);
  // A password among the arguments would be visible to all users of the machine.
  set(curl, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
  set(curl, CURLOPT_ERRORBUFFER, handle.reason.data());
  set(curl, CURLOPT_USERAGENT, "muster");
  if (!options_.bearer_token.empty() && !handle.has_token) {
    const std::string header = "Authorization: Bearer " + options_.bearer_token;
    handle.headers = library().slist_append(handle.headers, header.c_str());
    handle.has_token = true;
  }
  if (!options_.ca_file.empty()) set(curl, CURLOPT_CAINFO, options_.ca_file.c_str());
  set(curl, CURLOPT_HTTPHEADER, handle.headers);
  set(curl, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(options_.connect_timeout));
  set(curl, CURLOPT_LOW_SPEED_LIMIT, kSlowBytesPerSecond);
  set(curl, CURLOPT_LOW_SPEED_TIME, seconds(options_.stall_timeout));
  set(curl, CURLOPT_TIMEOUT_MS, longest);
  set(curl, CURLOPT_WRITEFUNCTION, &Handle::take_body);
  set(curl, CURLOPT_WRITEDATA, &handle);
  const CURLcode code = handle.perform(options_.stop, abandoned);
  if (handle.is_too_large) {
    return fail(ErrorCode::limit_exceeded, "the server's answer has more bytes than expected");
  }
  if (code != CURLE_OK) {
    const bool has_reason = handle.reason[0] != '\0';
    return fail(code_of(code), has_reason ? handle.reason.data() : library().easy_strerror(code));
  }
  long status = 0;
  library().easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return HttpAnswer{.status = static_cast<int>(status), .body = std::move(handle.body)};
}

// A server's error page may be longer than the requested data.
constexpr std::uint64_t kErrorPageBytes = 64 * 1024;

Result<HttpAnswer> CurlTransport::get(const std::string& path, std::uint64_t max_bytes,
                                      const std::stop_token& abandoned) {
  auto taken = take_handle();
  if (!taken) return fail(taken.error());
  std::unique_ptr<Handle> handle = std::move(taken).value();
  handle->body_bytes_max = std::max(max_bytes, kErrorPageBytes);
  if (handle->curl != nullptr) library().easy_setopt(handle->curl, CURLOPT_HTTPGET, 1L);
  Result<HttpAnswer> answer = perform(*handle, path, max_bytes, abandoned);
  give_back(std::move(handle));
  if (answer && answer.value().status < 300 && answer.value().body.size() > max_bytes) {
    return fail(ErrorCode::limit_exceeded, "the server's answer has more bytes than expected");
  }
  return answer;
}

Result<HttpAnswer> CurlTransport::put(const std::string& path, Bytes bytes) {
  auto taken = take_handle();
  if (!taken) return fail(taken.error());
  std::unique_ptr<Handle> handle = std::move(taken).value();
  handle->body_bytes_max = kErrorPageBytes;
  handle->to_send = handle->all_to_send = bytes;
  if (handle->curl != nullptr) {
    const auto set = library().easy_setopt;
    set(handle->curl, CURLOPT_UPLOAD, 1L);
    set(handle->curl, CURLOPT_READFUNCTION, &Handle::give_body);
    set(handle->curl, CURLOPT_READDATA, handle.get());
    set(handle->curl, CURLOPT_SEEKFUNCTION, &Handle::seek_body);
    set(handle->curl, CURLOPT_SEEKDATA, handle.get());
    set(handle->curl, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(bytes.size()));
  }
  Result<HttpAnswer> answer = perform(*handle, path, bytes.size(), {});
  give_back(std::move(handle));
  return answer;
}

void CurlTransport::wait(Duration duration, const std::stop_token& abandoned) {
  std::mutex mutex;
  std::condition_variable_any changed;
  // With the lock, a request just before the wait is either seen or wakes it up.
  const auto wake = [&] {
    const std::lock_guard wake_lock(mutex);
    changed.notify_all();
  };
  const std::stop_callback on_abandoned(abandoned, wake);
  std::unique_lock lock(mutex);
  changed.wait_for(lock, options_.stop, duration, [&] { return abandoned.stop_requested(); });
}

}  // namespace muster
