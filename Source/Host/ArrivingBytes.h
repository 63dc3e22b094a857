#ifndef BRICKCCL_HOST_ARRIVINGBYTES_H
#define BRICKCCL_HOST_ARRIVINGBYTES_H

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

namespace brickccl
{

/** Bytes that come to their place from the first to the last, while somebody takes them already. Whoever writes them
 *  promises that what has arrived is final, or takes all of it back. Each side is one thread at a time. */
class ArrivingBytes
{
public:
  /** Says that `size` bytes come to `data`. They stay there until TakeBack(). */
  void Begin(const std::byte * data, std::size_t size);

  /** Says that the first `count` bytes are there with their final values. The number never falls. */
  void Arrived(std::size_t count);

  /** Says that nothing that was said holds any more, and nothing will. Returns when nobody reads the bytes. */
  void TakeBack() noexcept;

  /** Says that the bytes are written from the first on once more: what has arrived is taken back, if anything has. */
  void Restart() noexcept;

  /** How many bytes have arrived. */
  std::size_t Count() const;

  /** Waits until it is known how many bytes come. \return their number; 0 if none will. */
  std::size_t AwaitSize();

  /** Waits for bytes behind the first `begin`, and hands over up to `most` of them, which stay during the call.
   *  \return their number; 0 if there are no more, they were taken back, or the taking was stopped. */
  std::size_t
  Take(std::size_t begin, std::size_t most, const std::function<void(const std::byte *, std::size_t)> & take);

  /** Ends all waiting for bytes, from now on. */
  void Stop();

  /** Whether these are the bytes that come here, and were not taken back. */
  bool Are(const void * data, std::size_t size) const;

private:
  mutable std::mutex      m_Mutex;
  std::condition_variable m_Changed;
  const std::byte *       m_Data = nullptr;
  std::size_t             m_Size = 0;
  std::size_t             m_Count = 0;
  bool                    m_IsTakenBack = false;
  bool                    m_IsStopped = false;
  bool                    m_IsRead = false;
};

} // namespace brickccl

#endif
