#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer In { int a[16]; };
layout(set = 0, binding = 1) buffer Out { int o[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    int n = 3;
    while (a[i] != 0) { n++; if (n == 0) a[i] = 0; }
    o[i] = n;
}
