#include "bundler/cache/curl_transport.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstring>

namespace muster {
namespace {

// Once for the process, before the first handle; the library does it in a thread-safe way.
bool is_library_ready() {
  static const bool is_ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return is_ready;
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
  CURL* curl = curl_easy_init();
  // Nobody waits for a server to say that it wants the body: those who don't know the question cost
  // a second each time.
  curl_slist* headers = curl_slist_append(nullptr, "Expect:");
  std::array<char, CURL_ERROR_SIZE> reason{};
  ByteVector body;
  std::uint64_t body_bytes_max = 0;
  bool is_too_large = false;
  Bytes to_send;
  Bytes all_to_send;
  const std::stop_token* stop = nullptr;

  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (curl != nullptr) curl_easy_cleanup(curl);
    curl_slist_free_all(headers);
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
  // Asked for when a connection that was kept open turns out to be closed.
  static int seek_body(void* user, curl_off_t offset, int origin) {
    auto& handle = *static_cast<Handle*>(user);
    const auto at = static_cast<std::uint64_t>(offset);
    if (origin != SEEK_SET || at > handle.all_to_send.size()) return CURL_SEEKFUNC_FAIL;
    handle.to_send = handle.all_to_send.subspan(static_cast<std::size_t>(at));
    return CURL_SEEKFUNC_OK;
  }
  static int watch(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<const Handle*>(user)->stop->stop_requested() ? 1 : 0;
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
  if (!is_library_ready()) return fail(ErrorCode::io, "libcurl cannot be used");
  return std::unique_ptr<CurlTransport>(new CurlTransport(std::move(options)));
}

CurlTransport::CurlTransport(CurlOptions options) : options_(std::move(options)) {}
CurlTransport::~CurlTransport() = default;

std::unique_ptr<CurlTransport::Handle> CurlTransport::take_handle() {
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
                                          std::uint64_t bytes) {
  CURL* const curl = handle.curl;
  if (curl == nullptr) return fail(ErrorCode::io, "libcurl cannot be used");
  const std::string address = options_.address + path;
  const auto seconds = [](Duration duration) {
    return std::max(1L, milliseconds(duration) / 1000);
  };
  const long for_bytes = static_cast<long>(bytes / (kSlowBytesPerSecond / 1000));
  const long longest = milliseconds(options_.connect_timeout + options_.stall_timeout) + for_bytes;
  handle.stop = &options_.stop;
  handle.reason[0] = '\0';
  handle.body.clear();
  handle.is_too_large = false;
  curl_easy_setopt(curl, CURLOPT_URL, address.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  // A password among the arguments is seen by everybody on the machine.
  curl_easy_setopt(curl, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, handle.reason.data());
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "muster");
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, handle.headers);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(options_.connect_timeout));
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, kSlowBytesPerSecond);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, seconds(options_.stall_timeout));
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, longest);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Handle::take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &handle);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &Handle::watch);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &handle);
  const CURLcode code = curl_easy_perform(curl);
  if (handle.is_too_large) {
    return fail(ErrorCode::limit_exceeded, "the server's answer has more bytes than expected");
  }
  if (code != CURLE_OK) {
    const bool has_reason = handle.reason[0] != '\0';
    return fail(code_of(code), has_reason ? handle.reason.data() : curl_easy_strerror(code));
  }
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return HttpAnswer{.status = static_cast<int>(status), .body = std::move(handle.body)};
}

// What a server says with an error may be longer than what was asked for.
constexpr std::uint64_t kErrorPageBytes = 64 * 1024;

Result<HttpAnswer> CurlTransport::get(const std::string& path, std::uint64_t max_bytes) {
  auto handle = take_handle();
  handle->body_bytes_max = std::max(max_bytes, kErrorPageBytes);
  if (handle->curl != nullptr) curl_easy_setopt(handle->curl, CURLOPT_HTTPGET, 1L);
  Result<HttpAnswer> answer = perform(*handle, path, max_bytes);
  give_back(std::move(handle));
  if (answer && answer.value().status < 300 && answer.value().body.size() > max_bytes) {
    return fail(ErrorCode::limit_exceeded, "the server's answer has more bytes than expected");
  }
  return answer;
}

Result<HttpAnswer> CurlTransport::put(const std::string& path, Bytes bytes) {
  auto handle = take_handle();
  handle->body_bytes_max = kErrorPageBytes;
  handle->to_send = handle->all_to_send = bytes;
  if (handle->curl != nullptr) {
    curl_easy_setopt(handle->curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(handle->curl, CURLOPT_READFUNCTION, &Handle::give_body);
    curl_easy_setopt(handle->curl, CURLOPT_READDATA, handle.get());
    curl_easy_setopt(handle->curl, CURLOPT_SEEKFUNCTION, &Handle::seek_body);
    curl_easy_setopt(handle->curl, CURLOPT_SEEKDATA, handle.get());
    curl_easy_setopt(handle->curl, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(bytes.size()));
  }
  Result<HttpAnswer> answer = perform(*handle, path, bytes.size());
  give_back(std::move(handle));
  return answer;
}

void CurlTransport::wait(Duration duration) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  never.wait_for(lock, options_.stop, duration, [] { return false; });
}

}  // namespace muster
