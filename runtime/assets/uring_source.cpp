// Files are opened with plain calls, which the cache of names answers; the reads go through the
// ring. A short read is continued by another one. The ring is private to its source and guarded by
// a mutex: one ring per thread would save the waiting, but threads that load together want one
// queue to the disk anyway.
#include "runtime/assets/uring_source.h"

#include <utility>

#include "runtime/assets/disk_source.h"

#ifdef MUSTER_URING
#include <liburing.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <mutex>
#include <optional>
#endif

namespace muster {

#ifdef MUSTER_URING

namespace {

using Opened = Result<std::unique_ptr<HeldFile>>;

// What one operation may ask for: the kernel's limit is just below 2 GiB.
constexpr std::size_t kMaxReadBytes = std::size_t{1} << 30U;
// How often in a row the kernel may be too busy to take an operation while none is under way.
constexpr int kMaxRefusals = 1'000'000;

// One file on its way. Its address is the operation's, so it must stay where it is.
struct Reading {
  DiskFile file;
  std::unique_ptr<PooledFile> held;
  std::size_t done = 0;
  std::size_t request = 0;  ///< Its index.

  std::span<std::byte> rest() { return held->target().subspan(done); }
};

void prepare_read(io_uring& ring, Reading& reading) {
  io_uring_sqe* const entry = io_uring_get_sqe(&ring);
  // There are as many places as readings, and what was submitted before is out of its place.
  assert(entry != nullptr);
  const std::span<std::byte> rest = reading.rest();
  io_uring_prep_read(entry, reading.file.descriptor(), rest.data(),
                     static_cast<unsigned>(std::min(rest.size(), kMaxReadBytes)), reading.done);
  io_uring_sqe_set_data(entry, &reading);
}

// What a completion means: nothing yet (the rest was asked for), or the outcome.
std::optional<Opened> outcome_of(io_uring& ring, Reading& reading, int result) {
  const bool is_retry = result == -EINTR || result == -EAGAIN;
  if (result == 0) {
    return fail(ErrorCode::truncated,
                "'" + reading.file.place() + "' was cut short while it was read");
  }
  if (result < 0 && !is_retry) {
    return fail_errno(-result, "cannot read '" + reading.file.place() + "'");
  }
  if (result > 0) reading.done += static_cast<std::size_t>(result);
  if (reading.rest().empty()) return std::move(reading.held);
  prepare_read(ring, reading);
  return std::nullopt;
}

// Submits what is prepared and waits until something has ended.
void submit_and_wait(io_uring& ring) {
  for (int refusals = 0;; ++refusals) {
    const int submitted = io_uring_submit_and_wait(&ring, 1);
    if (submitted >= 0) return;
    // Anything else is a bug of ours; to return would free buffers that the kernel writes to.
    assert(submitted == -EINTR || submitted == -EAGAIN || submitted == -EBUSY);
    if (io_uring_cq_ready(&ring) > 0) return;
    assert(refusals < kMaxRefusals);
  }
}

bool can_read(io_uring& ring) {
  io_uring_probe* const probe = io_uring_get_probe_ring(&ring);
  if (probe == nullptr) return false;
  const bool can = io_uring_opcode_supported(probe, IORING_OP_READ) != 0;
  io_uring_free_probe(probe);
  return can;
}

}  // namespace

struct UringSource::Ring {
  ~Ring() {
    if (is_set_up) io_uring_queue_exit(&ring);
  }
  std::mutex mutex;
  io_uring ring{};
  bool is_set_up = false;
  std::shared_ptr<ReadBuffers> buffers = std::make_shared<ReadBuffers>();
};

Result<std::unique_ptr<UringSource>> UringSource::open(std::string folder) {
  auto ring = std::make_unique<Ring>();
  const int error = io_uring_queue_init(kReadsInFlight, &ring->ring, 0);
  ring->is_set_up = error == 0;
  if (error != 0 || !can_read(ring->ring)) {
    return fail(ErrorCode::unsupported,
                "the kernel refuses io_uring" +
                    (error != 0 ? fail_errno(-error, "").value().message
                                : std::string(": it is too old to read with it")) +
                    "; read with 'pread' or 'mapped' instead");
  }
  return std::unique_ptr<UringSource>(new UringSource(std::move(folder), std::move(ring)));
}

std::vector<Opened> UringSource::open_all(std::span<const OpenRequest> requests) const {
  std::vector<Opened> results(requests.size());
  std::vector<Reading> readings(std::min<std::size_t>(requests.size(), kReadsInFlight));
  std::vector<Reading*> idle;
  for (Reading& reading : readings) idle.push_back(&reading);
  const std::lock_guard<std::mutex> lock(ring_->mutex);
  io_uring& ring = ring_->ring;
  std::size_t next = 0;
  while (next < requests.size() || idle.size() < readings.size()) {
    for (; next < requests.size() && !idle.empty(); ++next) {
      Result<DiskFile> file =
          open_for_source(folder_, requests[next].path, requests[next].max_bytes);
      if (!file) {
        results[next] = fail(file.error());
        continue;
      }
      const auto size = static_cast<std::size_t>(file.value().size_bytes());
      auto held = std::make_unique<PooledFile>(ring_->buffers, size);
      if (size == 0) {
        results[next] = std::move(held);
        continue;
      }
      Reading& reading = *idle.back();
      idle.pop_back();
      reading = {std::move(file.value()), std::move(held), 0, next};
      prepare_read(ring, reading);
    }
    if (idle.size() == readings.size()) continue;
    submit_and_wait(ring);
    io_uring_cqe* completion = nullptr;
    while (io_uring_peek_cqe(&ring, &completion) == 0) {
      Reading& reading = *static_cast<Reading*>(io_uring_cqe_get_data(completion));
      const int result = completion->res;
      io_uring_cqe_seen(&ring, completion);
      if (std::optional<Opened> outcome = outcome_of(ring, reading, result)) {
        results[reading.request] = std::move(*outcome);
        reading = {};
        idle.push_back(&reading);
      }
    }
  }
  return results;
}

#else

struct UringSource::Ring {};

Result<std::unique_ptr<UringSource>> UringSource::open(std::string /*folder*/) {
  return fail(ErrorCode::unsupported,
              "this program was built without liburing; read with 'pread' or 'mapped' instead");
}

std::vector<Result<std::unique_ptr<HeldFile>>> UringSource::open_all(
    std::span<const OpenRequest> requests) const {
  return BundleSource::open_all(requests);
}

#endif

UringSource::UringSource(std::string folder, std::unique_ptr<Ring> ring)
    : folder_(std::move(folder)), ring_(std::move(ring)) {}

UringSource::~UringSource() = default;

Result<std::unique_ptr<HeldFile>> UringSource::open(std::string_view path,
                                                    std::uint64_t max_bytes) const {
  const OpenRequest request{.path = std::string(path), .max_bytes = max_bytes};
  return std::move(open_all({&request, 1}).front());
}

}  // namespace muster
