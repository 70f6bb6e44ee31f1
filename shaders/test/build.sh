#!/bin/sh
# Compiles the test shaders, as they come and optimised; the results are kept beside the sources.
cd "$(dirname "$0")" || exit 1
for source in *.comp *.vert *.frag; do
    [ -e "$source" ] && glslangValidator --quiet -V --target-env vulkan1.1 -o "$source.spv" "$source" &&
        spirv-opt -O --target-env=vulkan1.1 -o "$source.opt.spv" "$source.spv"
done
# With source text and lines, as OpLine and as NonSemantic.Shader.DebugInfo.
glslangValidator --quiet -V -g --target-env vulkan1.1 -o debug.comp.spv debug.comp
glslangValidator --quiet -V -gVS --target-env vulkan1.1 -o debug.comp.info.spv debug.comp
for source in *.spvasm; do
    # Of untyped pointers and heaps only the SPIRV-Tools of 2026 know.
    case $source in heap.* | untyped.*) env=vulkan1.3 ;; *) env=vulkan1.1 ;; esac
    spirv-as --target-env $env -o "${source%.spvasm}.spv" "$source"
done
# With lines, variables and sources: in both forms that compilers write.
for source in debug/*.comp debug/*.vert debug/*.frag; do
    case $source in *.spv) continue ;; esac
    glslangValidator --quiet -V -g --target-env vulkan1.1 -o "$source.g.spv" "$source"
    glslangValidator --quiet -V -gVS --target-env vulkan1.1 -o "$source.gvs.spv" "$source"
done
