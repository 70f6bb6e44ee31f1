#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

layout(push_constant) uniform Object {
    mat4 model;
    vec4 colour;
    // Texture repeats, strength of the texture, strength and exponent of the highlight.
    vec4 surface;
} object;

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec3 world_position;
layout(location = 1) out vec3 world_normal;
layout(location = 2) out vec2 texture_uv;

void main()
{
    vec4 world = object.model * vec4(position, 1.0);
    world_position = world.xyz;
    // Models are rotated, moved and scaled alike along all axes, so normals need no inverse.
    world_normal = mat3(object.model) * normal;
    texture_uv = uv * object.surface.x;
    gl_Position = frame.view_projection * world;
}
