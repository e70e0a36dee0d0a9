#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace cuzk {

/// The key=value lines of a plugin's ELF note (cuzk/abi/plugin_note.h); empty where a file has none.
using PluginNote = std::map<std::string, std::string>;

/// Reads the note of a shared object for this program's machine, without loading anything.
/// @param file the whole file, any content
/// Error bad_input: the reason, without the file's name.
PluginNote read_plugin_note(std::span<const std::byte> file);

}  // namespace cuzk
