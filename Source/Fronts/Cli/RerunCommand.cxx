// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/FileHash.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/NeighborOptions.h"
#include "BrickCCL/Cli/RunApp.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Files/Disk/TemporaryFolder.h"
#include "BrickCCL/Files/Isolation/Program.h"
#include "BrickCCL/Host/System.h"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <sstream>

namespace brickccl::cli
{

namespace
{

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char * FolderVariable = "BRICKCCL_RERUN_FOLDER";
constexpr const char * RecordName = "record.json";

void
Rerun(const std::string & path)
{
  try
  {
    const Json      record = Json::parse(batch::ReadText(path));
    std::error_code failure;
    fs::current_path(record.at("folder").get<std::string>(), failure);
    std::cerr << (failure ? "note: the \"folder\" of the record is missing; files are looked for in this one\n" : "");
    for (const Json & input : record.at("inputs"))
    {
      const std::string file = input.at("path");
      ThrowIf(batch::DescribeFile(file, file).at("sha256") != input.at("sha256"),
              "the input " + Quoted(file) + " has changed since the record was written: its SHA-256 was " +
                input.at("sha256").get<std::string>());
    }
    if (const std::string version = record.at("brickccl"); version != Version)
    {
      std::cerr << "note: the record is of version " << Printable(version) << ", and this is " << Version << std::endl;
    }
    std::vector<std::string> command = record.at("command");
    ThrowIf(command.empty() || (command[0] != "label" && command[0] != "batch"),
            "the command of the record is neither label nor batch");
    command.insert(command.begin(), ProgramPath());
    const TemporaryFolder folder(fs::temp_directory_path());
#ifdef _WIN32
    _putenv_s(FolderVariable, folder.Path().string().c_str());
#else
    ::setenv(FolderVariable, folder.Path().c_str(), 1);
#endif
    // Items of a batch may have errors, as before.
    const ProgramEnd end = RunProgram(command);
    if (end.exitCode != 0 && end.exitCode != 3)
    {
      const std::size_t at = end.errors.rfind("error: ");
      throw Error("the command of the record fails now: " + end.errors.substr(at == std::string::npos ? 0 : at + 7));
    }
    ThrowIf(!fs::exists(folder.Path() / RecordName), "the command of the record writes nothing to compare");
    const Json again = Json::parse(batch::ReadText((folder.Path() / RecordName).string()));
    for (const std::string files : { "input", "output" })
    {
      const std::size_t before = record.at(files + "s").size();
      const std::size_t now = again.at(files + "s").size();
      ThrowIf(before != now, "the record has " + Counted(before, files) + ", and its command " + std::to_string(now));
    }
    const std::size_t count = record["outputs"].size();
    std::size_t       different = 0;
    for (std::size_t i = 0; i < count; ++i)
    {
      const Json & output = record["outputs"][i];
      const Json & now = again["outputs"][i];
      const bool   isSame = output.at("sha256") == now.at("sha256");
      const auto   name = output.at("path").get<std::string>();
      ThrowIf(fs::path(name).filename() != fs::path(now.at("path").get<std::string>()).filename(),
              "the record names the output " + Quoted(name) + ", which its command does not write");
      different += isSame ? 0 : 1;
      std::cout << (isSame ? "same       " : "different  ") << Printable(name) << '\n';
    }
    std::cout << count - different << " of " << Counted(count, "output") << (count - different == 1 ? " has" : " have")
              << " the same bytes" << std::endl;
    if (different > 0)
    {
      throw CLI::RuntimeError(1);
    }
  }
  catch (const Json::exception &)
  {
    throw Error(Quoted(path) + " is not a record of a run; `brickccl label --record FILE` and `brickccl batch` (" +
                "record.json in its folder) write records");
  }
}

} // namespace

void
RedirectForRerun(const std::vector<std::string *> & outputs, std::string & record)
{
  const char * const folder = std::getenv(FolderVariable);
  for (std::size_t i = 0; folder != nullptr && i < outputs.size(); ++i)
  {
    const fs::path own = fs::path(folder) / std::to_string(i);
    fs::create_directories(own);
    *outputs[i] = outputs[i]->empty() ? "" : (own / fs::path(*outputs[i]).filename()).string();
  }
  record = folder != nullptr ? (fs::path(folder) / RecordName).string() : record;
}

void
WriteRecord(const std::string & path, const Json & inputs, const Json & outputs)
{
  const auto [user, computer] = UserAndComputer();
  const std::time_t  now = std::time(nullptr);
  std::ostringstream date;
  date << std::put_time(std::gmtime(&now), "%Y-%m-%dT%H:%M:%SZ");
  Json record;
  record["brickccl"] = Version;
  record["command"] = CalledArguments;
  record["folder"] = fs::current_path().string();
  record["computer"] = computer;
  record["user"] = user;
  record["date"] = date.str();
  const CLI::App &   command = *CalledApp->get_subcommands().front();
  std::istringstream lines(command.config_to_str(true));
  for (std::string line; std::getline(lines, line);)
  {
    // The text of an option without a value is not a default.
    const CLI::Option * const option = command.get_option_no_throw("--" + line.substr(0, line.find('=')));
    if (option == nullptr || option->count() > 0 || option->get_expected_min() > 0 || option->get_expected_max() == 0)
    {
      record["options"].push_back(line);
    }
  }
  record["inputs"] = inputs;
  record["outputs"] = outputs;
  ReplaceTextFile(path, [&](std::ostream & stream) { stream << JsonText(record) << '\n'; });
}

Json
DescribeFiles(const std::vector<std::string> & names, const std::string & folder)
{
  Json all = Json::array();
  for (const std::string & name : names)
  {
    const fs::path path = fs::path(folder) / name;
    if (std::error_code failure; fs::is_regular_file(path, failure))
    {
      all.push_back(batch::DescribeFile(path.string(), name));
    }
  }
  return all;
}

FrontEnd
RecordingFrontEnd()
{
  FrontEnd frontEnd;
  frontEnd.redirect = RedirectForRerun;
  frontEnd.record = [](const job::Job & job, std::vector<std::string> inputs, const NamedFiles & outputs) {
    inputs.insert(inputs.end(), { job.names, NeighborhoodFile(job), job.seeds });
    std::vector<std::string> written;
    for (const auto & [name, file] : outputs)
    {
      const auto files = file.empty() || name == "--record" ? std::vector<std::string>() : WrittenFiles(file);
      written.insert(written.end(), files.begin(), files.end());
    }
    WriteRecord(job.record, DescribeFiles(inputs), DescribeFiles(written));
  };
  return frontEnd;
}

void
AddRerunCommand(CLI::App & app)
{
  auto       path = std::make_shared<std::string>();
  CLI::App * command = app.add_subcommand("rerun", "Run the command of a record again, and compare its outputs");
  command->add_option("RECORD", *path, "written by `brickccl label --record` or `brickccl batch` (record.json)")
    ->required();
  command->callback([path] { Rerun(*path); });
}

} // namespace brickccl::cli
