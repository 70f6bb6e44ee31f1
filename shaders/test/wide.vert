#version 460
#extension GL_ARB_gpu_shader_int64 : require
// Outputs of 64 bits: two locations, half a location.
layout(location = 0) in dvec3 given;
layout(location = 0) flat out dvec3 three;
layout(location = 2, component = 2) flat out uint64_t one;
layout(location = 3) out float after;

void main() {
    three = given * double(gl_VertexIndex);
    one = 5ul + uint64_t(gl_VertexIndex);
    after = 1.0;
    gl_Position = vec4(0.0);
}
