// The general client: libcurl's multi interface on an io thread. It speaks TLS, HTTP/2 and through proxies, and judges
// the addresses of requests with rules. What needs none of these goes to PlainClient, which is cheaper.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>

#include "base/limits.h"
#include "base/result.h"
#include "net/http_client.h"

namespace braidlog {

// kUnavailable: no descriptors left. libcurl was set up for the process, and stays so for as long as there are clients.
Result<std::unique_ptr<HttpClient>> make_curl_client(boost::asio::io_context& context, const Limits& limits,
                                                     std::size_t connections_max);

}  // namespace braidlog
