#include "tool/schema.h"

#define VALIJSON_USE_EXCEPTIONS 1
#include <algorithm>
#include <exception>
#include <utility>
#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#include <vector>

#include "base/check.h"
#include "tool/schema_fault.h"

namespace braidlog::tool {

namespace {

constexpr std::size_t kFaultsMax = 8;
constexpr int kReferenceChainMax = 16;

// The library names a place as {"<root>", "[items]", "[0]"}; people write it items.0.
std::string place_of(const std::vector<std::string>& context) {
  std::string place;
  for (std::size_t i = 1; i < context.size(); ++i) {
    std::string_view part = context[i];
    if (part.starts_with('[') && part.ends_with(']')) part = part.substr(1, part.size() - 2);
    if (!place.empty()) place += '.';
    place += part;
  }
  return place.empty() ? "arguments" : place;
}

std::string join_lines(const std::vector<std::string>& lines) {
  std::string out;
  for (std::size_t i = 0; i < lines.size() && i < kFaultsMax; ++i) {
    if (i > 0) out += '\n';
    out += lines[i];
  }
  return out;
}

// Where a $ref of this document leads, or null. Percent signs are refused: the library would decode them.
const json::value* target_of(const json::value& document, std::string_view ref) {
  if (!ref.starts_with("#/") || ref.find('%') != std::string_view::npos) return nullptr;
  boost::system::error_code error;
  return document.find_pointer(ref.substr(1), error);
}

const json::string* reference_in(const json::value& node) {
  const auto* object = node.if_object();
  const auto* ref = object == nullptr ? nullptr : object->if_contains("$ref");
  return ref == nullptr ? nullptr : ref->if_string();
}

// True when a chain of references ends at a schema of its own. The library would follow a circle for ever.
bool reference_ends(const json::value& document, const json::value& node) {
  const json::value* at = &node;
  for (int i = 0; i < kReferenceChainMax && at != nullptr; ++i) {
    const auto* ref = reference_in(*at);
    if (ref == nullptr) return true;
    at = target_of(document, *ref);
  }
  return false;
}

// Every reference below `node` stays in this document and ends somewhere.
bool references_are_sound(const json::value& document, const json::value& node) {
  if (!reference_ends(document, node)) return false;
  if (const auto* object = node.if_object()) {
    for (const auto& member : *object) {
      if (!references_are_sound(document, member.value())) return false;
    }
  } else if (const auto* array = node.if_array()) {
    for (const auto& item : *array) {
      if (!references_are_sound(document, item)) return false;
    }
  }
  return true;
}

}  // namespace

namespace {

// Regular expressions of the standard library go one call deeper with each character: a text of some ten thousand ends
// the process.
constexpr std::size_t kMatchedTextMax = 4'096;

bool any_value(const json::value& value, const auto& is_it) {
  if (is_it(value)) return true;
  if (const auto* list = value.if_array()) {
    return std::ranges::any_of(*list, [&](const json::value& item) { return any_value(item, is_it); });
  }
  const auto* object = value.if_object();
  return object != nullptr &&
         std::ranges::any_of(*object, [&](const auto& member) { return any_value(member.value(), is_it); });
}

bool has_expressions(const json::value& schema) {
  return any_value(schema, [](const json::value& part) {
    const auto* object = part.if_object();
    return object != nullptr &&
           (object->contains("pattern") || object->contains("patternProperties") || object->contains("format"));
  });
}

bool has_long_text(const json::value& value) {
  return any_value(value, [](const json::value& part) {
    if (part.is_string()) return part.get_string().size() > kMatchedTextMax;
    const auto* object = part.if_object();
    return object != nullptr &&
           std::ranges::any_of(*object, [](const auto& member) { return member.key().size() > kMatchedTextMax; });
  });
}

}  // namespace

struct Schema::Compiled {
  json::value document;  // kept to explain faults
  valijson::Schema schema;
  bool has_expressions = false;
};

Schema::Schema(std::unique_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<Schema> Schema::compile(std::string_view text) {
  auto document = parse_json(text);
  if (!document) return fail(ErrorCode::kMalformed, "the schema is not JSON");
  if (!document->is_object()) return fail(ErrorCode::kBadField, "the schema is not an object");
  if (!references_are_sound(*document, *document)) {
    return fail(ErrorCode::kBadField, "a $ref of the schema leads outside, nowhere or in a circle");
  }
  auto compiled = std::make_unique<Compiled>();
  compiled->document = std::move(*document);
  compiled->has_expressions = has_expressions(compiled->document);
  try {
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(valijson::adapters::BoostJsonAdapter(compiled->document), compiled->schema);
  } catch (const std::exception& error) {
    return fail(ErrorCode::kBadField, std::string("the schema cannot be used: ") + error.what());
  }
  return Schema(std::move(compiled));
}

Status Schema::check(const json::value& value) const {
  if (compiled_->has_expressions && has_long_text(value)) {
    return fail(ErrorCode::kToolInvalidArguments, "arguments: a text is longer than 4096 bytes");
  }
  try {
    // A validator caches regular expressions as it goes, so it cannot be shared by threads.
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    const valijson::adapters::BoostJsonAdapter target(value);
    if (validator.validate(compiled_->schema, target, nullptr)) return {};

    // The verdict is the library's; the words are ours where we have them.
    std::vector<std::string> faults = find_faults(compiled_->document, value);
    if (faults.empty()) {
      valijson::ValidationResults results;
      validator.validate(compiled_->schema, target, &results);
      for (const auto& error : results) faults.push_back(place_of(error.context) + ": " + error.description);
    }
    return fail(ErrorCode::kToolInvalidArguments, join_lines(faults));
  } catch (const std::exception&) {
    // A regular expression of the schema is broken, or too costly for this value.
    return fail(ErrorCode::kToolInvalidArguments, "arguments: cannot be checked against the tool's schema");
  }
}

namespace {

Schema compile_own(const ToolSpec& spec) {
  auto schema = Schema::compile(spec.parameters_json);
  BRAIDLOG_CHECK(schema.has_value());
  return std::move(*schema);
}

}  // namespace

SchemaTool::SchemaTool(ToolSpec spec) : spec_(std::move(spec)), schema_(compile_own(spec_)) {}

std::string string_argument(const json::value& args, std::string_view name) {
  const auto* object = args.if_object();
  if (object == nullptr) return {};
  const auto* value = object->if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

}  // namespace braidlog::tool
