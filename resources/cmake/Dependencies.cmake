# Every library from outside. LibTorch comes from PyPI's wheel (scripts/setup): the wheel's own
# TorchConfig.cmake wants nvcc and, without a GPU, TORCH_CUDA_ARCH_LIST, so the targets are imported here.
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_library(COXSWAIN_STATIC_CRYPTO libcrypto.a REQUIRED)
find_package(Threads REQUIRED)
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(GTest REQUIRED)
find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets Network PrintSupport Test LinguistTools)
find_package(QCustomPlotQt6 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBSSH REQUIRED IMPORTED_TARGET libssh)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
set(CMAKE_AUTOMOC OFF) # set per Qt target

if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(coxswain_cache "$ENV{XDG_CACHE_HOME}/coxswain")
else()
    set(coxswain_cache "$ENV{HOME}/.cache/coxswain")
endif()
if(DEFINED ENV{COXSWAIN_LIBTORCH})
    set(coxswain_libtorch_default "$ENV{COXSWAIN_LIBTORCH}")
else()
    set(coxswain_libtorch_default "${coxswain_cache}/libtorch/2.11.0")
endif()
set(COXSWAIN_LIBTORCH "${coxswain_libtorch_default}" CACHE PATH
    "A site folder of the torch wheel and its NVIDIA wheels (has torch/lib and nvidia/)")
if(NOT EXISTS "${COXSWAIN_LIBTORCH}/torch/lib/libtorch_cpu.so")
    message(FATAL_ERROR "No LibTorch in ${COXSWAIN_LIBTORCH}: run scripts/setup, or set COXSWAIN_LIBTORCH "
        "to a folder that holds torch/ and nvidia/ (a Python site-packages with torch 2.11.0 will do).")
endif()

# coxswain_wheel_library(NAME FILE): an imported shared library of the wheels.
function(coxswain_wheel_library name file)
    add_library(${name} SHARED IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${COXSWAIN_LIBTORCH}/${file}")
endfunction()
coxswain_wheel_library(Torch::c10 torch/lib/libc10.so)
coxswain_wheel_library(Torch::cpu torch/lib/libtorch_cpu.so)
coxswain_wheel_library(Torch::c10_cuda torch/lib/libc10_cuda.so)
coxswain_wheel_library(Torch::cuda torch/lib/libtorch_cuda.so)
coxswain_wheel_library(Cuda::runtime nvidia/cu13/lib/libcudart.so.13)
coxswain_wheel_library(Cuda::nccl nvidia/nccl/lib/libnccl.so.2)
target_include_directories(Torch::c10 SYSTEM INTERFACE "${COXSWAIN_LIBTORCH}/torch/include"
    "${COXSWAIN_LIBTORCH}/torch/include/torch/csrc/api/include")
target_link_libraries(Torch::cpu INTERFACE Torch::c10)
target_include_directories(Cuda::runtime SYSTEM INTERFACE "${COXSWAIN_LIBTORCH}/nvidia/cu13/include")
target_include_directories(Cuda::nccl SYSTEM INTERFACE "${COXSWAIN_LIBTORCH}/nvidia/nccl/include")
target_link_libraries(Torch::c10_cuda INTERFACE Torch::c10 Cuda::runtime)
target_link_libraries(Torch::cuda INTERFACE Torch::cpu Torch::c10_cuda)
# libtorch_cpu loads cudart and cupti (Kineto) from their own wheels' folders: let the linker find them too.
target_link_options(Torch::cpu INTERFACE
    "-Wl,-rpath-link,${COXSWAIN_LIBTORCH}/nvidia/cu13/lib:${COXSWAIN_LIBTORCH}/torch/lib")
