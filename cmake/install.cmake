# libcria (the C++ interface: all rooms in one static library) and what `cmake --install` puts where:
#   bin/cria, lib/libllama.so.0 (+ libggml.so names), lib/libcria.a, include/{llama,ggml,ggml-backend}.h, include/cria/<room>/*.h,
#   pkg-config files llama.pc and cria.pc, and a CMake package with the targets cria::llama and cria::cria.
include(CMakePackageConfigHelpers)

# System libraries that objects of the archive refer to.
set(CRIA_ARCHIVE_LIBRARIES utf8proc)
set(CRIA_ARCHIVE_FLAGS -lutf8proc)

set(objects)
foreach(room IN LISTS CRIA_ROOMS)
    if(TARGET cria_${room})
        list(APPEND objects $<TARGET_OBJECTS:cria_${room}>)
    endif()
endforeach()
add_library(cria STATIC ${objects})
target_include_directories(cria INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/cria>)
target_compile_features(cria INTERFACE cxx_std_20)
# Needed by whoever links the archive; nothing of them is in the headers but fmt.
target_link_libraries(cria INTERFACE fmt::fmt Threads::Threads ${CRIA_ARCHIVE_LIBRARIES})

install(TARGETS llama cria EXPORT cria-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(CODE "foreach(name IN ITEMS libggml.so libggml.so.0)
    file(CREATE_LINK libllama.so.0 \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/\${name}\" SYMBOLIC)
endforeach()")
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cria FILES_MATCHING PATTERN "*.h" PATTERN "capi" EXCLUDE)

foreach(name IN ITEMS llama cria)
    configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cria)
install(EXPORT cria-targets NAMESPACE cria:: DESTINATION ${package_dir})
configure_package_config_file(cmake/cria-config.cmake.in ${CMAKE_BINARY_DIR}/cria-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cria-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cria-config.cmake ${CMAKE_BINARY_DIR}/cria-config-version.cmake DESTINATION ${package_dir})
