#include "runtime/session/level_model.h"

#include <optional>
#include <string>

#include "net/snapshot/model_file.h"
#include "runtime/bundle/format_error.h"
#include "runtime/bundle/object_reader.h"

namespace muster {
namespace {

constexpr std::string_view kModelField = "snapshot_model";

/// The asset of the level's model; null if the level names no model.
Result<Guid> model_of(BundleStore& store, const Guid& level) {
  const Result<LoadedEntry> entry = store.load(level, kMainPayload);
  if (!entry) return fail(entry.error());
  const Result<ObjectReader> object = ObjectReader::open(entry.value().bytes);
  if (!object) return fail_asset("level " + level.to_string(), object.error());
  if (object.value().document_count() == 0) return Guid();
  const std::optional<ObjectValue> root = object.value().document(0).root;
  const std::optional<ObjectValue> model = root ? root->find(kModelField) : std::nullopt;
  return model ? model->referenced() : Guid();
}

}  // namespace

Result<ByteVector> load_level_model(BundleStore& store, const Guid& level) {
  if (level == Guid()) return ByteVector();
  const Result<Guid> model = model_of(store, level);
  if (!model) return fail(model.error());
  if (model.value() == Guid()) return ByteVector();
  const Result<LoadedEntry> file = store.load(model.value(), kMainPayload);
  if (!file) return fail(file.error());
  SnapshotModel decoded;
  std::string error;
  if (!decode_model(file.value().bytes, decoded, error)) {
    return fail(ErrorCode::malformed, "the level's snapshot model is " + error);
  }
  return ByteVector(file.value().bytes.begin(), file.value().bytes.end());
}

}  // namespace muster
