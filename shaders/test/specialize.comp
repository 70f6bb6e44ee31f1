#version 450
// Specialization constants that are made of others by conversions between floats.
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 16) in;
layout(constant_id = 0) const float value = 1.5;
const float16_t narrow = float16_t(value);
const float rounded = float(narrow);
layout(set = 0, binding = 0) buffer Out {
    uint result[];
};
void main() {
    uint i = gl_LocalInvocationIndex;
    result[i] = packFloat2x16(f16vec2(narrow, narrow)) & 0xffffu;
    result[16u + i] = floatBitsToUint(rounded);
}
