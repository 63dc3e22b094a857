// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Files/Isolation/Program.h"
#include "BrickCCL/Report/Report.h"

#include <filesystem>

namespace brickccl::report
{

namespace fs = std::filesystem;

std::string
FindBrowser()
{
  for (const char * const name :
       { "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge" })
  {
    if (std::string path = FindProgram(name); !path.empty())
    {
      return path;
    }
  }
  throw Error(
    "--pdf needs Chromium or Google Chrome (on Windows chrome or msedge), and neither is in PATH; install one, or "
    "print report.html from a browser");
}

std::string
WritePdf(const std::string & folder)
{
  const std::string browser = FindBrowser();
  const fs::path    place = fs::absolute(folder);
  std::string       path = (fs::path(folder) / "report.pdf").string();
  const std::string profile = (place / ".report-browser").string();
  ReplaceFile(path, [&](const std::string & temporary) {
    // Chromium has no sandbox for root. This program wrote the page, which loads nothing.
    const ProgramEnd end = RunProgram({ browser,
                                        "--headless",
                                        "--no-sandbox",
                                        "--disable-gpu",
                                        "--disable-dev-shm-usage",
                                        "--no-pdf-header-footer",
                                        "--user-data-dir=" + profile,
                                        "--print-to-pdf=" + fs::absolute(temporary).string(),
                                        (place / "report.html").string() });
    std::error_code  ignored;
    fs::remove_all(profile, ignored);
    ThrowIf(end.exitCode != 0 || !fs::is_regular_file(temporary, ignored) || fs::file_size(temporary, ignored) == 0,
            "cannot write " + Quoted(path) + ": " + Quoted(browser) +
              " did not print the report; print "
              "report.html from a browser");
  });
  return path;
}

} // namespace brickccl::report
