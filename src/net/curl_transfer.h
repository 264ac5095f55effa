// One request of a CurlClient and its libcurl handle. Runs on: the io thread of its client.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

#include "base/limits.h"
#include "net/http_client.h"

namespace braidlog {

class CurlTransfer final : private ResponseHead {
 public:
  CurlTransfer(OutgoingRequest request, HttpCallSink& sink, const Limits& limits);
  ~CurlTransfer() override;
  CurlTransfer(const CurlTransfer&) = delete;

  CURL* handle() { return easy_; }
  static CurlTransfer* of(CURL* handle);

  // Nothing reaches the sink from here on, and libcurl is told to give up with the next byte.
  void silence() { sink_ = nullptr; }
  bool is_silenced() const { return sink_ == nullptr; }
  // Tells the sink how it ended.
  void report(CURLcode code);

 private:
  int status() const override;
  std::string_view header(const char* name) const override;

  void set_up(const OutgoingRequest& request, const Limits& limits);
  void set_up_headers(const OutgoingRequest& request);
  void guard();
  curl_socket_t open_guarded(const curl_sockaddr& address);
  bool take_header(std::string_view line);
  bool take_bytes(std::string_view bytes);
  void drop_sent_body();
  CallEnd end_of(CURLcode code) const;

  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_write(char* data, std::size_t size, std::size_t count, void* self);
  static curl_socket_t on_open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);

  CURL* easy_;
  curl_slist* headers_ = nullptr;
  std::string body_;  // libcurl reads it from here
  HttpCallSink* sink_;
  bool head_is_complete_ = false;
  OutboundRulesPtr rules_;  // null: any address
  // What the rules said of the addresses that a name has, as far as they were tried.
  bool was_address_allowed_ = false, was_address_refused_ = false;
};

}  // namespace braidlog
