#version 450
// Reads through descriptors of arrays whose elements differ from lane to lane.
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Result { uint words[]; } result;
layout(set = 0, binding = 1) uniform Uniform { uint value; } uniforms[4];
layout(set = 0, binding = 2) buffer Storage { uint value; } storages[4];
layout(set = 0, binding = 3) uniform usamplerBuffer texels[4];
layout(set = 0, binding = 4, r32ui) uniform uimageBuffer stored_texels[4];
layout(set = 0, binding = 5, r32ui) uniform uimage2D stored[4];
layout(set = 0, binding = 6) uniform usampler2D textures[];

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint n = lane * 7 % 4;
    uint sum = uniforms[nonuniformEXT(n)].value;
    sum = sum * 10 + storages[nonuniformEXT(n)].value;
    sum = sum * 10 + texelFetch(texels[nonuniformEXT(n)], 0).x;
    sum = sum * 10 + imageLoad(stored_texels[nonuniformEXT(n)], 0).x;
    sum = sum * 10 + imageLoad(stored[nonuniformEXT(n)], ivec2(0, 0)).x;
    // Only some lanes look at the array of variable size, at elements that are there.
    if (lane % 3 == 0) {
        uint element = lane % 2;
        sum = sum * 10 + textureLod(textures[nonuniformEXT(element)], vec2(0.5), 0.0).x;
    }
    result.words[lane] = sum;
    atomicAdd(storages[nonuniformEXT(n)].value, 1);
}
