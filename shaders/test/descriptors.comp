#version 450
// Reads one value through each type of descriptor.
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform Uniform { uint value; } uniforms[2];
layout(set = 0, binding = 2) buffer Result { uint words[]; } result;
layout(set = 0, binding = 3) uniform Dynamic { uint value; } moved;
layout(set = 0, binding = 4) uniform usamplerBuffer texels;
layout(set = 0, binding = 5, r32ui) uniform uimageBuffer stored_texels;
layout(set = 0, binding = 6) uniform usampler2D combined[2];
layout(set = 0, binding = 8, r32ui) uniform uimage2D stored;
layout(set = 0, binding = 9) uniform utexture2D separate;
layout(set = 0, binding = 10) uniform sampler state;
layout(set = 1, binding = 3) readonly buffer Other { uint words[]; } other;

void main() {
    result.words[0] = uniforms[0].value;
    result.words[1] = uniforms[1].value;
    result.words[2] = moved.value;
    result.words[3] = texelFetch(texels, 1).x;
    result.words[4] = imageLoad(stored_texels, 2).x;
    result.words[5] = texelFetch(combined[1], ivec2(1, 0), 0).x;
    result.words[6] = textureLod(usampler2D(separate, state), vec2(0.75, 0.25), 0.0).x;
    result.words[7] = imageLoad(stored, ivec2(0, 1)).x;
    result.words[8] = other.words[1];
    result.words[9] = uint(other.words.length());
    result.words[10] = texelFetch(texels, 100).x;
    result.words[11] = uint(textureSize(texels));
    result.words[12] = textureLod(combined[0], vec2(0.25, 0.75), 0.0).x;
    imageStore(stored, ivec2(1, 1), uvec4(77));
    imageStore(stored_texels, 0, uvec4(78));
}
