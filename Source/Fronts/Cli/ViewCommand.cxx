// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/RecipeValues.h"
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Job/Parameters.h"
#include "BrickCCL/View/Session.h"

#include <filesystem>
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
  std::string recipe;
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
LoadScene(ViewArguments & arguments,
          batch::Recipe   recipe,
          ResolvedDevice  device,
          Reporter &      reporter,
          view::Scene &   scene)
{
  if (!arguments.recipe.empty())
  {
    recipe.series = arguments.series;
    scene.settings = view::SettingsOf(recipe, scene.notes);
    static_cast<job::Reading &>(arguments) = recipe;
  }
  ImageReader reader(arguments, arguments.threads, reporter);
  CheckReading(arguments, { { "SCAN", arguments.input }, { "LABELS", arguments.labels } });
  scene.scan = reader.Read(arguments.input, false);
  scene.input = arguments.input;
  scene.reading = view::ReadingOf(arguments);
  scene.threads = arguments.threads;
  if (!arguments.labels.empty())
  {
    scene.labels = reader.Read(arguments.labels, true);
    scene.labelsName = arguments.labels;
  }
  try
  {
    scene.onDevice = ImageOnDevice::Keep(scene.scan.View(), device.device, { arguments.threads });
  }
  catch (const cuda::DeviceError & error)
  {
    device.remark = std::string(error.what()) + "; the CPU is used";
  }
  device.remark.empty() ? void() : reader.Note(device.remark);
  scene.notes.insert(scene.notes.end(), reader.Notes().begin(), reader.Notes().end());
  view::CheckScene(scene);
  if (const auto misfit = FindMisfit(recipe, scene.scan.extent))
  {
    throw InvalidArgument(misfit->text);
  }
  reporter.EndSteps();
}

void
RunView(ViewArguments arguments)
{
  Reporter             reporter(arguments.quiet);
  const ResolvedDevice device = ResolveDevice(Device::FromName(arguments.device));
  ThrowIf<InvalidArgument>(!device.device.others.empty(),
                           "--device: `brickccl view` uses one device; choose cuda or cuda:N, not " +
                             Quoted(arguments.device));
  const bool  isGiven = !arguments.input.empty();
  const auto  recipe = arguments.recipe.empty() ? batch::Recipe() : batch::ReadRecipe(arguments.recipe);
  view::Scene scene;
  if (isGiven)
  {
    LoadScene(arguments, recipe, device, reporter, scene);
  }
  else if (!device.remark.empty())
  {
    reporter.Note("note: " + device.remark);
  }

  const std::string token = MakeToken();
  view::Server      server(arguments.port, arguments.embedIn);
  const std::string address = "http://127.0.0.1:" + std::to_string(server.Port()) + "/" + token + "/";
  const bool        isOpen = !arguments.opensNoBrowser && view::OpenBrowser(address);
  std::cout << address << std::endl;
  if (!arguments.quiet)
  {
    std::cerr << (isOpen ? "The page opens in the browser" : "Open this address in a browser on this computer")
              << ". Ctrl-C ends the program." << std::endl;
  }
  view::StartPage start{ std::filesystem::current_path().string() };
  for (bool isLoaded = isGiven; !isLoaded;)
  {
    arguments.input = start.Choose(server, token, arguments.linger);
    ThrowIfInterrupted();
    if (arguments.input.empty())
    {
      return;
    }
    try
    {
      scene = {};
      LoadScene(arguments, recipe, device, reporter, scene);
      isLoaded = true;
    }
    catch (const Error & error)
    {
      start.problem = error.what();
    }
  }
  view::Session session(scene, token, [&] { server.Wake(); });
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
  command->add_option("SCAN",
                      arguments->input,
                      std::string("image") + FilesRead + " Without it, the page lists scans.");
  command->add_option("LABELS", arguments->labels, "label map to show at first");
  AddOptions(*command, *arguments, std::string(ReadingOptions) + "downsample device threads quiet");
  command->add_option("--recipe", arguments->recipe, "begin with the settings of a recipe of `brickccl batch`")
    ->type_name("FILE");
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
  command->callback([arguments] { RunView(*arguments); });
}

} // namespace brickccl::cli
