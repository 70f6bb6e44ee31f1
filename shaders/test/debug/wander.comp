#version 450
layout(local_size_x = 16) in;
layout(push_constant) uniform Push { uint start; };

void main() {
    uint n = gl_WorkGroupID.x == 1u && gl_LocalInvocationID.x == 13u ? start : 0u;
    while (n != 0u) {
        n ^= n << 13;
        n ^= n >> 17;
        n ^= n << 5;
    }
}
