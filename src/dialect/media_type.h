// The media type of a file, guessed from its name, for people's own files that are handed back to a browser.
// Only types that a browser cannot run are named: HTML, SVG, XML and scripts are plain bytes.
#pragma once

#include <string>
#include <string_view>

namespace braidlog {

std::string_view media_type_of(std::string_view path);

// The value of Content-Disposition that makes a browser save the file under the last part of `path`. The name
// cannot leave its quotes or the header, whatever it holds.
std::string attachment_disposition(std::string_view path);

}  // namespace braidlog
