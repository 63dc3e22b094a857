// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_CODECS_RUNCOMPRESSOR_H
#define BRICKCCL_FILES_CODECS_RUNCOMPRESSOR_H

#include "BrickCCL/Files/Codecs/DeflateTokens.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace brickccl::files
{

/** Compresses label maps as deflate streams (RFC 1951), by their runs of equal voxels.
 *
 *  The size of a label map comes from the places where one run ends and the next begins; most lie where a row before
 *  has the same two labels side by side, or a few voxels off. So copies are searched only at such places: among the
 *  last ones with the same two labels, the one that covers the most runs for the fewest bits is taken. The inside of
 *  a long run repeats the voxel before, whose codes are the shortest. Label maps get about as small as by zlib's
 *  level 6, in a fifth of its time. */
class RunCompressor
{
public:
  /** Appends `size` bytes, compressed, to `output`. They become whole bytes and do not refer to bytes before them.
   *  \param voxelBytes  1, 2 or 4
   *  \param isLast  whether the stream ends
   *  \return false, and nothing is appended, where runs are so short that looking for bytes gives as much. */
  bool Compress(const unsigned char *        bytes,
                std::size_t                  size,
                std::size_t                  voxelBytes,
                bool                         isLast,
                std::vector<unsigned char> & output);

private:
  /** A copy that goes across beginnings of runs. */
  struct Copy
  {
    /** The run at whose beginning it is anchored, and the beginning of the earlier run that it is copied from. */
    std::size_t run = 0;
    std::size_t source = 0;
    /** Voxels of the current run that are repeated before the copy begins, and voxels of the copy. */
    std::uint32_t repeated = 0;
    std::uint32_t voxels = 0;
    /** How many runs begin in it, and what they would cost without it less what it costs, in bits. */
    std::uint32_t runs = 0;
    std::int64_t  gain = -8;
  };

  template <typename TVoxel>
  bool FindRuns(const unsigned char * bytes, std::size_t voxelCount);

  std::uint32_t
  LengthOf(std::size_t run) const
  {
    return static_cast<std::uint32_t>(m_Runs[run]);
  }
  std::uint32_t
  ValueOf(std::size_t run) const
  {
    return static_cast<std::uint32_t>(m_Runs[run] >> 32);
  }
  bool
  IsAtBegin() const
  {
    return m_Position == m_Begins[m_Run];
  }
  bool
  IsLong(std::uint32_t voxels) const
  {
    return voxels * m_VoxelBytes > DeflateToken::LongestCopy;
  }
  std::uint32_t
  DistanceTo(const Copy & copy) const
  {
    return m_Begins[copy.run] - m_Begins[copy.source];
  }

  void RememberRunsBefore(std::size_t run);
  void ExtendCopy(Copy & copy) const;
  void LookForCopy(std::size_t run, Copy & best) const;
  void AppendCopy(std::uint64_t voxels, std::uint32_t distance);
  void AppendRepeats(std::uint64_t voxels);
  void AppendVoxel();
  void AppendNext();

  const unsigned char * m_Bytes = nullptr;
  std::uint32_t         m_VoxelBytes = 1;
  std::uint32_t         m_VoxelCount = 0;
  /** The runs: their values in the upper halves, their lengths in the lower ones; and where they begin. One more that
   *  no run is equal to ends them. */
  std::vector<std::uint64_t> m_Runs;
  std::vector<std::uint32_t> m_Begins;
  /** For each hash of two values the last run of such a value after such a one, and for each run the one before it with
   *  the same hash; `NoRun` where there is none. Runs before `m_Remembered` are in them. */
  std::vector<std::uint32_t> m_LastOfPair;
  std::vector<std::uint32_t> m_Earlier;
  std::size_t                m_Remembered = 0;
  /** The next voxel, and the run that it belongs to. */
  std::uint32_t             m_Position = 0;
  std::size_t               m_Run = 0;
  std::vector<DeflateToken> m_Tokens;
};

} // namespace brickccl::files

#endif
