// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_ISOLATION_VIRTUALDISPLAY_H
#define BRICKCCL_FILES_ISOLATION_VIRTUALDISPLAY_H

#include <cstdint>

namespace brickccl
{

/** An X server without a screen, Xvfb, for a library that draws through X. It starts during other work, and ends with
 *  this object or with the process. From WaitUntilReady on, the environment's DISPLAY is set to it. */
class VirtualDisplay
{
public:
  /** Starts the server, if there is one and it is needed. */
  explicit VirtualDisplay(bool isNeeded);
  ~VirtualDisplay();
  VirtualDisplay(const VirtualDisplay &) = delete;
  VirtualDisplay & operator=(const VirtualDisplay &) = delete;

  /** Waits until the library can draw: on this server, or, without one, on the display that the environment names.
   *  \throws Unsupported, which says what to install, if there is neither. */
  void WaitUntilReady();

private:
  bool         m_IsNeeded;
  std::int64_t m_Process = -1;
  int          m_Pipe = -1;
};

} // namespace brickccl

#endif
