# The installed tree: bin/, lib/ (archives), lib/cuzk/plugins/, lib/cmake/cuzk/, include/cuzk/, share/cuzk/ (sample/,
# conformance/), share/bash-completion/completions/. What runs is the component `runtime`, the rest `development`.
# Programs find plugins, samples and vectors relative to their own location, in the build tree too.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

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

# cuzk_install_programs(TARGET...): installs programs to bin/. Self-contained ones look for their libraries in lib/, and
# those for theirs (DT_RPATH, unlike DT_RUNPATH, counts for them too).
function(cuzk_install_programs)
  set(libraries)
  if(CUZK_SELF_CONTAINED)
    set(libraries RUNTIME_DEPENDENCY_SET cuzk-libraries)
    set_target_properties(${ARGV} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
    foreach(target ${ARGV})
      target_link_options(${target} PRIVATE LINKER:--disable-new-dtags)
    endforeach()
  endif()
  install(TARGETS ${ARGV} ${libraries} RUNTIME DESTINATION bin COMPONENT runtime)
endfunction()

# cuzk_install_package(): what concerns the whole project; called once, at the end of the top CMakeLists.txt.
function(cuzk_install_package)
  foreach(dir core/include core/arith/include loader/include)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${dir}/ DESTINATION include OPTIONAL
      FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.cuh")
  endforeach()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/samples/ DESTINATION share/cuzk/sample COMPONENT runtime PATTERN make EXCLUDE)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/tests/vectors/conformance/ DESTINATION share/cuzk/conformance
    COMPONENT runtime)
  install(FILES ${PROJECT_SOURCE_DIR}/completions/cuzk-run DESTINATION share/bash-completion/completions
    COMPONENT runtime)
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
