#include "runtime/assets/stacked_source.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace muster {
namespace {

using Opened = Result<std::unique_ptr<BundleFile>>;

bool falls_through(const Opened& opened) {
  return !opened && opened.error().code == ErrorCode::not_found;
}

}  // namespace

void StackedSource::push(std::unique_ptr<BundleSource> layer) {
  assert(layer != nullptr);
  layers_.push_back(std::move(layer));
}

Opened StackedSource::open(std::string_view path, std::uint64_t max_bytes) const {
  for (std::size_t i = layers_.size(); i > 0; --i) {
    Opened opened = layers_[i - 1]->open(path, max_bytes);
    if (!falls_through(opened)) return opened;
  }
  return fail_nowhere(path);
}

std::optional<std::uint64_t> StackedSource::file_bytes(std::string_view path) const {
  for (std::size_t i = layers_.size(); i > 0; --i) {
    const BundleSource& layer = *layers_[i - 1];
    if (const auto bytes = layer.file_bytes(path)) return bytes;
    // The layer may have the file and not know its size.
    if (!falls_through(layer.open(path, 0))) return std::nullopt;
  }
  return std::nullopt;
}

std::vector<Opened> StackedSource::open_all(std::span<const OpenRequest> requests) const {
  std::vector<Opened> results;
  results.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) results.emplace_back(nullptr);
  // Goes layer by layer, so that each layer can open its files together.
  std::vector<OpenRequest> left(requests.begin(), requests.end());
  std::vector<std::size_t> indices(requests.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  for (std::size_t i = layers_.size(); i > 0 && !left.empty(); --i) {
    std::vector<Opened> opened = layers_[i - 1]->open_all(left);
    assert(opened.size() == left.size());
    std::size_t kept = 0;
    for (std::size_t n = 0; n < opened.size(); ++n) {
      if (!falls_through(opened[n])) {
        results[indices[n]] = std::move(opened[n]);
        continue;
      }
      if (kept != n) left[kept] = left[n];
      indices[kept++] = indices[n];
    }
    left.resize(kept);
  }
  for (std::size_t n = 0; n < left.size(); ++n) results[indices[n]] = fail_nowhere(left[n].path);
  return results;
}

tl::unexpected<Error> StackedSource::fail_nowhere(std::string_view path) const {
  return fail(ErrorCode::not_found, "'" + std::string(path) + "' is in none of the " +
                                        std::to_string(layers_.size()) + " layers of " + name());
}

std::uint32_t StackedSource::files_at_once() const {
  std::uint32_t maximum = 1;
  for (const auto& layer : layers_) maximum = std::max(maximum, layer->files_at_once());
  return maximum;
}

std::string StackedSource::name() const {
  std::string text;
  for (std::size_t i = layers_.size(); i > 0; --i) {
    text += (text.empty() ? "" : " over ") + layers_[i - 1]->name();
  }
  return text.empty() ? "no layers" : text;
}

std::string StackedSource::full_path(std::string_view path) const {
  for (std::size_t i = layers_.size(); i > 0; --i) {
    const BundleSource& layer = *layers_[i - 1];
    // The limit of 0 bytes makes an existing file fail as too large, so nothing is read.
    const Opened opened = layer.open(path, 0);
    if (i == 1 || !falls_through(opened)) return layer.full_path(path);
  }
  return name() + "/" + std::string(path);
}

}  // namespace muster
