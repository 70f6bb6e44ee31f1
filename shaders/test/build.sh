#!/bin/sh
# Compiles the test shaders, as they come and optimised; the results are kept beside the sources.
cd "$(dirname "$0")" || exit 1
for source in *.comp *.vert *.frag; do
    [ -e "$source" ] && glslangValidator --quiet -V --target-env vulkan1.1 -o "$source.spv" "$source" &&
        spirv-opt -O --target-env=vulkan1.1 -o "$source.opt.spv" "$source.spv"
done
for source in *.spvasm; do
    [ -e "$source" ] && spirv-as --target-env vulkan1.1 -o "${source%.spvasm}.spv" "$source"
done
