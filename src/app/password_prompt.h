// Asks for a password: twice and without an echo where a person sits at a terminal, else as one line of standard input.
#pragma once

#include <string>

#include "base/result.h"

namespace braidlog::app {

// kBadField with one line for people: no password, two that differ, one that cannot be a password.
Result<std::string> read_new_password(const std::string& user_name);

}  // namespace braidlog::app
