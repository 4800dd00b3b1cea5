#include "runtime/assets/bundle_source.h"

#include "registry/vocabulary/disk_file_system.h"

namespace muster {
namespace {

class ReadFile final : public HeldFile {
 public:
  explicit ReadFile(ByteVector bytes) : bytes_(std::move(bytes)) {}
  Bytes bytes() const override { return bytes_; }

 private:
  ByteVector bytes_;
};

class MappedHeldFile final : public HeldFile {
 public:
  explicit MappedHeldFile(MappedFile file) : file_(std::move(file)) {}
  Bytes bytes() const override { return file_.bytes(); }

 private:
  MappedFile file_;
};

}  // namespace

Result<std::unique_ptr<HeldFile>> FileSystemSource::open(std::string_view path,
                                                         std::uint64_t max_bytes) const {
  // Parsed alone, a path cannot climb out of the folder.
  Result<AssetPath> below = AssetPath::parse(path);
  if (!below) return fail(below.error());
  const std::string prefix = folder_.empty() ? "" : folder_.text() + "/";
  Result<AssetPath> place = AssetPath::parse(prefix + below.value().text());
  if (!place) return fail(place.error());
  ByteVector buffer;
  Result<Bytes> read = read_whole(files_, place.value(), max_bytes, buffer);
  if (!read) return fail(read.error());
  buffer.resize(read.value().size());
  return std::make_unique<ReadFile>(std::move(buffer));
}

std::string FileSystemSource::name() const { return folder_.empty() ? "." : folder_.text(); }

Result<std::unique_ptr<HeldFile>> MappedSource::open(std::string_view path,
                                                     std::uint64_t max_bytes) const {
  Result<AssetPath> below = AssetPath::parse(path);
  if (!below) return fail(below.error());
  const std::string place = folder_ + "/" + below.value().text();
  Result<MappedFile> file = MappedFile::open(place);
  if (!file) return fail(file.error());
  if (file.value().bytes().size() > max_bytes) {
    return fail(ErrorCode::limit_exceeded,
                "'" + place + "' has more than " + std::to_string(max_bytes) + " bytes");
  }
  return std::make_unique<MappedHeldFile>(std::move(file.value()));
}

}  // namespace muster
