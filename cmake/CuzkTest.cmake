# cuzk_add_test(NAME SOURCES file... [LIBS lib...] [TIMEOUT seconds])
#
# Builds the GoogleTest program NAME and registers each of its tests with CTest as NAME.Suite.Test. Test data stands at
# the path in the macro CUZK_TEST_VECTORS (tests/vectors). Every test has a time limit, 60 seconds unless said.
include(GoogleTest)

function(cuzk_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LIBS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "cuzk_add_test(${name}): expected SOURCES file... [LIBS lib...] [TIMEOUT s], found '${ARGN}'")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  math(EXPR timeout "${arg_TIMEOUT} * ${CUZK_TEST_TIMEOUT_FACTOR}")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE CUZK_TEST_VECTORS="${PROJECT_SOURCE_DIR}/tests/vectors")
  cuzk_warnings(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${timeout})
endfunction()
