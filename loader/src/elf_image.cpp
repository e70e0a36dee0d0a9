#include "elf_image.hpp"

#include <bit>
#include <unistd.h>

namespace cuzk {
namespace {

constexpr uint64_t kMostSpan = uint64_t{1} << 32;  // what a shared object's own references can reach

uint64_t page_size() {
  static const auto size = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return size;
}
uint64_t page_down(uint64_t address) { return address / page_size() * page_size(); }
uint64_t page_up(uint64_t address) { return page_down(address + page_size() - 1); }

/// Of [address, address + size), which begins at `at`: free of overflow.
bool within(uint64_t address, uint64_t size, uint64_t at, uint64_t room) {
  return address >= at && address - at <= room && size <= room - (address - at);
}

bool describes_a_part(uint32_t type) {
  return type == PT_DYNAMIC || type == PT_NOTE || type == PT_PHDR || type == PT_TLS || type == PT_GNU_EH_FRAME ||
         type == PT_GNU_RELRO || type == PT_GNU_PROPERTY;
}

}  // namespace

ElfImage::ElfImage(const ElfFile& elf) : elf_(elf) {
  const auto name = [](size_t index) { return "program header " + std::to_string(index); };
  for (size_t i = 0; i < elf.segments.size(); ++i) {
    if (elf.segments[i].p_type == PT_LOAD) check_load(elf.segments[i], name(i));
  }
  if (loads_.empty()) bad_elf("none of its program headers says what to load");
  for (size_t i = 0; i < elf.segments.size(); ++i) {
    if (describes_a_part(elf.segments[i].p_type)) check_part(elf.segments[i], name(i));
  }
}

void ElfImage::check_load(const Elf64_Phdr& load, const std::string& name) {
  const uint64_t size = elf_.bytes.size();
  if (!part(elf_.bytes, load.p_offset, load.p_filesz)) {
    bad_elf("cut off: " + name + " loads " + std::to_string(load.p_filesz) + " bytes from " +
            std::to_string(load.p_offset) + ", the file has " + std::to_string(size));
  }
  if (load.p_filesz > load.p_memsz) bad_elf(name + ": larger in the file than in memory");
  if (!std::has_single_bit(load.p_align) || load.p_align % page_size() != 0) {
    bad_elf(name + ": aligned to " + std::to_string(load.p_align) + " bytes, expected a multiple of the page size " +
            std::to_string(page_size()));
  }
  if ((load.p_vaddr - load.p_offset) % load.p_align != 0) {
    bad_elf(name + ": address and place in the file differ by no multiple of its alignment");
  }
  const uint64_t base = loads_.empty() ? page_down(load.p_vaddr) : page_down(loads_.front().p_vaddr);
  if (!within(load.p_vaddr, load.p_memsz, base, kMostSpan) || base > UINT64_MAX - 2 * kMostSpan) {
    bad_elf(name + ": ends more than 4 GiB behind the first segment's begin");
  }
  if (!loads_.empty() && page_down(load.p_vaddr) < page_up(loads_.back().p_vaddr + loads_.back().p_memsz)) {
    bad_elf(name + ": overlaps the segment before or comes before it");
  }
  loads_.push_back(load);
}

void ElfImage::check_part(const Elf64_Phdr& segment, const std::string& name) const {
  if (segment.p_memsz == 0 && segment.p_filesz == 0) return;
  if (segment.p_filesz > segment.p_memsz) bad_elf(name + ": larger in the file than in memory");
  const bool tls = segment.p_type == PT_TLS;          // its zeros have no place of their own
  const bool relro = segment.p_type == PT_GNU_RELRO;  // may end where the page does
  if (segment.p_memsz > kMostSpan) bad_elf(name + ": larger than 4 GiB");
  if (tls && segment.p_align > 1 && !std::has_single_bit(segment.p_align)) {
    bad_elf(name + ": aligned to " + std::to_string(segment.p_align) + " bytes, expected a power of two");
  }
  const Elf64_Phdr* const load = load_of(segment.p_vaddr, segment.p_filesz);
  if (load == nullptr) bad_elf(name + ": lies outside of what is loaded");
  const uint64_t end = load->p_vaddr + load->p_memsz;
  const uint64_t room = (relro ? page_up(end) : end) - segment.p_vaddr;
  if (!tls && segment.p_memsz > room) bad_elf(name + ": lies outside of what is loaded");
  if (segment.p_filesz > 0 && segment.p_vaddr - load->p_vaddr != segment.p_offset - load->p_offset) {
    bad_elf(name + ": its address is not where its bytes are loaded");
  }
  if ((load->p_flags & PF_R) == 0) bad_elf(name + ": lies in a segment that cannot be read");
  if ((relro || (segment.p_flags & PF_W) != 0) && (load->p_flags & PF_W) == 0) {
    bad_elf(name + ": lies in a segment that cannot be written");
  }
  if (segment.p_type == PT_PHDR && segment.p_offset != elf_.header.e_phoff) {
    bad_elf(name + ": does not lie where the program headers are");
  }
}

const Elf64_Phdr* ElfImage::load_of(uint64_t address, uint64_t size) const {
  for (const Elf64_Phdr& load : loads_) {
    if (within(address, size, load.p_vaddr, load.p_memsz)) return &load;
  }
  return nullptr;
}

bool ElfImage::maps(uint64_t address, uint64_t size, uint32_t flags) const {
  const Elf64_Phdr* const load = load_of(address, size);
  return load != nullptr && (load->p_flags & flags) == flags;
}

Bytes ElfImage::from(uint64_t address) const {
  const Elf64_Phdr* const load = load_of(address, 0);
  if (load == nullptr || (load->p_flags & PF_R) == 0 || address - load->p_vaddr > load->p_filesz) return {};
  const uint64_t at = address - load->p_vaddr;
  return part(elf_.bytes, load->p_offset + at, load->p_filesz - at).value_or(Bytes{});
}

std::optional<Bytes> ElfImage::bytes(uint64_t address, uint64_t size) const { return part(from(address), 0, size); }

const Elf64_Phdr* ElfImage::find(uint32_t type) const {
  const Elf64_Phdr* found = nullptr;
  for (const Elf64_Phdr& segment : elf_.segments) {
    if (segment.p_type != type) continue;
    if (found != nullptr) bad_elf("two program headers of type " + std::to_string(type) + ", expected one");
    found = &segment;
  }
  return found;
}

}  // namespace cuzk
