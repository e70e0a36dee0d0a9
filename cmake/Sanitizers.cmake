# CUZK_SANITIZE: a comma-separated list for -fsanitize (address,undefined or thread); applies to every target.
set(CUZK_SANITIZE "" CACHE STRING "Sanitizers to build with: 'address,undefined' or 'thread'; empty for none")
set(CUZK_TEST_TIMEOUT_FACTOR 1)
if(CUZK_SANITIZE)
  # -g1: the lines that a report names, without the types that take long to write
  set(flags -fsanitize=${CUZK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${flags}>")
  add_link_options(-fsanitize=${CUZK_SANITIZE})
  set(CUZK_TEST_TIMEOUT_FACTOR 10)
endif()
