#version 450
layout(local_size_x = 24) in;
layout(push_constant) uniform Push { uint stuck; };

uint turn(uint count) {
    uint rest = count;
    while (rest != 0u) {
        rest -= gl_LocalInvocationIndex >= stuck ? 0u : 1u;
    }
    return rest;
}

shared uint sum;

void main() {
    uint few = turn(gl_WorkGroupID.x == 1u ? gl_LocalInvocationIndex : 0u);
    sum = few;
}
