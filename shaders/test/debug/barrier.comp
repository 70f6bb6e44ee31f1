#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 40) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(push_constant) uniform Push { Words words; uint bad; };

shared uint doubled[40];

void main() {
    uint index = gl_LocalInvocationIndex;
    doubled[index] = index * 2u;
    if (index == 0u) {
        atomicAdd(words.word[0], 1u);
    }
    barrier();
    uint other = doubled[39u - index];
    uint rounds = 0u;
    for (uint i = 0u; i < index; i++) {
        rounds += i & 1u;
    }
    if (other == 8u) {
        words.word[bad] = rounds;
    }
}
