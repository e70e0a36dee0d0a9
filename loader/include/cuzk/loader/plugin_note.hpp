#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace cuzk {

/// The key=value lines of a plugin's ELF note (cuzk/abi/plugin_note.h); empty where a file has none.
using PluginNote = std::map<std::string, std::string>;

/// Reads the note without loading anything. Checks, too, what dlopen would fail or crash on: that the bytes are a
/// shared object of this program's machine and that none of its segments lies beyond its end.
/// @param file the whole file, any content
/// Error bad_input: the reason, without the file's name.
PluginNote read_plugin_note(std::span<const std::byte> file);

}  // namespace cuzk
