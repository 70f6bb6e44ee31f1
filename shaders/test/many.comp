#version 450
// Reads buffers of a long array: every lane others, in a loop that lanes leave at different times.
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 16) in;
layout(push_constant) uniform Push { uint stride; };
layout(set = 0, binding = 0) buffer Result { uint words[]; } result;
layout(set = 1, binding = 3) buffer Many { uint value; } many[];

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint sum = 0;
    for (uint turn = 0; turn <= lane % 3; turn++) {
        uint element = (lane + 5 * turn) % 16 * stride;
        sum = sum * 100 + many[nonuniformEXT(element)].value;
    }
    result.words[lane] = sum;
}
