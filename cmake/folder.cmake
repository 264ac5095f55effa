# One folder of src/ = one library = one test binary.
#
#   braidlog_folder(NAME [INTERFACE] [DEPENDS lib...])
#
# takes every .cpp below the current folder: `*_test.cpp` become the test binary NAME_test, the rest the library
# braidlog_NAME. A folder without sources of its own is an INTERFACE library.
# What is tested is optimized; the tests themselves are compiled twice as fast without. What nearly all of them include is
# compiled once; a time stamp in it would make the compiler cache useless.
# Sources of the libraries have less in common: the standard's containers and the one large header.
add_library(braidlog_common_headers STATIC ${CMAKE_CURRENT_LIST_DIR}/common_headers/common_headers.cpp)
target_link_libraries(braidlog_common_headers PRIVATE Boost::json tl::expected Threads::Threads)
target_compile_options(braidlog_common_headers PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
target_precompile_headers(braidlog_common_headers PRIVATE ${CMAKE_CURRENT_LIST_DIR}/common_headers/common_headers.h)

set(test_options "$<$<CONFIG:RelWithDebInfo>:-O0;-g1>" "SHELL:-Xclang -fno-pch-timestamp")
if(NOT BRAIDLOG_FUZZ)
  add_library(braidlog_test_headers STATIC ${CMAKE_CURRENT_LIST_DIR}/test_headers/test_headers.cpp)
  target_link_libraries(braidlog_test_headers PRIVATE Boost::json tl::expected GTest::gtest GTest::gmock rapidcheck Threads::Threads)
  target_compile_options(braidlog_test_headers PRIVATE ${test_options})
  target_precompile_headers(braidlog_test_headers PRIVATE ${CMAKE_CURRENT_LIST_DIR}/test_headers/test_headers.h)
endif()

function(braidlog_folder name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;TEST_DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(sources)
    add_library(braidlog_${name} STATIC ${sources})
    target_link_libraries(braidlog_${name} PUBLIC ${ARG_DEPENDS})
    add_dependencies(braidlog_${name} check_layers)
    target_compile_options(braidlog_${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    target_precompile_headers(braidlog_${name} REUSE_FROM braidlog_common_headers)
  else()
    add_library(braidlog_${name} INTERFACE)
    target_link_libraries(braidlog_${name} INTERFACE ${ARG_DEPENDS})
  endif()
  if(tests AND NOT BRAIDLOG_FUZZ)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE braidlog_${name} ${ARG_TEST_DEPENDS} GTest::gtest_main GTest::gmock rapidcheck)
    target_compile_definitions(${name}_test PRIVATE BRAIDLOG_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    target_compile_options(${name}_test PRIVATE ${test_options})
    target_precompile_headers(${name}_test REUSE_FROM braidlog_test_headers)
    add_test(NAME ${name} COMMAND ${name}_test)
    set_tests_properties(${name} PROPERTIES TIMEOUT 300)
  endif()
endfunction()
