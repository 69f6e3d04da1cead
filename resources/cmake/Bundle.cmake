# Makes a runtime bundle: everything that mpirun, orted and the trainer load, the C library and its loader
# included, so that a node needs none of it (README.md, "Runtimes"). Run by the targets runtime-cpu and
# runtime-cu13:
#   cmake -DNAME=cpu -DTRAINER=… -DLIBTORCH=… -DOUTPUT=build/runtimes [-DPLUGIN=…] -P Bundle.cmake
# Result: OUTPUT/NAME/{bin,lib,share}/ and OUTPUT/NAME.json, its manifest:
#   {"format": "coxswain.runtime/1.0", "name": …, "hash": …, "files": [{"path", "size", "mode", "sha256"}…]}
cmake_minimum_required(VERSION 3.25)

# Open MPI's components that we name on mpirun's command line, and what these need. UCX, OFI, verbs and the
# batch systems are left out: nodes that find different components fail in MPI_Init.
set(components allocator_basic allocator_bucket atomic_basic bml_r2 btl_self btl_tcp btl_vader coll_basic
    coll_inter coll_libnbc coll_self coll_sm coll_sync coll_tuned errmgr_default_app errmgr_default_hnp
    errmgr_default_orted errmgr_default_tool ess_env ess_hnp ess_pmi ess_singleton ess_tool filem_raw
    grpcomm_direct iof_hnp iof_orted iof_tool mpool_hugepage odls_default oob_tcp op_avx plm_isolated plm_rsh
    pmix_ext3x pmix_isolated pml_ob1 pstat_linux rcache_grdma reachable_netlink reachable_weighted regx_fwd
    regx_naive regx_reverse rmaps_ppr rmaps_rank_file rmaps_resilient rmaps_round_robin rmaps_seq rml_oob
    routed_binomial routed_direct routed_radix rtc_hwloc schizo_ompi schizo_orte shmem_mmap shmem_posix
    shmem_sysv state_app state_hnp state_novm state_orted state_tool topo_basic)

# A program of Open MPI's may stand behind Debian's alternatives: follow them.
foreach(program orterun orted)
    find_program(found_${program} ${program} REQUIRED)
    file(REAL_PATH "${found_${program}}" ${program})
endforeach()
file(GLOB openmpi_folder /usr/lib/*/openmpi/lib/openmpi3)
file(GLOB pmix_components /usr/lib/*/pmix2/lib/pmix/*.so)
file(GLOB loader /lib64/ld-linux-x86-64.so.2)
set(modules ${pmix_components})
foreach(component ${components})
    list(APPEND modules ${openmpi_folder}/mca_${component}.so)
endforeach()
if(PLUGIN)
    list(APPEND modules ${PLUGIN})
endif()

file(GLOB wheel_folders ${LIBTORCH}/torch/lib ${LIBTORCH}/nvidia/*/lib)
file(GET_RUNTIME_DEPENDENCIES
    EXECUTABLES ${orterun} ${orted} ${TRAINER}
    MODULES ${modules}
    RESOLVED_DEPENDENCIES_VAR libraries
    UNRESOLVED_DEPENDENCIES_VAR missing
    CONFLICTING_DEPENDENCIES_PREFIX conflict
    DIRECTORIES ${wheel_folders}
    # The driver's libraries belong to the node.
    POST_EXCLUDE_REGEXES "libcuda\\.so\\.1$")
list(FILTER missing EXCLUDE REGEX "^(libcuda|libnvidia-ml)\\.so\\.1$")
if(missing)
    message(FATAL_ERROR "Runtime ${NAME}: these libraries are needed and not here: ${missing}")
endif()
# The same library found twice (a wheel's RPATH and our list of folders): the first is as good.
foreach(name ${conflict_FILENAMES})
    list(GET conflict_${name} 0 first)
    list(APPEND libraries ${first})
endforeach()
if(PLUGIN)
    # cuDNN loads its parts by name; only what convolution-free models can reach is kept (design: cuDNN's
    # sub-libraries are left out). NVRTC's builtins and the linear algebra library are loaded by name too.
    file(GLOB by_name ${LIBTORCH}/torch/lib/libtorch_cuda_linalg.so ${LIBTORCH}/torch/lib/libcaffe2_nvrtc.so
        ${LIBTORCH}/nvidia/cu13/lib/libnvrtc*.so*)
    list(APPEND libraries ${by_name})
endif()

set(target ${OUTPUT}/${NAME})
file(REMOVE_RECURSE ${target}.partial)
function(add_file source path)
    get_filename_component(folder ${target}.partial/${path} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    file(REAL_PATH ${source} real)
    file(COPY_FILE ${real} ${target}.partial/${path})
endfunction()
add_file(${loader} lib/ld-linux-x86-64.so.2)
add_file(${orterun} bin/mpirun)
add_file(${orted} bin/orted)
add_file(${TRAINER} bin/coxswain-trainer)
file(RPATH_REMOVE FILE ${target}.partial/bin/coxswain-trainer)
foreach(library ${libraries})
    get_filename_component(name ${library} NAME)
    add_file(${library} lib/${name})
endforeach()
foreach(module ${modules})
    get_filename_component(name ${module} NAME)
    if(module IN_LIST pmix_components)
        add_file(${module} lib/pmix/${name})
    elseif(module STREQUAL "${PLUGIN}")
        add_file(${module} lib/${name})
        file(RPATH_REMOVE FILE ${target}.partial/lib/${name})
    else()
        add_file(${module} lib/openmpi/${name})
    endif()
endforeach()
# Texts of the messages of mpirun and PMIx, which look for them in these folders.
file(GLOB texts RELATIVE /usr/share /usr/share/openmpi/help-*.txt)
foreach(text ${texts})
    add_file(/usr/share/${text} share/${text})
endforeach()
file(GLOB texts /usr/lib/*/pmix2/share/pmix/help-*.txt)
foreach(text ${texts})
    get_filename_component(name ${text} NAME)
    add_file(${text} share/pmix/${name})
endforeach()

# Licences of all that is in the bundle: Debian's packages by file, wheels by list.
set(packages "")
foreach(library ${libraries} ${loader} ${orterun} ${pmix_components})
    file(REAL_PATH ${library} real)
    string(REGEX REPLACE "^/usr/" "/" unmerged ${real}) # as packages from before the /usr merge name it
    execute_process(COMMAND dpkg-query -S ${real} ${unmerged} OUTPUT_VARIABLE owner ERROR_QUIET)
    if(owner MATCHES "^([^:,]+)")
        list(APPEND packages ${CMAKE_MATCH_1})
    endif()
endforeach()
list(REMOVE_DUPLICATES packages)
foreach(package ${packages})
    add_file(/usr/share/doc/${package}/copyright share/licences/${package}.txt)
endforeach()
file(GLOB wheels ${LIBTORCH}/*.dist-info)
if(NOT PLUGIN)
    list(FILTER wheels INCLUDE REGEX "/(torch|nvidia_cuda_runtime|nvidia_cuda_cupti)-")
endif()
list(FILTER wheels INCLUDE REGEX "/(torch|nvidia_[a-z0-9_]+)-")
foreach(wheel ${wheels})
    get_filename_component(name ${wheel} NAME_WLE)
    file(GLOB_RECURSE licences ${wheel}/LICENSE* ${wheel}/License*)
    if(NOT licences) # cuSPARSELt's lies beside its library
        file(STRINGS ${wheel}/RECORD licences REGEX "/LICENSE[^/]*,")
        list(TRANSFORM licences REPLACE ",.*" "")
        list(TRANSFORM licences PREPEND ${LIBTORCH}/)
    endif()
    if(NOT licences)
        message(FATAL_ERROR "Runtime ${NAME}: ${name} names no licence: it may not be passed on")
    endif()
    list(GET licences 0 licence)
    add_file(${licence} share/licences/${name}.txt)
endforeach()

file(GLOB_RECURSE files RELATIVE ${target}.partial ${target}.partial/*)
list(SORT files)
set(entries "")
foreach(path ${files})
    set(file ${target}.partial/${path})
    if(path MATCHES "^bin/|ld-linux")
        set(mode 493) # 0755
        file(CHMOD ${file} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
            WORLD_EXECUTE)
    else()
        set(mode 420) # 0644
        file(CHMOD ${file} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    endif()
    file(SIZE ${file} size)
    file(SHA256 ${file} digest)
    list(APPEND entries "  {\"path\": \"${path}\", \"size\": ${size}, \"mode\": ${mode}, \"sha256\": \"${digest}\"}")
endforeach()
list(JOIN entries ",\n" body)
string(SHA256 hash "${body}")
file(REMOVE_RECURSE ${target})
file(RENAME ${target}.partial ${target})
file(WRITE ${OUTPUT}/${NAME}.json
    "{\"format\": \"coxswain.runtime/1.0\", \"name\": \"${NAME}\", \"hash\": \"${hash}\", \"files\": [\n${body}\n]}\n")
message(STATUS "Runtime ${NAME}: ${hash}")
