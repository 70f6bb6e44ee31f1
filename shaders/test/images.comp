#version 450
// Every way to get at an image; invocation i works on its own texel, and writes results n * 8 + i.
layout(local_size_x = 8) in;

layout(binding = 0) uniform sampler2D nearest;
layout(binding = 1) uniform sampler2D linear;
layout(binding = 2) uniform samplerCube cube;
layout(binding = 3) uniform sampler2D compressed;
layout(binding = 4) uniform sampler2DShadow shadow;
layout(binding = 5, rgba8) uniform image2D known;
layout(binding = 6) uniform writeonly image2D unknown;
layout(binding = 7, r32ui) uniform uimage2D counter;
layout(binding = 8) uniform usamplerBuffer words;
layout(binding = 9, std430) buffer Out { vec4 result[]; };

void main() {
    int i = int(gl_LocalInvocationIndex);
    ivec2 at = ivec2(i & 3, i >> 2);
    vec2 center = (vec2(at) + 0.5) / 4.0;
    vec2 corner = (vec2(at) + 1.0) / 4.0;
    result[i] = textureLod(nearest, center, 0.0);
    result[8 + i] = textureLod(linear, corner, 0.0);
    result[16 + i] = textureLod(nearest, (vec2(at & 1) + 0.5) / 2.0, 1.0);
    result[24 + i] = textureLod(linear, vec2(0.5), float(i) / 8.0);
    result[32 + i] = texelFetch(nearest, at - ivec2(1, 0), 0);
    result[40 + i] = vec4(textureSize(nearest, 1), textureQueryLevels(nearest), textureSize(cube, 0).x);
    result[48 + i] = textureGather(nearest, corner, 1);
    vec3 axes[6] = vec3[](vec3(1, 0, 0), vec3(-1, 0, 0), vec3(0, 1, 0), vec3(0, -1, 0), vec3(0, 0, 1), vec3(0, 0, -1));
    result[56 + i] = textureLod(cube, axes[i % 6], 0.0);
    result[64 + i] = textureLod(compressed, center, 0.0);
    result[72 + i] = vec4(textureLod(shadow, vec3(center, float(i) / 8.0), 0.0));
    result[80 + i] = imageLoad(known, ivec2(i, 0));
    imageStore(known, ivec2(i, 1), vec4(float(i) / 255.0, 0.2, 1.0, 0.0));
    imageStore(unknown, at, vec4(float(i), -0.5, 0.0, 0.0));
    result[88 + i] = vec4(imageAtomicAdd(counter, ivec2(1, 0), 2u));
    result[96 + i] = vec4(texelFetch(words, i - 1));
}
