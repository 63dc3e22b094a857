// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/RunBatch.h"

#include "BrickCCL/Batch/ItemTexts.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Isolation/EndAtInterrupt.h"
#include "BrickCCL/Host/System.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <new>

namespace brickccl::batch
{

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace
{

enum ExitCode
{
  ItemDone = 0,
  ItemFailed = 3,
  DiskFailed = 4,
  ItemCanceled = 5
};

constexpr const char * ErrorFile = "error.txt";
constexpr const char * StreamFile = "stderr.txt";

int
WorkOnItem(const BatchItem & item, const Recipe & recipe, const ProcessOptions & options, const std::string & folder)
{
  std::string error;
  int         code = ItemFailed;
  try
  {
    ProcessItem(item.name, item.found, recipe, options, folder);
    return ItemDone;
  }
  catch (const Canceled &)
  {
    return ItemCanceled;
  }
  catch (const WriteError & failure)
  {
    error = failure.what();
    code = DiskFailed;
  }
  catch (const std::bad_alloc &)
  {
    error = "not enough memory for this item; lower --jobs, or label it with `brickccl label --memory`";
  }
  catch (const std::exception & failure)
  {
    error = failure.what();
  }
  std::ofstream(fs::path(folder) / ErrorFile, std::ios::binary) << error;
  return code;
}

std::string
TextIfThere(const std::string & path)
{
  try
  {
    return ReadText(path);
  }
  catch (const Error &)
  {
    return "";
  }
}

class BatchRun
{
public:
  BatchRun(const std::vector<BatchItem> & items,
           const Recipe &                 recipe,
           const std::string &            folder,
           const BatchOptions &           options)
    : m_Items(items)
    , m_Recipe(recipe)
    , m_Options(options)
    , m_Folder(folder, recipe, options.resume)
    , m_Outcomes(items.size())
    , m_Process(options.process)
    , m_Children(
        { [this](std::size_t index) { return WorkOnItem(m_Items[index], m_Recipe, m_Process, FolderOf(index)); },
          [this](std::size_t index) { return (fs::path(FolderOf(index)) / StreamFile).string(); } })
  {}

  BatchResult
  Run()
  {
    m_Folder.CheckItems(m_Items);
    m_Folder.Log("begin: recipe '" + m_Recipe.name + "', " + Counted(m_Items.size(), "item"));
    KeepFinished();
    try
    {
      WorkOnAll();
    }
    catch (const Error & error)
    {
      StopAll();
      try
      {
        m_Folder.Log(std::string("stopped: ") + error.what());
      }
      catch (const Error &)
      {
        // The disk that stopped the batch may have no room for this line.
      }
      throw;
    }
    m_Folder.WriteTables(m_Items, m_Outcomes);
    m_Folder.Log(m_Result.wasInterrupted ? "interrupted" : "end");
    Count();
    return m_Result;
  }

private:
  void
  KeepFinished()
  {
    for (std::size_t i = 0; i < m_Items.size(); ++i)
    {
      std::string reason;
      auto        outcome = m_Folder.FinishedItem(m_Items[i], reason);
      if (outcome && m_Options.process.drawsForReport && m_Recipe.pictures && !outcome->summary.contains(ReportKey))
      {
        outcome.reset();
        reason = "it has no pictures for the report";
      }
      if (outcome)
      {
        m_Outcomes[i] = std::move(*outcome);
        ++m_Result.kept;
        ++m_Done;
      }
      else
      {
        m_Waiting.push_back(i);
      }
      if (!reason.empty())
      {
        Tell(m_Items[i].name + ": " + reason + "; it is processed again");
      }
    }
    if (m_Folder.RemoveStale(m_Items, m_Outcomes) && !m_Options.writesReport)
    {
      Tell("note: report.html was outdated and is removed; write it again with --report");
    }
    if (m_Result.kept > 0)
    {
      Tell(Counted(m_Result.kept, "item") + (m_Result.kept == 1 ? " is" : " are") + " finished already");
    }
  }

  void
  WorkOnAll()
  {
    // Items end by themselves; this process waits for them, and writes what is finished.
    ExpectEndWithin(std::chrono::seconds(10));
    const int  processors = ProcessorCount();
    const int  jobs = !ChildProcesses::AreProcesses ? 1 : m_Options.jobs > 0 ? m_Options.jobs : processors;
    const auto maximum =
      std::min<std::size_t>(static_cast<std::size_t>(jobs), std::max<std::size_t>(1, m_Waiting.size()));
    m_Process.threads = std::max(1, processors / static_cast<int>(maximum));
    const auto startNext = [&] {
      m_Folder.BeginItem(m_Items[m_Waiting.front()]);
      m_Children.Start(m_Waiting.front());
      m_Waiting.pop_front();
    };
    while (!m_Waiting.empty() || m_Children.Count() > 0)
    {
      if (WasInterrupted())
      {
        StopAll();
        m_Result.wasInterrupted = true;
        return;
      }
      if (!m_Waiting.empty() && m_Children.Count() < maximum)
      {
        startNext();
        continue;
      }
      // These finished items wait for the disk; the next ones need not, unless it is full.
      const std::vector<ChildProcesses::Ended> ended = m_Children.WaitForSome();
      const bool isToStop = WasInterrupted() || std::any_of(ended.begin(), ended.end(), [](const auto & item) {
                              return item.end.IsExit(DiskFailed);
                            });
      try
      {
        for (std::size_t i = 0; i < ended.size() && !m_Waiting.empty() && !isToStop; ++i)
        {
          startNext();
        }
      }
      catch (const Error &)
      {
        TakeEnds(ended);
        throw;
      }
      TakeEnds(ended);
    }
  }

  /** Where the files of an item lie while it is worked on. */
  std::string
  FolderOf(std::size_t index) const
  {
    return m_Folder.PathOf(".batch/unfinished/" + m_Items[index].folder);
  }

  void
  TakeEnds(const std::vector<ChildProcesses::Ended> & ended)
  {
    std::vector<const BatchItem *> done;
    for (const auto & [index, end] : ended)
    {
      if (end.IsExit(ItemDone))
      {
        m_Outcomes[index] = m_Folder.UnfinishedItem(m_Items[index]);
        fs::remove(fs::path(FolderOf(index)) / StreamFile);
        done.push_back(&m_Items[index]);
      }
    }
    m_Folder.FinishItems(done);
    for (auto item = ended.begin(); item != ended.end(); ++item)
    {
      try
      {
        TakeEnd(item->key, item->end);
      }
      catch (const Error &)
      {
        // Others that ended meanwhile without results leave nothing either.
        for (++item; item != ended.end(); ++item)
        {
          if (!item->end.IsExit(ItemDone))
          {
            m_Folder.DropItem(m_Items[item->key]);
          }
        }
        throw;
      }
    }
  }

  void
  TakeEnd(std::size_t index, const ChildEnd & end)
  {
    const BatchItem & item = m_Items[index];
    const fs::path    folder = FolderOf(index);
    const auto        own = [&](const char * file) { return (folder / file).string(); };
    if (end.IsExit(ItemDone))
    {
      TakeDone(item.name + ": " + Describe(m_Outcomes[index]));
      return;
    }
    std::string error = TextIfThere(own(ErrorFile));
    if (error.empty() && end.IsExit(DiskFailed))
    {
      error = "the results of '" + item.name + "' cannot be written; is the disk full?";
    }
    if (error.empty())
    {
      std::string printed = TextIfThere(own(StreamFile)).substr(0, 300);
      printed.erase(printed.find_last_not_of("\r\n ") + 1);
      error = "its process ended with " + end.ToString() + (printed.empty() ? "" : ": " + printed);
    }
    m_Folder.DropItem(item);
    if (end.exitCode == ItemCanceled)
    {
      return;
    }
    ThrowIf<WriteError>(end.exitCode == DiskFailed, error + "; finished items stay; continue with --resume");
    m_Outcomes[index].error = error;
    TakeDone(item.name + ": error: " + error);
  }

  std::string
  Describe(const ItemOutcome & outcome) const
  {
    const ordered_json & summary = outcome.summary;
    const auto           defects = summary.at("defects").get<std::uint64_t>();
    std::string          text = summary.at("verdict").get<std::string>();
    text = (text == "none" ? "" : text + ", ") + std::to_string(defects) + (defects == 1 ? " defect" : " defects");
    for (std::size_t i = 0; i < m_Recipe.acceptance.size(); ++i)
    {
      const ordered_json & rule = summary.at("rules").at(i);
      if (!rule.at("passes").get<bool>())
      {
        text += "; " + DescribeFailure(rule, m_Recipe.acceptance[i], m_Recipe, job::Language());
      }
    }
    return text;
  }

  void
  TakeDone(const std::string & text)
  {
    ++m_Done;
    Tell(text);
  }

  void
  Tell(const std::string & said)
  {
    const std::string text = OneLine(said);
    m_Folder.Log(text);
    if (m_Options.report)
    {
      BatchEvent event;
      event.text = text;
      event.done = m_Done;
      event.total = m_Items.size();
      if (m_Done > m_Result.kept)
      {
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_Begin).count();
        event.secondsLeft =
          seconds * static_cast<double>(m_Items.size() - m_Done) / static_cast<double>(m_Done - m_Result.kept);
      }
      m_Options.report(event);
    }
  }

  /** Asks all processes to stop, and waits until they have. */
  void
  StopAll()
  {
    m_Children.Interrupt();
    while (m_Children.Count() > 0)
    {
      for (const ChildProcesses::Ended & ended : m_Children.WaitForSome())
      {
        m_Folder.DropItem(m_Items[ended.key]);
      }
    }
  }

  void
  Count()
  {
    for (const ItemOutcome & outcome : m_Outcomes)
    {
      m_Result.errors += outcome.error.empty() ? 0 : 1;
      if (outcome.IsFinished())
      {
        const std::string verdict = outcome.summary.at("verdict");
        ++(verdict == "pass" ? m_Result.passed : verdict == "fail" ? m_Result.failed : m_Result.unjudged);
      }
    }
  }

  const std::vector<BatchItem> & m_Items;
  const Recipe &                 m_Recipe;
  const BatchOptions &           m_Options;
  BatchFolder                    m_Folder;
  std::vector<ItemOutcome>       m_Outcomes;
  std::deque<std::size_t>        m_Waiting;
  ProcessOptions                 m_Process;
  ChildProcesses                 m_Children;
  BatchResult                    m_Result;
  std::size_t                    m_Done = 0;

  std::chrono::steady_clock::time_point m_Begin = std::chrono::steady_clock::now();
};

} // namespace

BatchResult
RunBatch(const std::vector<BatchItem> & items,
         const Recipe &                 recipe,
         const std::string &            folder,
         const BatchOptions &           options)
{
  return BatchRun(items, recipe, folder, options).Run();
}

} // namespace brickccl::batch
