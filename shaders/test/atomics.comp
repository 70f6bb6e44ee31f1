#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Out { uint o[16]; int s[4]; };
layout(set = 0, binding = 1) buffer Old { uint old[]; };
shared uint total;
void main() {
    uint i = gl_LocalInvocationIndex;
    if (i == 0u) total = 5u;
    barrier();
    atomicAdd(o[0], i); atomicMax(o[1], i * 3u); atomicMin(o[2], i + 7u); atomicAnd(o[3], ~(1u << i)); atomicOr(o[4], 1u << i); atomicXor(o[5], i);
    atomicMin(s[0], int(i) - 16); atomicMax(s[1], int(i) - 16);
    if ((i & 3u) == 1u) atomicAdd(o[6 + (i >> 4)], 1u);
    atomicAdd(total, 2u);
    atomicCompSwap(o[8], 0u, 77u);
    barrier();
    old[i] = total + atomicExchange(o[9 + (i & 1u)], 4u) * 0u;
    atomicAdd(o[1000u + i], 1u);
}
