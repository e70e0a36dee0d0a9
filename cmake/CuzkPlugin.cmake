# cuzk_add_plugin(NAME SOURCES file... [LIBS lib...])
#
# Builds the plugin NAME as cuzk-plugin-NAME.so (target: cuzk-plugin-NAME). The library exports cuzk_plugin_query and
# nothing else: sources are compiled with hidden visibility and a version script hides what the linked archives bring.
# Undefined symbols are a link error, so that a plugin that links also loads (a sanitizer's run time is found at load
# time, so not there). Links cuzk::sdk. Installs to lib/cuzk/plugins; where CUZK_PLUGIN_OUTPUT_DIRECTORY is set, the
# built file is put there. Works in this project and, after find_package(cuzk), in any other.
set(CUZK_PLUGIN_VERSION_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/plugin.map)

function(cuzk_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "cuzk_add_plugin(${name}): expected SOURCES file... [LIBS lib...], found '${ARGN}'")
  endif()
  set(target cuzk-plugin-${name})
  add_library(${target} MODULE ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE cuzk::sdk ${arg_LIBS})
  set_target_properties(${target} PROPERTIES
    PREFIX ""
    SUFFIX .so
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    CUDA_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON
    LINK_DEPENDS ${CUZK_PLUGIN_VERSION_SCRIPT})
  if(CUZK_PLUGIN_OUTPUT_DIRECTORY)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CUZK_PLUGIN_OUTPUT_DIRECTORY})
  endif()
  target_link_options(${target} PRIVATE LINKER:--version-script=${CUZK_PLUGIN_VERSION_SCRIPT})
  if(NOT CUZK_SANITIZE)
    target_link_options(${target} PRIVATE LINKER:--no-undefined)
  endif()
  if(TARGET cuzk) # in this project
    cuzk_warnings(${target})
    add_dependencies(cuzk ${target})
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION lib/cuzk/plugins COMPONENT runtime)
endfunction()
