#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 16) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; uint value; uint pad; };
layout(set = 0, binding = 0) buffer Start { Node first; Node each[16]; };
layout(set = 0, binding = 1) buffer Out { uint o[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    Node n = first;
    uint s = 0u;
    for (uint j = 0u; j < 4u; ++j) { s = s * 10u + n.value; n = n.next; }
    o[i] = s;
    Node m = each[i];
    for (uint j = 0u; j < (i & 3u); ++j) m = m.next;
    o[16 + i] = m.value;
    m.pad = i;
}
