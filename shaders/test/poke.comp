#version 450
#extension GL_EXT_buffer_reference_uvec2 : require
// Reads or writes one word at an address.
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint value; };
layout(push_constant) uniform Where { uvec2 address; uint write; };
layout(set = 0, binding = 0) buffer Out { uint o; };
void main() {
    Word word = Word(address);
    if (write != 0u) word.value = 7u; else o = word.value;
}
