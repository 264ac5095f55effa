// The texts that the offline model can write into a file.
#pragma once

#include <string>
#include <string_view>

namespace braidlog::provider {

// `wish` is what the user asked for, such as "a haiku about rivers"; `name` the file it goes to.
std::string compose_file_text(std::string_view wish, std::string_view name);

}  // namespace braidlog::provider
