#version 450
// Spins for ever where the push constant is even, and a while where it is odd.
layout(local_size_x = 1) in;
layout(push_constant) uniform Push { uint start; };
layout(set = 0, binding = 0) buffer Out { uint o; };
void main() {
    uint n = start;
    while (n != 1u) n += 2u;
    o = n;
}
