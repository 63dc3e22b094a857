#include "BrickCCL/Host/ArrivingBytes.h"

#include <algorithm>

namespace brickccl
{

void
ArrivingBytes::Begin(const std::byte * data, std::size_t size)
{
  const std::lock_guard lock(m_Mutex);
  m_Data = data;
  m_Size = size;
  m_Changed.notify_all();
}

void
ArrivingBytes::Arrived(std::size_t count)
{
  const std::lock_guard lock(m_Mutex);
  m_Count = std::max(m_Count, count);
  m_Changed.notify_all();
}

void
ArrivingBytes::TakeBack() noexcept
{
  std::unique_lock lock(m_Mutex);
  m_IsTakenBack = true;
  m_Changed.notify_all();
  m_Changed.wait(lock, [this] { return !m_IsRead; });
}

void
ArrivingBytes::Restart() noexcept
{
  if (Count() > 0)
  {
    TakeBack();
  }
}

std::size_t
ArrivingBytes::Count() const
{
  const std::lock_guard lock(m_Mutex);
  return m_Count;
}

std::size_t
ArrivingBytes::AwaitSize()
{
  std::unique_lock lock(m_Mutex);
  m_Changed.wait(lock, [this] { return m_Size > 0 || m_IsTakenBack || m_IsStopped; });
  return m_IsTakenBack || m_IsStopped ? 0 : m_Size;
}

std::size_t
ArrivingBytes::Take(std::size_t                                                 begin,
                    std::size_t                                                 most,
                    const std::function<void(const std::byte *, std::size_t)> & take)
{
  std::unique_lock lock(m_Mutex);
  m_Changed.wait(lock, [&] { return m_Count > begin || begin == m_Size || m_IsTakenBack || m_IsStopped; });
  if (m_IsTakenBack || m_IsStopped || begin == m_Size)
  {
    return 0;
  }
  const std::size_t size = std::min(most, m_Count - begin);
  m_IsRead = true;
  lock.unlock();
  const auto end = [&] {
    lock.lock();
    m_IsRead = false;
    m_Changed.notify_all();
  };
  try
  {
    take(m_Data + begin, size);
  }
  catch (...)
  {
    end();
    throw;
  }
  end();
  return size;
}

void
ArrivingBytes::Stop()
{
  const std::lock_guard lock(m_Mutex);
  m_IsStopped = true;
  m_Changed.notify_all();
}

bool
ArrivingBytes::Are(const void * data, std::size_t size) const
{
  const std::lock_guard lock(m_Mutex);
  return !m_IsTakenBack && size > 0 && m_Data == data && m_Size == size;
}

} // namespace brickccl
