#version 450
// Invocations from `first` on access what lies outside of what is bound, at `at` plus their number.
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 40) in;
layout(push_constant) uniform Where { uint kind; uint at; uint first; };
layout(set = 0, binding = 0) buffer Words { uint w[]; };
layout(set = 0, binding = 1) uniform Vectors { uvec4 v[64]; };
layout(set = 0, binding = 2) uniform usamplerBuffer texels;
layout(set = 0, binding = 3, r32ui) uniform uimageBuffer stored_texels;
layout(set = 0, binding = 4, r32ui) uniform uimage2D stored;
layout(set = 0, binding = 5) uniform utexture2D sampled;
layout(set = 0, binding = 6) uniform writeonly uimage2D any;
layout(set = 0, binding = 7) buffer Out { uint o[40]; };
layout(set = 0, binding = 8) buffer Many { uint w[]; } many[4];

void main() {
    uint i = gl_LocalInvocationIndex;
    bool strays = i >= first;
    uint n = strays ? at + i : i & 1u;
    int s = int(n);
    switch (kind) {
    case 0u: o[i] = w[n]; break;
    case 1u: w[n] = i; break;
    case 2u: o[i] = atomicAdd(w[n], 1u); break;
    case 3u: o[i] = v[n].y; break;
    case 4u: o[i] = texelFetch(texels, s).x; break;
    case 5u: o[i] = imageLoad(stored_texels, s).x; break;
    case 6u: imageStore(stored_texels, s, uvec4(i)); break;
    case 7u: o[i] = imageAtomicAdd(stored_texels, s, 1u); break;
    case 8u: o[i] = imageLoad(stored, ivec2(s, 1)).x; break;
    case 9u: imageStore(stored, ivec2(1, s), uvec4(i)); break;
    case 10u: o[i] = imageAtomicAdd(stored, ivec2(s, 0), 1u); break;
    case 11u: o[i] = texelFetch(sampled, ivec2(s, 0), 0).x; break;
    case 12u: o[i] = texelFetch(sampled, ivec2(0), strays ? 9 : 0).x; break;
    case 13u: imageStore(any, ivec2(s, 0), uvec4(i)); break;
    case 14u: o[0] = w[at]; break;
    // One instruction, many times: in the lowest invocation the last turn strays, in the others all.
    case 15u: for (uint k = 0u; k < 64u; ++k) { o[i] += w[i > first || i == first && k == 63u ? n + k : 0u]; } break;
    case 16u: o[i] = many[i & 3u].w[n]; break;
    default: for (uint k = 0u; k < 2u; ++k) { w[n] = i; o[i] = w[n + 1u]; }
    }
}
