#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer In { int a[16]; };
layout(set = 0, binding = 1) buffer Out { int o[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    while (a[i] != 0) {
        float f = float(o[i]);
        if (sin(f) + cos(f) + exp(f) + log(f) + pow(f, f) == 1.0) a[i] = 0;
        o[i]++;
    }
}
