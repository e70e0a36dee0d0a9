#include "elf_symbols.hpp"

#include <algorithm>
#include <bit>

namespace cuzk {
namespace {

constexpr uint16_t kVersionMask = 0x7fff;  // the top bit says hidden

/// A chain of `count` records, each with its distance to the next in `next` and 0 in the last one's. use: called with
/// each and its place.
template <class Record, class Distance, class Use>
void walk(Bytes bytes, uint64_t at, uint64_t count, Distance Record::*next, const std::string& what, Use&& use) {
  for (uint64_t i = 0; i < count; ++i) {
    const auto record = value<Record>(bytes, at);
    if (!record) bad_elf("entry " + std::to_string(i) + " of " + what + " lies outside of what is loaded");
    use(*record, at);
    const bool last = i + 1 == count;
    if (((*record).*next == 0) != last) bad_elf(what + " does not end with its entry " + std::to_string(count));
    at += (*record).*next;
  }
}

}  // namespace

ElfSymbols::ElfSymbols(const ElfImage& image, const ElfDynamic& dynamic) : image_(image), dynamic_(dynamic) {
  symbols_ = image.from(dynamic.require(DT_SYMTAB));
  if (dynamic.find(DT_SYMENT).value_or(sizeof(Elf64_Sym)) != sizeof(Elf64_Sym)) {
    bad_elf("DT_SYMENT is " + std::to_string(dynamic.require(DT_SYMENT)) + ", expected " +
            std::to_string(sizeof(Elf64_Sym)));
  }
  if (!dynamic.find(DT_HASH) && !dynamic.find(DT_GNU_HASH)) bad_elf("the dynamic section has no DT_GNU_HASH");
  check_needed_versions();
  check_defined_versions();
  if (const auto versions = dynamic.find(DT_VERSYM)) {
    if (!dynamic.find(DT_VERNEED) && !dynamic.find(DT_VERDEF)) bad_elf("DT_VERSYM without versions to refer to");
    versions_ = image.from(*versions);
  }
  if (dynamic.find(DT_HASH)) check_hash();
  if (dynamic.find(DT_GNU_HASH)) check_gnu_hash();
}

void ElfSymbols::require(uint64_t index, const std::string& what) const {
  const std::string name = "symbol " + std::to_string(index) + " of " + what;
  const auto symbol = index > UINT32_MAX || (count_ > 0 && index >= count_)
                          ? std::nullopt
                          : value<Elf64_Sym>(symbols_, index * sizeof(Elf64_Sym));
  if (!symbol) bad_elf(name + " lies outside of the table");
  static_cast<void>(dynamic_.string(symbol->st_name, name));
  if (dynamic_.find(DT_VERSYM)) {
    const auto version = value<uint16_t>(versions_, index * sizeof(uint16_t));
    if (!version || (*version & kVersionMask) > last_version_) bad_elf(name + " has a version that is not there");
  }
  if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS) return;
  const auto type = ELF64_ST_TYPE(symbol->st_info);
  const bool code = type == STT_FUNC || type == STT_GNU_IFUNC;
  if (code && !image_.maps(symbol->st_value, 1, PF_X)) bad_elf(name + " points at no code");
  if (type == STT_OBJECT && !image_.maps(symbol->st_value, symbol->st_size, 0)) {
    bad_elf(name + " lies outside of what is loaded");
  }
}

/// System V: bucket and chain counts, the buckets, the chains; 32 bits each.
void ElfSymbols::check_hash() {
  const Bytes table = image_.from(dynamic_.require(DT_HASH));
  const auto buckets = value<uint32_t>(table, 0), chains = value<uint32_t>(table, 4);
  if (!buckets || !chains || *buckets == 0) bad_elf("the table of DT_HASH has no buckets");
  const auto words = part(table, 8, (uint64_t{*buckets} + *chains) * 4);
  if (!words) bad_elf("the table of DT_HASH lies outside of what is loaded");
  const auto entries = records<uint32_t>(*words);
  count_ = *chains;
  uint64_t steps = 0;
  for (uint32_t bucket = 0; bucket < *buckets; ++bucket) {
    for (uint32_t i = entries[bucket]; i != STN_UNDEF; i = entries[*buckets + i]) {
      // Each symbol is in one chain, so that more steps mean a circle.
      if (i >= *chains || ++steps > *chains) bad_elf("the table of DT_HASH has a chain that does not end");
      require(i, "DT_HASH");
    }
  }
}

/// GNU: bucket count, first symbol, count and shift of the Bloom filter; the filter, the buckets, the chains, whose
/// last entries have bit 0 set.
void ElfSymbols::check_gnu_hash() {
  const Bytes table = image_.from(dynamic_.require(DT_GNU_HASH));
  struct Head {
    uint32_t buckets, first, filter_words, shift;
  };
  const auto head = value<Head>(table, 0);
  if (!head || head->buckets == 0) bad_elf("the table of DT_GNU_HASH has no buckets");
  if (!std::has_single_bit(head->filter_words) || head->shift > 31) bad_elf("the filter of DT_GNU_HASH is damaged");
  const uint64_t buckets_at = sizeof(Head) + uint64_t{head->filter_words} * 8;
  const auto words = part(table, buckets_at, uint64_t{head->buckets} * 4);
  if (!words) bad_elf("the table of DT_GNU_HASH lies outside of what is loaded");
  const auto buckets = records<uint32_t>(*words);
  for (const uint32_t bucket : buckets) {
    if (bucket != 0 && bucket < head->first) bad_elf("the table of DT_GNU_HASH has a bucket before its first symbol");
  }
  const uint32_t last_chain = *std::max_element(buckets.begin(), buckets.end());
  if (last_chain == 0) return;  // exports nothing, and says nothing of the number of symbols
  const Bytes chains = table.subspan(static_cast<size_t>(buckets_at + words->size()));
  for (uint64_t i = last_chain;; ++i) {
    const auto hash = value<uint32_t>(chains, (i - head->first) * 4);
    if (!hash) bad_elf("the table of DT_GNU_HASH has a chain that does not end");
    if ((*hash & 1u) == 0) continue;
    if (count_ != 0 && count_ != i + 1) bad_elf("DT_HASH and DT_GNU_HASH differ in the number of symbols");
    count_ = i + 1;
    break;
  }
  for (uint64_t i = head->first; i < count_; ++i) require(i, "DT_GNU_HASH");
}

void ElfSymbols::check_needed_versions() {
  if (!dynamic_.find(DT_VERNEED)) return;
  const Bytes bytes = image_.from(dynamic_.require(DT_VERNEED));
  walk(bytes, 0, dynamic_.require(DT_VERNEEDNUM), &Elf64_Verneed::vn_next, "DT_VERNEED",
       [&](const Elf64_Verneed& need, uint64_t at) {
         if (!dynamic_.needs(dynamic_.string(need.vn_file, "DT_VERNEED"))) {
           bad_elf("DT_VERNEED wants versions of a library that is not needed");
         }
         walk(bytes, at + need.vn_aux, need.vn_cnt, &Elf64_Vernaux::vna_next, "a library's list in DT_VERNEED",
              [&](const Elf64_Vernaux& version, uint64_t) {
                static_cast<void>(dynamic_.string(version.vna_name, "DT_VERNEED"));
                last_version_ = std::max<uint32_t>(last_version_, version.vna_other & kVersionMask);
              });
       });
}

void ElfSymbols::check_defined_versions() {
  if (!dynamic_.find(DT_VERDEF)) return;
  const Bytes bytes = image_.from(dynamic_.require(DT_VERDEF));
  walk(bytes, 0, dynamic_.require(DT_VERDEFNUM), &Elf64_Verdef::vd_next, "DT_VERDEF",
       [&](const Elf64_Verdef& defined, uint64_t at) {
         last_version_ = std::max<uint32_t>(last_version_, defined.vd_ndx & kVersionMask);
         walk(bytes, at + defined.vd_aux, defined.vd_cnt, &Elf64_Verdaux::vda_next, "a version's list in DT_VERDEF",
              [&](const Elf64_Verdaux& name, uint64_t) {
                static_cast<void>(dynamic_.string(name.vda_name, "DT_VERDEF"));
              });
       });
}

}  // namespace cuzk
