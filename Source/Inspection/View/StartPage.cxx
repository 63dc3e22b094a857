// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/View/Session.h"

#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Pictures/Drawing.h"

#include <algorithm>
#include <charconv>

namespace brickccl::view
{

namespace fs = std::filesystem;

static std::vector<StartPage::Choice>
ChoicesIn(const fs::path & folder, std::string & problem)
{
  std::vector<StartPage::Choice> choices{ { false, "../", folder.parent_path() },
                                          { true, "(this folder as one scan)", folder } };
  std::error_code                failure;
  for (fs::directory_iterator entry(folder, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure))
  {
    std::error_code   unknown;
    const std::string name = entry->path().filename().string();
    const bool        isFolder = entry->is_directory(unknown);
    const bool        isNamedScan = files::FormatOfName(name) || files::HasExtension(name, files::RawExtensions);
    if (name[0] != '.' && (isFolder || (isNamedScan && entry->is_regular_file(unknown))))
    {
      choices.emplace_back(!isFolder, name + (isFolder ? "/" : ""), entry->path());
    }
  }
  problem = failure ? "cannot read the folder: " + failure.message() : problem;
  const std::string drives = folder.has_root_name() && folder == folder.root_path() ? "CDEFGHIJKLMNOPQRSTUVWXYZ" : "";
  for (const char drive : drives)
  {
    const std::string root = std::string(1, drive) + ":\\";
    if (fs::exists(root, failure))
    {
      choices.emplace_back(false, root, root);
    }
  }
  std::sort(choices.begin(), choices.end());
  return choices;
}

std::string
StartPage::Choose(Server & server, const std::string & token, int linger)
{
  std::mutex mutex;
  // When the request of the page that waits was last asked for.
  std::optional<std::chrono::steady_clock::time_point> lastSign;
  std::string                                          chosen;
  const auto answer = [&](const Request & request) -> std::optional<Response> {
    const std::string                 path = CheckSource(request, token);
    const std::lock_guard<std::mutex> lock(mutex);
    if (path == "presence")
    {
      lastSign = std::chrono::steady_clock::now();
      return {};
    }
    if (path == "start.js")
    {
      return Response{ 200, "text/javascript", "fetch('/" + token + "/presence');" };
    }
    if (path == "start.css")
    {
      return Response{
        200,
        "text/css",
        ":root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; } ul { list-style: none; "
        "padding: 0; columns: 16rem; } main { max-width: 44rem; margin: auto; overflow-wrap: anywhere; }"
      };
    }
    const std::string begin = "open/";
    std::size_t       number = 0;
    if (path.compare(0, begin.size(), begin) == 0)
    {
      std::from_chars(path.data() + begin.size(), path.data() + path.size(), number);
    }
    if (chosen.empty() && number - first < choices.size())
    {
      const auto & [isScan, text, where] = choices[number - first];
      (isScan ? chosen : folder) = where.string();
      problem.clear();
    }
    // Rows of earlier lists have lower numbers, so that a late click opens nothing else.
    first += choices.size();
    choices = ChoicesIn(folder, problem);
    std::string rest = problem.empty() ? "" : "<p role=alert><strong>" + EscapeXml(problem) + "</strong>";
    rest += "<p>" + EscapeXml(folder) + "<ul>";
    for (std::size_t i = 0; i < choices.size(); ++i)
    {
      rest += "<li><a href='/" + token + "/open/" + std::to_string(first + i) + "'>" +
              EscapeXml(std::get<1>(choices[i])) + "</a>";
    }
    if (!chosen.empty())
    {
      rest = "<p>Reading " + EscapeXml(chosen) + " ...<meta http-equiv=refresh content='1;url=/" + token + "/'>";
    }
    return Response{ 200,
                     "text/html; charset=utf-8",
                     "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>BrickCCL</title><script src='/" + token +
                       "/start.js'></script><link rel=stylesheet href='/" + token +
                       "/start.css'><meta name=viewport content='width=device-width'><main><h1>Open a scan</h1>" +
                       rest };
  };
  server.Run(answer, [&] {
    const std::lock_guard<std::mutex> lock(mutex);
    const bool isClosed = lastSign && std::chrono::steady_clock::now() - *lastSign > std::chrono::seconds(linger + 1);
    return chosen.empty() && !isClosed && !WasInterrupted();
  });
  return chosen;
}

} // namespace brickccl::view
