// Texts that are files of the source tree and stand in the binary. The build makes the definitions (embed_texts.py).
#pragma once

#include <string_view>

namespace braidlog {

// The OpenAPI document, as JSON: made of the files of server/openapi.
std::string_view openapi_document();

// The page that shows the document to people, in one piece: made of the files of server/docs_page.
std::string_view docs_page();
// Its Content-Security-Policy: the page's own script and style by their digests, this server, and nothing else.
std::string_view docs_page_policy();

}  // namespace braidlog
