// A square that faces the camera, once for each particle.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

layout(location = 0) in vec4 position_size;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec2 corner;
layout(location = 1) out vec4 tint;

void main()
{
    corner = vec2(float(gl_VertexIndex & 1), float(gl_VertexIndex >> 1)) * 2.0 - 1.0;
    vec3 offset = (frame.right.xyz * corner.x + frame.up.xyz * corner.y) * position_size.w;
    tint = colour;
    gl_Position = frame.view_projection * vec4(position_size.xyz + offset, 1.0);
}
