# cria_room(NAME [COLD] DEPENDS rooms... LIBRARIES targets...)
#
# Makes the static library cria_NAME from src/NAME/*.cpp (and its sub-folders) and, when tests are on, the program
# NAME_tests from tests/NAME/*_test.cpp, run by ctest as "NAME". A source called *_avx2.cpp, *_avx512.cpp, ... is compiled for that
# instruction set and left out on other processors. New files need no edit here. COLD: speed is not felt (argument checks, text for people),
# so -O1 will do, which compiles a third faster; so are all tests.

set(CRIA_IS_X86 FALSE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(CRIA_IS_X86 TRUE)
endif()
set(CRIA_ISA_FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2)
set(CRIA_ISA_FLAGS_avx512 ${CRIA_ISA_FLAGS_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni -mprefer-vector-width=512)

function(cria_isa_sources room_sources out)
    set(kept)
    foreach(source IN LISTS ${room_sources})
        set(keep TRUE)
        foreach(isa IN ITEMS avx2 avx512)
            if(source MATCHES "_${isa}\\.cpp$")
                set(keep ${CRIA_IS_X86})
                # Optimised even in debug builds: intrinsics without inlining are too slow to test. g++ 12 warns about the
                # registers that its own AVX-512 header leaves undefined on purpose. With UBSan's checks around every intrinsic
                # such a file compiles for minutes; the address and thread sanitizers stay on.
                set_source_files_properties(${source} PROPERTIES
                    COMPILE_OPTIONS "${CRIA_ISA_FLAGS_${isa}};-O2;-Wno-uninitialized;-fno-sanitize=undefined")
            endif()
        endforeach()
        if(keep)
            list(APPEND kept ${source})
        endif()
    endforeach()
    set(${out} ${kept} PARENT_SCOPE)
endfunction()

function(cria_room name)
    cmake_parse_arguments(ROOM "COLD" "" "DEPENDS;LIBRARIES;TEST_LIBRARIES" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
    cria_isa_sources(sources sources)
    add_library(cria_${name} STATIC ${sources})
    target_include_directories(cria_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    if(ROOM_COLD)
        target_compile_options(cria_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
    list(TRANSFORM ROOM_DEPENDS PREPEND cria_)
    target_link_libraries(cria_${name} PUBLIC cria_flags ${ROOM_DEPENDS} ${ROOM_LIBRARIES})

    file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/*.cpp)
    if(CRIA_TESTS AND tests)
        add_executable(${name}_tests ${tests})
        target_include_directories(${name}_tests PRIVATE ${CMAKE_SOURCE_DIR}/tests)
        target_compile_options(${name}_tests PRIVATE $<$<CONFIG:Release>:-O1>)
        target_link_libraries(${name}_tests PRIVATE cria_${name} ${ROOM_TEST_LIBRARIES} GTest::gtest GTest::gtest_main)
        target_compile_definitions(${name}_tests PRIVATE CRIA_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
        add_test(NAME ${name} COMMAND ${name}_tests)
        set_tests_properties(${name} PROPERTIES LABELS fast TIMEOUT 300)
    endif()
endfunction()
