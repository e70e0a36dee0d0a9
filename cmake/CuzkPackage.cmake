# cmake --workflow --preset package: a tarball of the component `runtime` that needs nothing but glibc (of the machine it
# was built on, or newer) and, for GPUs, the NVIDIA driver: whatever else the programs link comes along in lib/.
if(CUZK_SELF_CONTAINED)
  install(RUNTIME_DEPENDENCY_SET cuzk-libraries
    PRE_EXCLUDE_REGEXES "^(ld-linux-.*|libc|libm|libdl|libpthread|librt)\\.so"
    LIBRARY DESTINATION lib COMPONENT runtime)
  install(PROGRAMS scripts/gpu-check DESTINATION bin COMPONENT runtime)
  install(FILES scripts/gpu-check-devices scripts/gpu-check-strategies DESTINATION bin COMPONENT runtime)
  install(FILES LICENSE README.md DESTINATION . COMPONENT runtime)
endif()

string(TOLOWER ${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR} platform)
set(CPACK_PACKAGE_FILE_NAME ${PROJECT_NAME}-${PROJECT_VERSION}-${platform})
set(CPACK_GENERATOR TGZ)
set(CPACK_COMPONENTS_ALL runtime)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
