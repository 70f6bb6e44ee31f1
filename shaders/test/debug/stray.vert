#version 450
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { float word[]; };
layout(push_constant) uniform Push { Words words; int bad; };

void main() {
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1) * 4.0 - 1.0;
    int at = gl_InstanceIndex == 3 && gl_VertexIndex == 11 ? bad : 0;
    float depth = words.word[at];
    gl_Position = vec4(corner, depth, 1.0);
}
