// Reads the files of a folder on disk through io_uring.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/assets/bundle_source.h"
#include "runtime/assets/memory_pool.h"

namespace muster {

/// Reads whole files into memory. Many files are read at the same time: `open_all` keeps up to
/// `kReadsInFlight` reads in the kernel. Threads that open files at the same time wait for each
/// other. If the ring stops working, files are read one after another.
class UringSource final : public BundleSource {
 public:
  /// The maximum number of reads in the kernel, which is enough to keep a solid-state disk busy.
  static constexpr unsigned kReadsInFlight = 64;

  /// Fails with `unsupported` if the kernel is too old, if the container or an administrator
  /// forbids io_uring, or if this library was built without liburing. `open_disk_source` has other
  /// ways to read files.
  static Result<std::unique_ptr<UringSource>> open(std::string folder,
                                                   std::shared_ptr<MemoryPool> memory = nullptr);
  ~UringSource() override;
  UringSource(const UringSource&) = delete;
  UringSource& operator=(const UringSource&) = delete;

  Result<std::unique_ptr<BundleFile>> open(std::string_view path,
                                           std::uint64_t max_bytes) const override;
  std::vector<Result<std::unique_ptr<BundleFile>>> open_all(
      std::span<const OpenRequest> requests) const override;
  std::uint32_t files_at_once() const override { return kReadsInFlight; }
  std::optional<std::uint64_t> file_bytes(std::string_view path) const override;
  std::string name() const override { return folder_; }

 private:
  struct Ring;
  UringSource(std::string folder, std::shared_ptr<MemoryPool> memory, std::unique_ptr<Ring> ring);

  std::string folder_;
  std::shared_ptr<MemoryPool> memory_;
  std::unique_ptr<Ring> ring_;
};

}  // namespace muster
