#version 450
#extension GL_EXT_buffer_reference_uvec2 : require
// Accesses a word at an address, the same in every invocation or one that grows from invocation to invocation.
layout(local_size_x = 16) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint value; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Four { uvec4 values; };
layout(push_constant) uniform Where { uvec2 address; uint kind; uint stride; uint first; };
layout(set = 0, binding = 0) buffer Out { uint o[16]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    if (i < first) return;
    uvec2 at = address;
    uvec4 four;
    if (stride != 0u) {
        uint carry;
        at.x = uaddCarry(address.x, i * stride, carry);
        at.y += carry;
        Word word = Word(at);
        switch (kind) {
        case 0u: o[i] = word.value; break;
        case 1u: word.value = i; break;
        case 2u: o[i] = atomicAdd(word.value, 1u); break;
        case 3u: o[i] = atomicMax(word.value, 1u); break;
        default: four = Four(at).values; o[i] = four.x + four.y + four.z + four.w; break;
        }
    } else {
        Word word = Word(address);
        switch (kind) {
        case 0u: o[i] = word.value; break;
        case 1u: word.value = 7u; break;
        case 2u: o[i] = atomicAdd(word.value, 1u); break;
        case 3u: o[i] = atomicMax(word.value, 1u); break;
        default: four = Four(address).values; o[i] = four.x + four.y + four.z + four.w; break;
        }
    }
}
