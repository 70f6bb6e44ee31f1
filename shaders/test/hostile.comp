#version 450
// Uses one descriptor of each type, as the push constants choose.
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 8) in;
layout(push_constant) uniform Push { int which; int at; } push;
layout(set = 0, binding = 0) uniform Uniform { uvec4 words[64]; } uniforms;
layout(set = 0, binding = 1) buffer Storage { uint words[]; } stored_words;
layout(set = 0, binding = 2) uniform utextureBuffer texels;
layout(set = 0, binding = 3, r32ui) uniform uimageBuffer stored_texels;
layout(set = 0, binding = 4) uniform imageBuffer any_texels;
layout(set = 0, binding = 5) uniform texture2D separate;
layout(set = 0, binding = 6) uniform sampler state;
layout(set = 0, binding = 7) uniform sampler2DArray combined;
layout(set = 0, binding = 8) uniform samplerCube cube;
layout(set = 0, binding = 9, r32ui) uniform uimage2D stored;
layout(set = 0, binding = 10) uniform image3D any_image;
layout(set = 0, binding = 11) uniform sampler2DShadow shadow;
layout(set = 0, binding = 12) uniform texture2DMS samples;
layout(set = 1, binding = 0) buffer Result { uint words[8]; } result;

uint word(vec4 color) { return packUnorm4x8(color); }

void main() {
    int lane = int(gl_LocalInvocationID.x);
    int i = push.at + lane;
    vec2 uv = vec2(i, lane) * 0.37;
    uint value = 0;
    switch (push.which) {
    case 0: value = uniforms.words[i & 63].y; break;
    case 1: stored_words.words[i & 255] += 1; value = stored_words.words.length(); break;
    case 2: value = texelFetch(texels, i).x + textureSize(texels); break;
    case 3: imageStore(stored_texels, i & 15, imageLoad(stored_texels, i)); break;
    case 4: imageStore(any_texels, i & 15, vec4(i)); value = word(imageLoad(any_texels, i)); break;
    case 5: value = word(texelFetch(separate, ivec2(i & 15, lane), i & 7)); break;
    case 6: value = word(textureLod(sampler2D(separate, state), uv, float(i & 7))); break;
    case 7: value = word(textureLod(combined, vec3(uv, i & 3), float(i & 3) * 0.7)); break;
    case 8: value = word(textureGather(cube, vec3(uv, 1.0 - lane))) + textureSize(cube, 0).x; break;
    case 9: value = imageAtomicAdd(stored, ivec2(i & 15, lane), 1u); break;
    case 10: imageStore(any_image, ivec3(i & 3, lane & 3, 1), vec4(1)); value = word(imageLoad(any_image, ivec3(i & 3))); break;
    case 11: value = uint(textureLod(shadow, vec3(uv, 0.5), 0.0) * 255.0); break;
    case 12: value = word(texelFetch(samples, ivec2(i & 15, lane), i & 3)); break;
    }
    result.words[lane] = value;
}
