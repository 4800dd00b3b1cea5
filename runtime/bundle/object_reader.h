// Reads a cooked YAML file in place. The format is described in BUNDLE_FORMAT.md, section 3.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "registry/base/bytes.h"
#include "registry/base/guid.h"
#include "registry/base/result.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

class ObjectReader;
class ObjectChildren;

/// A strong reference to an object in the same file or in another asset.
struct ObjectReference {
  Guid guid;                 ///< The guid of the other asset; null for a reference within the file.
  bool is_external = false;  ///< True if the reference has a guid. The guid can be null.
  std::int64_t file_id = 0;
  std::int32_t type = 0;
  /// The index of the target document, for a reference within the file.
  std::uint32_t document = layout::kNone;
};

/// One value, as a view of its reader. The reader must outlive the value. Pass a value by copy,
/// because it is small.
class ObjectValue {
 public:
  ObjectKind kind() const;

  /// Requires: `kind() == ObjectKind::integer`.
  std::int64_t integer() const;
  /// The stored number. The number of a `real32` is a float, which can differ a little from the
  /// number in the file. Requires: the kind is `real32` or `real64`.
  double real() const;
  /// Requires: the kind is `text`.
  std::string_view text() const;
  /// Requires: the kind is `text`.
  TextStyle style() const;
  /// Requires: the kind is `reference`.
  ObjectReference reference() const;
  /// Requires: the kind is `guid_text` or `guid_words`.
  Guid guid() const;

  /// The asset that a value refers to, by a strong or a weak reference; null if it refers to no
  /// asset.
  Guid referenced() const;

  /// The children of a mapping or a sequence, in order; no children for other kinds.
  ObjectChildren children() const;
  std::uint32_t child_count() const;
  /// The first child of a mapping with this key. Returns no value if there is no such child, or if
  /// this value is not a mapping.
  std::optional<ObjectValue> find(std::string_view key) const;

 private:
  friend class ObjectReader;
  friend class ObjectChildren;
  ObjectValue(const ObjectReader* object, std::size_t offset, std::uint32_t document)
      : object_(object), offset_(static_cast<std::uint32_t>(offset)), document_(document) {}
  unsigned form() const;
  std::size_t end() const;

  const ObjectReader* object_;
  std::uint32_t offset_;    ///< The offset of the value's tag in the bytes of the object.
  std::uint32_t document_;  ///< The index of the document that contains the value.
};

struct ObjectChild {
  std::string_view key;  ///< The key; empty in a sequence.
  TextStyle key_style = TextStyle::plain;
  ObjectValue value;
};

/// The children of a value, for a range-based `for`.
class ObjectChildren {
 public:
  class Iterator {
   public:
    ObjectChild operator*() const {
      return {.key = key_, .key_style = key_style_, .value = {object_, offset_, document_}};
    }
    Iterator& operator++();
    bool operator==(const Iterator& other) const { return remaining_ == other.remaining_; }

   private:
    friend class ObjectChildren;
    explicit Iterator(const ObjectChildren& children);
    void read_key();

    const ObjectReader* object_;
    std::size_t offset_;  // The offset of the value, which is known after the key was read.
    std::uint32_t document_;
    std::uint32_t remaining_;
    std::string_view key_;
    TextStyle key_style_ = TextStyle::plain;
    bool has_keys_;
  };

  Iterator begin() const { return Iterator(*this); }
  Iterator end() const { return Iterator(ObjectChildren()); }

 private:
  friend class ObjectValue;
  const ObjectReader* object_ = nullptr;
  std::size_t begin_ = 0;
  std::uint32_t document_ = 0;
  std::uint32_t count_ = 0;
  bool has_keys_ = false;
};

struct ObjectDocument {
  std::int64_t class_id = 0;
  std::int64_t file_id = 0;
  bool is_stripped = false;
  std::string_view type_name;  ///< The name of the type; empty if the document has no type name.
  std::optional<ObjectValue> root;  ///< The root value; no value for an empty document.
};

/// Reads an object in the caller's memory. The bytes must stay valid while the reader, its values
/// and its texts are used. Allocates nothing; several threads may read.
///
///     const ObjectReader object = ObjectReader::open(bytes).value();
///     for (const ObjectChild child : object.document(0).root->children()) ...
class ObjectReader {
 public:
  /// Checks all documents and values. The time is linear in the size. Allocates nothing. Fails with
  /// `truncated`, `unsupported_version`, `limit_exceeded` or `malformed`.
  static Result<ObjectReader> open(Bytes bytes);

  std::uint32_t document_count() const { return document_count_; }
  /// Reads a document in constant time. Requires: `index < document_count()`.
  ObjectDocument document(std::uint32_t index) const&;
  /// Deleted, because the values of a temporary reader would refer to a destroyed object.
  ObjectDocument document(std::uint32_t index) const&& = delete;

 private:
  friend class ObjectValue;
  friend class ObjectChildren;
  explicit ObjectReader(Bytes bytes) : bytes_(bytes) {}
  Result<void> check_header();
  Result<void> check_documents() const;
  std::int64_t file_id(std::uint32_t index) const;
  std::uint32_t document_bytes(std::uint32_t index) const;
  std::uint32_t mark(std::uint32_t index) const;

  Bytes bytes_;
  std::uint32_t document_count_ = 0;
  std::size_t sizes_offset_ = 0;
  std::size_t marks_offset_ = 0;
  std::size_t documents_offset_ = 0;
};

}  // namespace muster
