// One thread runs all requests through a multi handle of libcurl, because a thread for each request
// would cost more than the request. All other threads add requests to a list and then wake this
// thread up (`curl_multi_wakeup`). A thread that abandons a request also wakes this thread up,
// because libcurl may call its callbacks only once a second while no data arrives.
#include "bundler/cache/curl_transport.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "bundler/cache/curl_library.h"

namespace muster {
namespace {

/// The maximum duration of one wait. libcurl ends a wait earlier for its timeouts, and all other
/// events wake the thread up.
constexpr int kPollMilliseconds = 1000;
/// The maximum size of the error page of a server. The page may be longer than the requested data.
constexpr std::uint64_t kErrorPageBytes = 64 * 1024;
/// The size of the read buffer. This size is larger than libcurl's default, because a bundle is
/// large and a larger buffer saves system calls.
constexpr long kReadBytes = 128 * 1024;

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
    // These errors are permanent, so further attempts would only delay the report.
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return ErrorCode::permission_denied;
    default:
      return ErrorCode::io;
  }
}

}  // namespace

// This namespace has a name, because a class in a header has members of these types.
namespace curl_detail {

// One request. The object is reused for later requests, because creating a handle takes longer than
// sending the headers of a request.
struct Transfer {
  CURL* curl = curl_library().easy_init();
  // Sends the body without waiting for the permission of the server, because a server without this
  // feature would cost one second per request.
  curl_slist* headers = curl_library().slist_append(nullptr, "Expect:");
  bool has_token = false;
  std::array<char, CURL_ERROR_SIZE> reason{};
  HttpRequest request;
  HttpTransport::Done done;
  std::optional<std::stop_callback<std::function<void()>>> on_abandoned;
  ByteVector body;
  std::uint64_t body_bytes_max = 0;
  bool is_too_large = false;
  Bytes to_send;

  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() {
    on_abandoned.reset();
    if (curl != nullptr) curl_library().easy_cleanup(curl);
    curl_library().slist_free_all(headers);
  }

  static std::size_t append_body(char* bytes, std::size_t size, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    const std::size_t got = size * count;
    if (got > transfer.body_bytes_max - transfer.body.size()) {
      transfer.is_too_large = true;
      return 0;
    }
    const Bytes piece = as_bytes({bytes, got});
    transfer.body.insert(transfer.body.end(), piece.begin(), piece.end());
    return got;
  }
  static std::size_t give_body(char* bytes, std::size_t size, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    const Bytes piece = transfer.to_send.first(std::min(size * count, transfer.to_send.size()));
    if (!piece.empty()) std::memcpy(bytes, piece.data(), piece.size());
    transfer.to_send = transfer.to_send.subspan(piece.size());
    return piece.size();
  }
  // libcurl calls this function to send a body again, if the server has closed a connection that
  // was open for later requests.
  static int seek_body(void* user, curl_off_t offset, int origin) {
    auto& transfer = *static_cast<Transfer*>(user);
    const Bytes all = *transfer.request.body;
    const auto at = static_cast<std::uint64_t>(offset);
    if (origin != SEEK_SET || at > all.size()) return CURL_SEEKFUNC_FAIL;
    transfer.to_send = all.subspan(static_cast<std::size_t>(at));
    return CURL_SEEKFUNC_OK;
  }
};

void prepare_method(Transfer& transfer) {
  const auto set = curl_library().easy_setopt;
  CURL* const curl = transfer.curl;
  transfer.body_bytes_max = std::max(transfer.request.answer_bytes_max, kErrorPageBytes);
  if (!transfer.request.body) {
    set(curl, CURLOPT_HTTPGET, 1L);
    return;
  }
  transfer.to_send = *transfer.request.body;
  set(curl, CURLOPT_UPLOAD, 1L);
  set(curl, CURLOPT_READFUNCTION, &Transfer::give_body);
  set(curl, CURLOPT_READDATA, &transfer);
  set(curl, CURLOPT_SEEKFUNCTION, &Transfer::seek_body);
  set(curl, CURLOPT_SEEKDATA, &transfer);
  set(curl, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(transfer.to_send.size()));
}

void prepare(Transfer& transfer, const CurlOptions& options) {
  const auto set = curl_library().easy_setopt;
  CURL* const curl = transfer.curl;
  const std::string address = options.address + transfer.request.path;
  const std::uint64_t bytes =
      transfer.request.body ? transfer.request.body->size() : transfer.request.answer_bytes_max;
  const auto for_bytes = static_cast<long>(bytes * 1000 / CurlTransport::kSlowBytesPerSecond);
  const long longest = milliseconds(options.connect_timeout + options.stall_timeout) + for_bytes;
  transfer.reason[0] = '\0';
  transfer.body.clear();
  transfer.is_too_large = false;
  prepare_method(transfer);
  set(curl, CURLOPT_URL, address.c_str());
  set(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  set(curl, CURLOPT_NOSIGNAL, 1L);
  // If a request is abandoned during the name lookup of its host, it does not wait for the name
  // server, which may take ten seconds. Releases of libcurl before 7.87 do not have this option,
  // and such a request waits.
  set(curl, CURLOPT_QUICK_EXIT, 1L);
  set(curl, CURLOPT_BUFFERSIZE, kReadBytes);
  // Reads passwords from `~/.netrc`, because all users of a machine can see the arguments of a
  // program.
  set(curl, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
  set(curl, CURLOPT_ERRORBUFFER, transfer.reason.data());
  set(curl, CURLOPT_USERAGENT, "muster");
  if (!options.bearer_token.empty() && !transfer.has_token) {
    const std::string header = "Authorization: Bearer " + options.bearer_token;
    transfer.headers = curl_library().slist_append(transfer.headers, header.c_str());
    transfer.has_token = true;
  }
  if (!options.ca_file.empty()) {
    set(curl, CURLOPT_CAINFO, options.ca_file.c_str());
    // Without this option, the certificates in the system's folder would also be trusted.
    set(curl, CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  set(curl, CURLOPT_HTTPHEADER, transfer.headers);
  set(curl, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(options.connect_timeout));
  // The system buffers most of the body of an upload, and libcurl sees no progress while the buffer
  // is sent. So an upload has no stall timeout, only the limit of its whole duration.
  const long stall_seconds = std::max(1L, milliseconds(options.stall_timeout) / 1000);
  set(curl, CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(CurlTransport::kSlowBytesPerSecond));
  set(curl, CURLOPT_LOW_SPEED_TIME, transfer.request.body ? 0L : stall_seconds);
  set(curl, CURLOPT_TIMEOUT_MS, longest);
  set(curl, CURLOPT_WRITEFUNCTION, &Transfer::append_body);
  set(curl, CURLOPT_WRITEDATA, &transfer);
  set(curl, CURLOPT_PRIVATE, &transfer);
}

// The result of a request that libcurl has ended.
Result<HttpAnswer> answer_of(Transfer& transfer, CURLcode code) {
  constexpr const char* kTooLong = "the server's answer has more bytes than expected";
  if (transfer.is_too_large) return fail(ErrorCode::limit_exceeded, kTooLong);
  if (code != CURLE_OK) {
    const bool has_reason = transfer.reason[0] != '\0';
    return fail(code_of(code),
                has_reason ? transfer.reason.data() : curl_library().easy_strerror(code));
  }
  long status = 0;
  curl_library().easy_getinfo(transfer.curl, CURLINFO_RESPONSE_CODE, &status);
  const bool is_page = transfer.request.body || status >= 300;
  if (!is_page && transfer.body.size() > transfer.request.answer_bytes_max) {
    return fail(ErrorCode::limit_exceeded, kTooLong);
  }
  return HttpAnswer{.status = static_cast<int>(status), .body = std::move(transfer.body)};
}

}  // namespace curl_detail

class CurlTransport::Loop {
 public:
  explicit Loop(const CurlOptions& options) : options_(options) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() {
    thread_.request_stop();
    wake();
    if (thread_.joinable()) thread_.join();
  }

  void start(HttpRequest request, Done done) {
    std::unique_lock lock(mutex_);
    if (!start_thread()) {
      lock.unlock();
      return done(fail(ErrorCode::io, "the system allows no further thread"));
    }
    pending_.push_back({std::move(request), std::move(done)});
    lock.unlock();
    wake();
  }

 private:
  using Transfer = curl_detail::Transfer;
  struct PendingRequest {
    HttpRequest request;
    Done done;
  };

  // Starts the thread if it does not run yet. Returns false if the system cannot start it.
  bool start_thread() {
    if (thread_.joinable()) return true;
    try {
      thread_ = std::jthread([this](const std::stop_token& over) { run(over); });
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }

  void wake() {
    const std::lock_guard lock(mutex_);
    if (multi_ != nullptr) curl_library().multi_wakeup(multi_);
    pending_changed_.notify_all();
  }

  void run(const std::stop_token& over) {
    if (curl_library().missing.empty()) {
      CURLM* const multi = curl_library().multi_init();
      const std::lock_guard lock(mutex_);
      multi_ = multi;
    }
    const std::stop_callback on_stop(options_.stop, [this] { wake(); });
    for (bool is_over = false; !is_over;) {
      is_over = over.stop_requested();
      for (PendingRequest& pending : drain_pending()) begin(std::move(pending));
      end_abandoned(is_over);
      if (!is_over) perform(over);
    }
    const std::lock_guard lock(mutex_);
    idle_.clear();
    if (multi_ != nullptr) curl_library().multi_cleanup(multi_);
    multi_ = nullptr;
  }

  std::vector<PendingRequest> drain_pending() {
    const std::lock_guard lock(mutex_);
    return std::exchange(pending_, {});
  }

  void begin(PendingRequest pending) {
    if (multi_ == nullptr) {
      pending.done(fail(ErrorCode::unsupported,
                        "libcurl cannot be used (Debian: libcurl4): " + curl_library().missing));
      return;
    }
    std::unique_ptr<Transfer> transfer;
    if (idle_.empty()) {
      transfer = std::make_unique<Transfer>();
    } else {
      transfer = std::move(idle_.back());
      idle_.pop_back();
    }
    if (transfer->curl == nullptr) {
      pending.done(fail(ErrorCode::io, "libcurl cannot be used"));
      return;
    }
    transfer->request = std::move(pending.request);
    transfer->done = std::move(pending.done);
    curl_detail::prepare(*transfer, options_);
    curl_library().multi_add_handle(multi_, transfer->curl);
    running_.push_back(std::move(transfer));
    Transfer& begun = *running_.back();
    begun.on_abandoned.emplace(begun.request.abandoned, [this] { wake(); });
  }

  void perform(const std::stop_token& over) {
    const CurlLibrary& library = curl_library();
    if (multi_ == nullptr) {
      std::unique_lock lock(mutex_);
      pending_changed_.wait(lock, over, [this] { return !pending_.empty(); });
      return;
    }
    int running = 0;
    library.multi_perform(multi_, &running);
    int left = 0;
    std::vector<std::pair<Transfer*, CURLcode>> ended;
    while (const CURLMsg* const message = library.multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      char* transfer = nullptr;
      library.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
      ended.emplace_back(reinterpret_cast<Transfer*>(transfer), message->data.result);
    }
    for (const auto& [transfer, code] : ended) end(*transfer, code);
    if (ended.empty()) library.multi_poll(multi_, nullptr, 0, kPollMilliseconds, nullptr);
  }

  void end_abandoned(bool is_over) {
    is_over = is_over || options_.stop.stop_requested();
    std::vector<Transfer*> abandoned;
    for (const auto& transfer : running_) {
      if (is_over || transfer->request.abandoned.stop_requested()) {
        abandoned.push_back(transfer.get());
      }
    }
    for (Transfer* const transfer : abandoned) end(*transfer, CURLE_ABORTED_BY_CALLBACK);
  }

  void end(Transfer& transfer, CURLcode code) {
    curl_library().multi_remove_handle(multi_, transfer.curl);
    transfer.on_abandoned.reset();
    const auto found = std::ranges::find(running_, &transfer, &std::unique_ptr<Transfer>::get);
    idle_.push_back(std::move(*found));
    running_.erase(found);
    Result<HttpAnswer> answer = curl_detail::answer_of(transfer, code);
    transfer.body = ByteVector();
    transfer.request = {};
    std::exchange(transfer.done, nullptr)(std::move(answer));
  }

  const CurlOptions& options_;
  std::mutex mutex_;
  std::condition_variable_any pending_changed_;
  std::vector<PendingRequest> pending_;  ///< The new requests, protected by the mutex.
  CURLM* multi_ = nullptr;  ///< The handle, protected by the mutex; only `thread_` changes it.
  // Only `thread_` uses the next two members.
  std::vector<std::unique_ptr<Transfer>> running_;
  std::vector<std::unique_ptr<Transfer>> idle_;
  std::jthread thread_;  ///< Started by the first request; protected by the mutex.
};

std::string address_without_credentials(const std::string& address) {
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
    return fail(
        ErrorCode::invalid_argument,
        "'" + address_without_credentials(options.address) +
            "' is not the address of a cache: an address begins with 'http://' or 'https://'");
  }
  while (options.address.ends_with('/')) options.address.pop_back();
  return std::unique_ptr<CurlTransport>(new CurlTransport(std::move(options)));
}

CurlTransport::CurlTransport(CurlOptions options)
    : options_(std::move(options)), loop_(std::make_unique<Loop>(options_)) {}
CurlTransport::~CurlTransport() = default;

void CurlTransport::start(HttpRequest request, Done done) {
  loop_->start(std::move(request), std::move(done));
}

void CurlTransport::wait(Duration duration, const std::stop_token& abandoned) {
  std::mutex mutex;
  std::condition_variable_any changed;
  // Because of the lock, a stop request directly before the wait is not missed: either the check
  // finds it, or it ends the wait.
  const auto wake = [&] {
    const std::lock_guard wake_lock(mutex);
    changed.notify_all();
  };
  const std::stop_callback on_abandoned(abandoned, wake);
  std::unique_lock lock(mutex);
  changed.wait_for(lock, options_.stop, duration, [&] { return abandoned.stop_requested(); });
}

}  // namespace muster
