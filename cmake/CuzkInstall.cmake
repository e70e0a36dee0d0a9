# The installed tree: bin/, lib/ (archives), lib/cuzk/plugins/, lib/cmake/cuzk/, include/cuzk/, share/cuzk/sample/,
# share/bash-completion/completions/.
# Programs find plugins and samples relative to their own location, in the build tree too.
include(CMakePackageConfigHelpers)

# cuzk_install(sdk|engine TARGET...): installs the libraries and exports each cuzk_NAME as cuzk::NAME. `sdk` is what a
# plugin needs and depends on nothing else; `engine` is the rest.
function(cuzk_install part)
  foreach(target ${ARGN})
    string(REGEX REPLACE "^cuzk_" "" export_name ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${export_name})
    install(TARGETS ${target} EXPORT cuzk-${part} ARCHIVE DESTINATION lib LIBRARY DESTINATION lib)
  endforeach()
  set_property(GLOBAL APPEND PROPERTY CUZK_EXPORTS cuzk-${part})
endfunction()

# cuzk_install_programs(TARGET...): installs programs to bin/ and lets the target `cuzk` build them.
function(cuzk_install_programs)
  add_dependencies(cuzk ${ARGV})
  install(TARGETS ${ARGV} RUNTIME DESTINATION bin)
endfunction()

# cuzk_install_package(): what concerns the whole project; called once, at the end of the top CMakeLists.txt.
function(cuzk_install_package)
  foreach(dir core/include core/arith/include loader/include)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${dir}/ DESTINATION include OPTIONAL
      FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.cuh")
  endforeach()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/samples/ DESTINATION share/cuzk/sample PATTERN make EXCLUDE)
  install(FILES ${PROJECT_SOURCE_DIR}/completions/cuzk-run DESTINATION share/bash-completion/completions)
  get_property(exports GLOBAL PROPERTY CUZK_EXPORTS)
  list(REMOVE_DUPLICATES exports)
  foreach(export ${exports})
    install(EXPORT ${export} NAMESPACE cuzk:: DESTINATION lib/cmake/cuzk)
  endforeach()
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cuzk-config.cmake.in
    ${PROJECT_BINARY_DIR}/cuzk-config.cmake INSTALL_DESTINATION lib/cmake/cuzk)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/cuzk-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES
    ${PROJECT_BINARY_DIR}/cuzk-config.cmake
    ${PROJECT_BINARY_DIR}/cuzk-config-version.cmake
    ${PROJECT_SOURCE_DIR}/cmake/CuzkPlugin.cmake
    ${PROJECT_SOURCE_DIR}/cmake/plugin.map
    DESTINATION lib/cmake/cuzk)
endfunction()
