#version 450
// Places vertices and hands a colour on: from a vertex buffer, an instance buffer and push constants.
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 color;
layout(location = 0) flat out vec4 out_color;
layout(push_constant) uniform Push { vec2 shift; float depth; };
void main() {
    gl_Position = vec4(position + shift, depth, 1.0);
    out_color = color;
}
