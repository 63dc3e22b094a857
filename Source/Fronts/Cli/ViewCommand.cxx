// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Job/Parameters.h"
#include "BrickCCL/View/Session.h"

#include <iomanip>
#include <random>
#include <regex>
#include <sstream>

namespace brickccl::cli
{

namespace
{

struct ViewArguments : job::Job
{
  std::string labels;
  bool        opensNoBrowser = false;
  int         port = 0;
  int         linger = 60;
  std::string embedIn;
};

/** 128 random bits. */
std::string
MakeToken()
{
  std::random_device random;
  std::ostringstream text;
  for (int i = 0; i < 4; ++i)
  {
    text << std::hex << std::setw(8) << std::setfill('0') << random();
  }
  return text.str();
}

void
RunView(const ViewArguments & arguments, const view::Settings & reading)
{
  Reporter    reporter(arguments.quiet);
  ImageReader reader(arguments, arguments.threads, reporter);
  CheckReading(arguments, { { "SCAN", arguments.input }, { "LABELS", arguments.labels } });
  view::Scene scene;
  scene.scan = reader.Read(arguments.input, false);
  scene.input = arguments.input;
  scene.reading = reading;
  scene.threads = arguments.threads;
  if (!arguments.labels.empty())
  {
    scene.labels = reader.Read(arguments.labels, true);
    scene.labelsName = arguments.labels;
  }
  scene.notes = reader.Notes();
  view::CheckScene(scene);
  reporter.EndSteps();

  const std::string token = MakeToken();
  view::Server      server(arguments.port, arguments.embedIn);
  view::Session     session(scene, token, [&] { server.Wake(); });
  const std::string address = "http://127.0.0.1:" + std::to_string(server.Port()) + "/" + token + "/";
  const bool        isOpen = !arguments.opensNoBrowser && view::OpenBrowser(address);
  std::cout << address << std::endl;
  if (!arguments.quiet)
  {
    std::cerr << (isOpen ? "The page opens in the browser" : "Open this address in a browser on this computer")
              << ". Ctrl-C ends the program." << std::endl;
  }
  server.Run([&](const view::Request & request) { return session.Answer(request); },
             [&] { return !WasInterrupted() && session.SecondsWithoutPage() <= arguments.linger + 1; });
  ThrowIfInterrupted();
}

} // namespace

void
AddViewCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<ViewArguments>();
  CLI::App * command = app.add_subcommand("view", "Choose thresholds in the browser and see at once what is labeled");
  command->add_option("SCAN", arguments->input, std::string("image") + FilesRead)->required();
  command->add_option("LABELS", arguments->labels, "label map to show at first");
  AddOptions(*command, *arguments, std::string(ReadingOptions) + "threads quiet");
  command->add_flag("--no-browser", arguments->opensNoBrowser, "print the address only");
  command->add_option("--port", arguments->port, "port of the address (0: any that is free)")
    ->type_name("N")
    ->check(Count(0, 65535));
  command->add_option("--linger", arguments->linger, "seconds until the program ends after the page is closed")
    ->type_name("SECONDS")
    ->check(Count(0, 86400))
    ->capture_default_str();
  command->add_option("--embed-in", arguments->embedIn, "origin of a page that may show this one in a frame")
    ->type_name("ORIGIN")
    ->check([](const std::string & origin) {
      const bool isGood = std::regex_match(origin, std::regex("https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?"));
      return isGood ? std::string() : "'" + origin + "' is not an origin such as http://localhost:8888";
    });
  command->callback([arguments, command] {
    view::Settings reading;
    for (const std::string & name : job::WordsOf(ReadingOptions))
    {
      const CLI::Option * const option = command->get_option("--" + name);
      if (option->count() > 0)
      {
        reading[name] = option->get_items_expected_max() > 0 ? option->results() : std::vector<std::string>();
      }
    }
    RunView(*arguments, reading);
  });
}

} // namespace brickccl::cli
