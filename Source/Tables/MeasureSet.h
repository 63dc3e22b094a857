#ifndef BRICKCCL_TABLES_MEASURESET_H
#define BRICKCCL_TABLES_MEASURESET_H

#include <cstddef>
#include <memory>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

namespace brickccl
{

/** The measures of one kind, one for each component, in the order of a table's rows. Valid as long as the set that they
 *  are from is neither changed nor gone. */
template <typename T>
class MeasureList
{
public:
  MeasureList(const T * data, std::size_t size)
    : m_Data(data)
    , m_Size(size)
  {}

  const T &
  operator[](std::size_t place) const
  {
    return m_Data[place];
  }
  std::size_t
  size() const
  {
    return m_Size;
  }
  bool
  empty() const
  {
    return m_Size == 0;
  }
  const T *
  begin() const
  {
    return m_Data;
  }
  const T *
  end() const
  {
    return m_Data + m_Size;
  }

private:
  const T *   m_Data;
  std::size_t m_Size;
};

/** What the groups of columns measured: lists of structs that the groups define, told apart by their types. A copy of a
 *  set is a set of its own; copies share the memory of lists that neither changes. */
class MeasureSet
{
public:
  /** Whether measures of this type are there; a list of no components counts. */
  template <typename T>
  bool
  Has() const
  {
    return Find(typeid(T)) != nullptr;
  }

  /** The measures of a type. \throws InvalidArgument if they were not measured. */
  template <typename T>
  MeasureList<T>
  Of() const
  {
    const Entry & entry = Get(typeid(T));
    return { static_cast<const T *>(entry.data), entry.size };
  }

  /** Takes in a vector of measures, in the place of earlier ones of their type. */
  template <typename T, typename TAllocator>
  void
  Set(std::vector<T, TAllocator> measures)
  {
    auto              owner = std::make_shared<std::vector<T, TAllocator>>(std::move(measures));
    const T * const   data = owner->data();
    const std::size_t size = owner->size();
    Insert({ typeid(T), std::move(owner), data, size });
  }

private:
  struct Entry
  {
    std::type_index       type;
    std::shared_ptr<void> owner;
    const void *          data;
    std::size_t           size;
  };

  const Entry * Find(const std::type_index & type) const;
  const Entry & Get(const std::type_index & type) const;
  void          Insert(Entry entry);

  std::vector<Entry> m_Entries;
};

} // namespace brickccl

#endif
