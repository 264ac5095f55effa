// The JSON form of events (encoding.h).
#include <type_traits>

#include "event/encoding.h"
#include "event/event_fields.h"
#include "event/event_type.h"

namespace braidlog {

namespace {

class FieldWriter {
 public:
  explicit FieldWriter(JsonWriter& out) : out_(out) {}
  template <class T>
  void operator()(std::string_view name, const T& value) {
    out_.key(name);
    put(value);
  }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      out_.boolean(value);
    } else if constexpr (std::is_enum_v<T>) {
      out_.number(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_integral_v<T>) {
      out_.number(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      out_.string(value);
    } else if constexpr (kIsId<T>) {
      out_.string(to_uuid(value));
    } else if constexpr (kIsOptional<T>) {
      value ? put(*value) : void(out_.null());
    } else if constexpr (kIsVector<T>) {
      out_.begin_array();
      for (const auto& item : value) put(item);
      out_.end_array();
    } else {
      out_.begin_object();
      T::fields(value, *this);
      out_.end_object();
    }
  }
  JsonWriter& out_;
};

// Fields that are absent keep their defaults; a field of the wrong type makes the whole event wrong.
class FieldReader {
 public:
  explicit FieldReader(const json::object& in) : in_(in) {}
  bool ok() const { return ok_; }
  template <class T>
  void operator()(std::string_view name, T& value) {
    if (const json::value* found = in_.if_contains(name)) ok_ = get(*found, value) && ok_;
  }

 private:
  template <class T>
  static bool get(const json::value& in, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (!in.is_bool()) return false;
      value = in.get_bool();
    } else if constexpr (std::is_enum_v<T>) {
      std::uint8_t raw = 0;
      if (!get(in, raw)) return false;
      value = static_cast<T>(raw);
    } else if constexpr (std::is_integral_v<T>) {
      boost::system::error_code error;
      value = in.to_number<T>(error);
      return !error;
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!in.is_string()) return false;
      value = std::string(in.get_string());
    } else if constexpr (kIsId<T>) {
      const auto id = in.is_string() ? T::parse(std::string_view(in.get_string())) : std::nullopt;
      if (!id) return false;
      value = *id;
    } else if constexpr (kIsOptional<T>) {
      if (in.is_null()) return true;
      return get(in, value.emplace());
    } else if constexpr (kIsVector<T>) {
      if (!in.is_array()) return false;
      for (const auto& item : in.get_array()) {
        if (!get(item, value.emplace_back())) return false;
      }
    } else {
      if (!in.is_object()) return false;
      FieldReader reader(in.get_object());
      T::fields(value, reader);
      return reader.ok();
    }
    return true;
  }
  const json::object& in_;
  bool ok_ = true;
};

}  // namespace

std::string event_to_json(const RunEvent& event) {
  std::string out;
  JsonWriter w(out);
  w.begin_object().key("sequence").number(static_cast<std::int64_t>(event.sequence.value));
  w.key("at").number(event.at.ms).key("elapsed_ms").number(event.elapsed_ms);
  w.key("type").string(name_of(type_of(event.body)));
  FieldWriter writer(w);
  std::visit([&](const auto& body) { std::decay_t<decltype(body)>::fields(body, writer); }, event.body);
  w.end_object();
  return out;
}

Result<RunEvent> event_from_json(const json::value& value) {
  const auto bad = fail(ErrorCode::kMalformed, "This is no event");
  if (!value.is_object()) return bad;
  const auto& object = value.get_object();
  RunEvent event;
  std::string type;
  FieldReader reader(object);
  reader("sequence", event.sequence.value);
  reader("at", event.at.ms);
  reader("elapsed_ms", event.elapsed_ms);
  reader("type", type);
  for (std::size_t i = 0; i < kEventTypes.size(); ++i) {
    if (kEventTypes[i].name != type) continue;
    fill_alternative(i, event.body, [&](auto& body) { std::decay_t<decltype(body)>::fields(body, reader); });
    if (reader.ok()) return event;
  }
  return bad;
}

}  // namespace braidlog
