// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/View/Http.h"

#include "BrickCCL/Core/NearestName.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>

namespace brickccl::view
{

constexpr std::size_t MaximumHead = 16384;
constexpr std::size_t MaximumBody = 65536;

static void
RefuseIf(bool condition, int status, const char * why)
{
  if (condition)
  {
    throw Refusal(status, why);
  }
}

/** "GET /path?name=value&name=value HTTP/1.1" */
static void
ReadFirstLine(const std::string & line, Request & request)
{
  std::istringstream words(line);
  std::string        target;
  std::string        version;
  std::getline(std::getline(std::getline(words, request.method, ' '), target, ' '), version);
  RefuseIf(request.method != "GET" && request.method != "POST", 405, "GET and POST are accepted");
  RefuseIf(target.empty() || target.front() != '/' || version != "HTTP/1.1",
           400,
           "a request must begin with a method, a path and HTTP/1.1");
  std::istringstream parts(target);
  std::getline(parts, request.path, '?');
  for (std::string name, value; std::getline(parts, name, '=') && std::getline(parts, value, '&');)
  {
    request.parameters[name] = value;
  }
}

static void
ReadHeader(const std::string & line, Request & request)
{
  const std::size_t colon = line.find(':');
  const std::string name = InSmallLetters(line.substr(0, std::min(colon, line.size())));
  const std::size_t begin = std::min(line.find_first_not_of(' ', std::min(colon, line.size()) + 1), line.size());
  const std::size_t end = std::max(begin, line.find_last_not_of(' ') + 1);
  RefuseIf(colon == std::string::npos || name.empty() || name.find(' ') != std::string::npos ||
             !request.headers.emplace(name, line.substr(begin, end - begin)).second,
           400,
           "a header must be a name, a colon and a value, each name once");
}

static std::size_t
LengthOfBody(const Request & request)
{
  const auto        length = request.headers.find("content-length");
  const std::string text = length == request.headers.end() ? "0" : length->second;
  RefuseIf(request.headers.count("transfer-encoding") > 0 || text.empty() ||
             text.find_first_not_of("0123456789") != std::string::npos,
           400,
           "a body needs its length in bytes");
  constexpr std::size_t digits = 9;
  RefuseIf(text.size() > digits || std::stoul(text) > MaximumBody, 413, "the body is too long");
  return std::stoul(text);
}

std::optional<Request>
ReadRequest(const std::string & bytes)
{
  const std::size_t end = bytes.find("\r\n\r\n");
  RefuseIf(std::min(end, bytes.size()) > MaximumHead, 431, "the headers are too long");
  if (end == std::string::npos)
  {
    return {};
  }
  Request request;
  for (std::size_t begin = 0; begin < end + 2; begin = bytes.find("\r\n", begin) + 2)
  {
    const std::string line = bytes.substr(begin, bytes.find("\r\n", begin) - begin);
    RefuseIf(std::any_of(line.begin(), line.end(), [](unsigned char letter) { return std::iscntrl(letter) != 0; }),
             400,
             "lines must end in CR LF and have no control characters");
    begin == 0 ? ReadFirstLine(line, request) : ReadHeader(line, request);
  }
  const std::size_t length = LengthOfBody(request);
  if (bytes.size() < end + 4 + length)
  {
    return {};
  }
  request.body = bytes.substr(end + 4, length);
  return request;
}

std::string
CheckSource(const Request & request, const std::string & token)
{
  static const std::regex loopback("(127\\.0\\.0\\.1|localhost|\\[::1\\])(:[0-9]{1,5})?");
  const auto              host = request.headers.find("host");
  const auto              origin = request.headers.find("origin");
  RefuseIf(host == request.headers.end() || !std::regex_match(host->second.substr(0, 32), loopback),
           403,
           "the host must be a loopback name");
  RefuseIf(origin != request.headers.end() && origin->second != "http://" + host->second,
           403,
           "the origin must be this page");
  // The time that this takes does not depend on how many letters are right.
  const std::string begin = "/" + token + "/";
  std::string       given = request.path.substr(0, begin.size());
  given.resize(begin.size(), ' ');
  int differences = 0;
  for (std::size_t i = 0; i < begin.size(); ++i)
  {
    differences |= begin[i] ^ given[i];
  }
  RefuseIf(differences != 0, 403, "the address needs the token that `brickccl view` printed");
  return request.path.substr(begin.size());
}

} // namespace brickccl::view
