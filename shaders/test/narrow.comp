#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer In { uint64_t a[16]; };
layout(set = 0, binding = 1) buffer Out { uint64_t o[]; };
layout(set = 0, binding = 2) buffer Small { int16_t s[16]; uint8_t b[16]; float16_t h[16]; };
uint n;
void put(uint64_t v) { o[n] = v; n += 16u; }
void put(int64_t v) { put(uint64_t(v)); }
void put(float v) { put(uint64_t(floatBitsToUint(v))); }
void main() {
    uint i = gl_LocalInvocationIndex;
    n = i;
    uint64_t x = a[i];
    int64_t y = int64_t(x);
    put(float(x)); put(float(y)); put(uint64_t(float(x))); put(int64_t(float(y)));
    put(min(x, a[15 - i])); put(max(y, int64_t(a[15 - i]))); put(clamp(y, -5l, 5l)); put(abs(y)); put(sign(y));
    put(subgroupAdd(x)); put(subgroupMin(y)); put(subgroupMax(x)); put(subgroupExclusiveAdd(x)); put(subgroupShuffleXor(x, 1u));
    int16_t t = s[i];
    put(int64_t(int16_t(t * 300s))); put(int64_t(int16_t(t + 32000s))); put(int64_t(t >> 3s)); put(int64_t(t / 7s)); put(int64_t(min(t, 5s)));
    put(int64_t(subgroupAdd(t))); put(int64_t(subgroupMin(t))); put(int64_t(subgroupExclusiveMin(t)));
    uint8_t c = b[i];
    put(uint64_t(uint8_t(c * uint8_t(7)))); put(uint64_t(uint8_t(~c))); put(uint64_t(c << 3)); put(uint64_t(int8_t(c)));
    float16_t f = h[i];
    put(float(f + 0.1hf)); put(float(f * f)); put(float(float16_t(sqrt(abs(f))))); put(uint64_t(uint(int(f))));
    s[i] = int16_t(i * 5u); b[i] = uint8_t(i * 17u); h[i] = float16_t(float(i) * 0.3);
}
