// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/View/Http.h"
#include "BrickCCL/View/LiveLabeling.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace brickccl::view
{

struct Scene
{
  LoadedImage scan;
  /** The scan on a device, if it is to be labeled there. */
  std::unique_ptr<ImageOnDevice> onDevice;
  /** The name of the scan on the command line, and the options by which it was read. */
  std::string input;
  Settings    reading;
  /** A label map to begin with. */
  std::optional<LoadedImage> labels;
  std::string                labelsName;
  /** The settings that the page begins with; empty: its own. */
  Settings                 settings;
  std::vector<std::string> notes;
  int                      threads = 0;
};

/** \throws InvalidArgument for images that cannot be shown. */
void CheckScene(const Scene & scene);

/** Lists folders and scans on a page. It outlasts a choice that cannot be read, so that its rows stay what they are. */
struct StartPage
{
  /** Whether a row of the page is a scan or a folder to look into, its text, and the path. */
  using Choice = std::tuple<bool, std::string, std::filesystem::path>;

  /** Where it is, and what was wrong with the last choice. */
  std::string         folder;
  std::string         problem = {};
  std::vector<Choice> choices = {};
  std::size_t         first = 1;

  /** \return the scan that is chosen; empty after an interrupt, and `linger` seconds after the page was closed */
  std::string Choose(Server & server, const std::string & token, int linger);
};

/** Answers the requests of the page, on any thread. */
class Session
{
public:
  Session(const Scene & scene, const std::string & token, std::function<void()> onNews);

  /** \throws Refusal. \return nothing if the request has to wait. */
  std::optional<Response> Answer(const Request & request);

  /** The seconds since the page was closed; 0 before it was opened. */
  double SecondsWithoutPage() const;

private:
  using Json = nlohmann::ordered_json;

  Json                    Describe(const Labeled & first) const;
  Json                    NumbersOf(const Labeled & labeled) const;
  Json                    TableOf(const Labeled & labeled) const;
  Response                AnswerSlice(const Request & request, const Labeled & labeled, bool isGray) const;
  std::optional<Json>     AnswerLabel(const Json & asked, const Labeled & labeled);
  Json                    AnswerSave(const Json & asked, const Labeled & labeled) const;
  void                    Save(const std::string & kind, const std::string & name, const Labeled & labeled) const;
  std::optional<Response> AnswerJson(const std::string & path, const Request & request);

  const Scene &     m_Scene;
  const std::string m_Token;
  LiveLabeling      m_Live;

  mutable std::mutex m_Mutex;
  /** The page that was opened last, and when its request that waits was last asked for. */
  std::string                                          m_Page;
  std::optional<std::chrono::steady_clock::time_point> m_LastSign;
};

} // namespace brickccl::view
