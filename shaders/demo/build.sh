#!/bin/sh
# Makes the .spv files, which are committed: building the demo does not need a GLSL compiler.
set -eu
cd "$(dirname "$0")"
for source in *.comp *.vert *.frag; do
    glslangValidator -V --quiet --target-env vulkan1.1 "$source" -o "$source.spv"
    spirv-val --target-env vulkan1.1 "$source.spv"
done
