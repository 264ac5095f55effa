#include "provider/opaque_blob.h"

#include <utility>

namespace braidlog::provider {

std::string to_text(const BlobOwner& owner, Blob blob) {
  json::object object;
  object["provider"] = owner.provider;
  object["server"] = owner.server;
  object["kind"] = blob.kind;
  object["data"] = std::move(blob.data);
  return to_json(object);
}

std::vector<Blob> blobs_of(const BlobOwner& owner, const std::vector<std::string>& texts) {
  std::vector<Blob> blobs;
  for (const auto& text : texts) {
    auto parsed = parse_json(text);
    auto* object = parsed ? parsed->if_object() : nullptr;
    if (object == nullptr || string_in(*object, "provider") != owner.provider ||
        string_in(*object, "server") != owner.server) {
      continue;
    }
    auto* data = object->if_contains("data");
    if (data == nullptr || !data->is_object()) continue;
    blobs.push_back({std::string(string_in(*object, "kind")), std::move(data->get_object())});
  }
  return blobs;
}

std::string_view string_in(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return {};
  return {value->get_string().data(), value->get_string().size()};
}

std::size_t count_in(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_number()) return 0;
  boost::system::error_code error;
  const auto count = value->to_number<std::uint64_t>(error);
  return error ? 0 : static_cast<std::size_t>(count);
}

}  // namespace braidlog::provider
