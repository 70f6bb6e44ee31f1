#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer In { int a[16]; };
layout(set = 0, binding = 1) buffer InB { int b[16]; };
layout(set = 0, binding = 2) buffer Out { uint o[]; };
void put(inout uint n, uint v) { o[n] = v; n += 16u; }
void put(inout uint n, int v) { put(n, uint(v)); }
void put(inout uint n, float v) { put(n, floatBitsToUint(v)); }
void put(inout uint n, bool v) { put(n, v ? 1u : 0u); }
void main() {
    uint i = gl_LocalInvocationIndex, n = i;
    int x = a[i], y = b[i];
    uint u = uint(x), v = uint(y);
    put(n, x + y); put(n, x - y); put(n, x * y);
    put(n, u / v); put(n, u % v); put(n, x / y);
    put(n, x & y); put(n, x | y); put(n, x ^ y); put(n, ~x); put(n, -x);
    put(n, x << (y & 31)); put(n, u >> (v & 31u)); put(n, x >> (y & 31));
    put(n, x < y); put(n, u < v); put(n, x >= y); put(n, u >= v); put(n, x == y); put(n, x != y);
    put(n, min(x, y)); put(n, max(x, y)); put(n, min(u, v)); put(n, max(u, v)); put(n, clamp(x, -5, 5));
    put(n, abs(x)); put(n, sign(x));
    put(n, bitCount(u)); put(n, bitfieldReverse(u)); put(n, findLSB(u)); put(n, findMSB(x)); put(n, findMSB(u));
    put(n, bitfieldExtract(u, 3, 7)); put(n, bitfieldExtract(x, 3, 7)); put(n, bitfieldExtract(u, 0, 32));
    put(n, bitfieldExtract(x, 5, 0)); put(n, bitfieldInsert(u, v, 4, 9));
    uint hi, lo; umulExtended(u, v, hi, lo); put(n, hi); put(n, lo);
    int shi, slo; imulExtended(x, y, shi, slo); put(n, shi);
    uint carry; put(n, uaddCarry(u, v, carry)); put(n, carry); put(n, usubBorrow(u, v, carry)); put(n, carry);
    put(n, float(x)); put(n, float(u)); put(n, int(float(x) * 0.5)); put(n, uint(abs(float(x)) * 0.25));
    ivec2 extracted = bitfieldExtract(ivec2(x, y), 4, 8); put(n, extracted.x); put(n, extracted.y);
    uvec2 inserted = bitfieldInsert(uvec2(u, v), uvec2(v, u), 4, 9); put(n, inserted.x); put(n, inserted.y);
}
