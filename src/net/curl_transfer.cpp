#include "net/curl_transfer.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/release_memory.h"
#include "base/version.h"

namespace braidlog {

namespace {

// What one read of a socket may bring. libcurl allocates one for every call under way, and polls before it reads on
// when a read filled it: in bursts a small one costs two system calls per dozen tokens. A large one costs no memory
// where tokens come one by one: only its first page is ever touched.
constexpr long kReadBufferBytes = 64 * 1024;
// The smallest that libcurl takes; it is allocated only where a body does not leave with its head.
constexpr long kUploadBufferBytes = 16 * 1024;

void append_header(curl_slist*& list, const std::string& line) {
  list = curl_slist_append(list, line.c_str());
  BRAIDLOG_CHECK(list != nullptr);
}

// The address in the form in which it is judged. None for anything that is not the internet's.
std::optional<IpAddress> address_of(const curl_sockaddr& address) {
  if (address.family == AF_INET) {
    sockaddr_in v4{};
    if (address.addrlen < sizeof v4) return std::nullopt;
    std::memcpy(&v4, &address.addr, sizeof v4);
    IpAddress out = IpAddress::parse("0.0.0.0").value();
    std::memcpy(&out.bytes[out.bytes.size() - sizeof v4.sin_addr], &v4.sin_addr, sizeof v4.sin_addr);
    return out;
  }
  sockaddr_in6 v6{};
  if (address.family != AF_INET6 || address.addrlen < sizeof v6) return std::nullopt;
  // libcurl declares room for the smaller kind only; what it hands over is as long as it says.
  std::memcpy(static_cast<void*>(&v6), static_cast<const void*>(&address.addr), sizeof v6);
  IpAddress out;
  std::memcpy(out.bytes.data(), &v6.sin6_addr, out.bytes.size());
  return out;
}

}  // namespace

CurlTransfer::CurlTransfer(OutgoingRequest request, HttpCallSink& sink, const Limits& limits)
    : easy_(curl_easy_init()), body_(std::move(request.body)), sink_(&sink), rules_(std::move(request.rules)) {
  BRAIDLOG_CHECK(easy_ != nullptr);
  set_up(request, limits);
}

CurlTransfer::~CurlTransfer() {
  curl_easy_cleanup(easy_);
  curl_slist_free_all(headers_);
}

void CurlTransfer::set_up(const OutgoingRequest& request, const Limits& limits) {
  curl_easy_setopt(easy_, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy_, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  // A name that does not resolve is looked up by a thread of libcurl's; whoever ends the call does not wait for it.
  curl_easy_setopt(easy_, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);  // signals are the main thread's alone
  curl_easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.upstream_connect_timeout.count()));
  curl_easy_setopt(easy_, CURLOPT_BUFFERSIZE, kReadBufferBytes);
  curl_easy_setopt(easy_, CURLOPT_UPLOAD_BUFFERSIZE, kUploadBufferBytes);
  // Over TLS HTTP/2 may be agreed on. Without TLS it may not: libcurl 7.88 breaks connections that it uses again.
  curl_easy_setopt(easy_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  curl_easy_setopt(easy_, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);  // a proxy's own answer is not the upstream's
  curl_easy_setopt(easy_, CURLOPT_USERAGENT, ("braidlog/" + std::string(kVersion)).c_str());
  curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
  curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &CurlTransfer::on_write);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);

  if (request.method != Method::kGet) {
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, body_.data());
    curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, std::string(name_of(request.method)).c_str());
  }
  set_up_headers(request);
  if (rules_ != nullptr) guard();
}

void CurlTransfer::set_up_headers(const OutgoingRequest& request) {
  bool has_type = false;
  for (const auto& header : request.headers) {
    append_header(headers_, header.name + ": " + header.value);
    has_type |= equals_ignoring_case(header.name, "Content-Type");
  }
  // These libcurl would add by itself: a body is no form, and a large one does not wait for leave to be sent.
  if (!has_type) append_header(headers_, "Content-Type:");
  append_header(headers_, "Expect:");
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, headers_);
}

// An address can be judged only where this process itself connects to it, and for this request: not behind a proxy, and
// not on a connection that was made for a request without rules.
void CurlTransfer::guard() {
  curl_easy_setopt(easy_, CURLOPT_PROXY, "");
  curl_easy_setopt(easy_, CURLOPT_FRESH_CONNECT, 1L);
  curl_easy_setopt(easy_, CURLOPT_FORBID_REUSE, 1L);
  curl_easy_setopt(easy_, CURLOPT_OPENSOCKETFUNCTION, &CurlTransfer::on_open_socket);
  curl_easy_setopt(easy_, CURLOPT_OPENSOCKETDATA, this);
}

// libcurl asks for each address that it is about to connect to. What it is refused it takes for a host that cannot be
// reached, and tries the next one of the name.
curl_socket_t CurlTransfer::open_guarded(const curl_sockaddr& address) {
  const auto judged = address_of(address);
  const bool is_allowed = judged && rules_->allows(*judged);
  (is_allowed ? was_address_allowed_ : was_address_refused_) = true;
  if (!is_allowed) return CURL_SOCKET_BAD;
  return ::socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
}

CurlTransfer* CurlTransfer::of(CURL* handle) {
  char* transfer = nullptr;
  curl_easy_getinfo(handle, CURLINFO_PRIVATE, &transfer);
  return reinterpret_cast<CurlTransfer*>(transfer);
}

int CurlTransfer::status() const {
  long status = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

std::string_view CurlTransfer::header(const char* name) const {
  curl_header* found = nullptr;
  if (curl_easy_header(easy_, name, 0, CURLH_HEADER, -1, &found) != CURLHE_OK) return {};
  if (found->amount > 1) curl_easy_header(easy_, name, found->amount - 1, CURLH_HEADER, -1, &found);
  return found->value;
}

bool CurlTransfer::take_header(std::string_view line) {
  if (is_silenced()) return false;
  // Only the end of a head matters; what comes after the body are trailers.
  if (head_is_complete_ || (line != "\r\n" && line != "\n")) return true;
  if (status() < 200) return true;  // 1xx: another head follows
  head_is_complete_ = true;
  sink_->on_head(*this);
  return !is_silenced();
}

bool CurlTransfer::take_bytes(std::string_view bytes) {
  if (is_silenced()) return false;
  drop_sent_body();
  sink_->on_bytes(bytes);
  return !is_silenced();
}

// A long conversation is not to be kept for as long as the answer takes. What the peer has not yet taken stays.
void CurlTransfer::drop_sent_body() {
  if (body_.empty()) return;
  curl_off_t sent = 0;
  curl_easy_getinfo(easy_, CURLINFO_SIZE_UPLOAD_T, &sent);
  if (static_cast<std::size_t>(sent) >= body_.size()) release_memory(body_);
}

void CurlTransfer::report(CURLcode code) {
  if (HttpCallSink* sink = std::exchange(sink_, nullptr)) sink->on_done(end_of(code));
}

CallEnd CurlTransfer::end_of(CURLcode code) const {
  // libcurl finds nothing wrong with a response that ends inside its head.
  if (code == CURLE_OK) return head_is_complete_ ? CallEnd::kComplete : CallEnd::kCut;
  if (head_is_complete_) return CallEnd::kCut;
  if (was_address_refused_ && !was_address_allowed_) return CallEnd::kRefused;
  // No other time is limited.
  if (code == CURLE_OPERATION_TIMEDOUT) return CallEnd::kConnectTimeout;
  curl_off_t ready_us = 0;  // when the request could be sent: connected, TLS agreed on
  curl_easy_getinfo(easy_, CURLINFO_PRETRANSFER_TIME_T, &ready_us);
  return ready_us == 0 ? CallEnd::kNotReached : CallEnd::kCut;
}

std::size_t CurlTransfer::on_header(char* data, std::size_t size, std::size_t count, void* self) {
  return static_cast<CurlTransfer*>(self)->take_header({data, size * count}) ? size * count : 0;
}

std::size_t CurlTransfer::on_write(char* data, std::size_t size, std::size_t count, void* self) {
  return static_cast<CurlTransfer*>(self)->take_bytes({data, size * count}) ? size * count : 0;
}

curl_socket_t CurlTransfer::on_open_socket(void* self, curlsocktype, curl_sockaddr* address) {
  return static_cast<CurlTransfer*>(self)->open_guarded(*address);
}

}  // namespace braidlog
