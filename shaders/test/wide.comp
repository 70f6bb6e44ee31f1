#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer In { uint64_t a[16]; };
layout(set = 0, binding = 1) buffer InB { uint64_t b[16]; };
layout(set = 0, binding = 2) buffer Out { uint64_t o[]; };
layout(push_constant) uniform P { uint64_t k; } pc;
uint n;
void put(uint64_t v) { o[n] = v; n += 16u; }
void put(int64_t v) { put(uint64_t(v)); }
void put(bool v) { put(v ? 1ul : 0ul); }
void main() {
    uint i = gl_LocalInvocationIndex;
    n = i;
    uint64_t x = a[i], y = b[i];
    int64_t s = int64_t(x), t = int64_t(y);
    put(x + y); put(x - y); put(x * y); put(x & y); put(x | y); put(x ^ y); put(~x); put(-s);
    put(x << (i * 4u)); put(x >> (i * 4u)); put(s >> (i * 4u));
    put(x < y); put(s < t); put(x <= y); put(s > t); put(x == y); put(x != y); put(s >= t);
    put(x / y); put(x % y); put(s / t);
    put(uint64_t(i) * pc.k); put(int64_t(int(i) - 8)); put(uint64_t(uint(x)) + pc.k);
    put(pc.k * pc.k + 7ul); put(pc.k >> 3); put(pc.k < 5ul);
    uint64_t acc = 1ul;
    for (uint j = 0u; j < i; ++j) acc = acc * 6364136223846793005ul + 1442695040888963407ul;
    put(acc);
}
