# The one place for compiler settings: every target of ours links coxswain-options.
set(COXSWAIN_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, for example address,undefined")

# Compiled once for all checkouts: paths are hashed relative to the checkout.
find_program(COXSWAIN_CCACHE ccache)
if(COXSWAIN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${COXSWAIN_CCACHE})
endif()

# -O3 costs a third of the build and gains nothing that can be measured: what is hot is in LibTorch.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# Headers that most sources of a library include are compiled once, and shared with what is built on top of it
# and compiled alike (executables too must be -fPIC then).
function(coxswain_share_headers from)
    foreach(target ${ARGN})
        target_compile_options(${target} PRIVATE -fPIC)
        target_precompile_headers(${target} REUSE_FROM ${from})
    endforeach()
endfunction()

add_library(coxswain-options INTERFACE)
target_compile_features(coxswain-options INTERFACE cxx_std_20)
target_include_directories(coxswain-options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(coxswain-options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC's garbage collector walks through a precompiled header again and again: a third of the time.
    target_compile_options(coxswain-options INTERFACE "SHELL:--param ggc-min-heapsize=1048576")
endif()
target_compile_definitions(coxswain-options INTERFACE COXSWAIN_VERSION="${PROJECT_VERSION}")

if(COXSWAIN_SANITIZE)
    # What is compiled from here on is instrumented; LibTorch, Qt and Open MPI are not.
    add_compile_options(-fsanitize=${COXSWAIN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${COXSWAIN_SANITIZE})
endif()
