# cuzk_warnings(TARGET): the project's warning set; errors where CUZK_WERROR is on (the ci preset).
function(cuzk_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX,C>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion>
    $<$<AND:$<COMPILE_LANGUAGE:CXX,C>,$<BOOL:${CUZK_WERROR}>>:-Werror>)
endfunction()
