// Arguments, results and errors of tools, made safe to show: a person looks at them in a browser, perhaps with others
// watching. What stands under a name that looks like a secret's is replaced; what is long is cut, and says so.
//
// The words are key, token, secret, password, authorization and cookie, their plurals, and a few that are written
// together (apikey, passwd, …). They count as whole words of a name in snake_case, kebab-case or camelCase, in any
// case: `api_key`, `X-Api-Key` and `accessToken` are meant, `monkey` and `keyboard` are not.
//
// Under such a name a text, a list and an object become "[REDACTED]", whatever is in them, and so does a number, which
// may be a PIN. A number stays where the name counts something (`tokens_used`, `max_tokens`, `key_count`), and true,
// false and null always stay: they tell nothing. Text that is itself a JSON document (many tools answer so) is looked
// into as well.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace braidlog::conversation {

enum class SecretName {
  kNone,
  kOne,    // `token`: every value is hidden
  kCount,  // `tokens_used`: numbers are harmless
};
SecretName secret_name(std::string_view name);

// Appends the JSON document `document` with its secrets redacted. A string is cut at `bytes_max` bytes; when about that
// many were written, the rest of the lists and objects is left out, with a mark that counts what is missing. What nests
// deeper than 16 levels is not shown.
void append_safe_json(std::string& out, std::string_view document, std::size_t bytes_max);

// Appends `text` as a JSON string, by the same rules.
void append_safe_text(std::string& out, std::string_view text, std::size_t bytes_max);

}  // namespace braidlog::conversation
