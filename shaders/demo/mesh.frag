// Blinn-Phong: a sun, a lamp that moves, and haze towards the sky.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

layout(set = 0, binding = 1) uniform sampler2D tiles;
layout(push_constant) uniform Object {
    mat4 model;
    vec4 colour;
    vec4 surface;
} object;

layout(location = 0) in vec3 world_position;
layout(location = 1) in vec3 world_normal;
layout(location = 2) in vec2 texture_uv;
layout(location = 0) out vec4 result;

vec3 shine(vec3 albedo, vec3 normal, vec3 to_eye, vec3 to_light, vec3 light)
{
    float diffuse = max(dot(normal, to_light), 0.0);
    float highlight = pow(max(dot(normal, normalize(to_eye + to_light)), 0.0), object.surface.w);
    return light * (albedo * diffuse + object.surface.z * highlight * step(1e-4, diffuse));
}

void main()
{
    vec3 normal = normalize(world_normal);
    vec3 to_eye = frame.eye.xyz - world_position;
    float distance_to_eye = length(to_eye);
    to_eye /= distance_to_eye;
    vec3 albedo = object.colour.rgb * mix(vec3(1.0), texture(tiles, texture_uv).rgb, object.surface.y);

    vec3 light = albedo * (0.10 + 0.06 * normal.y);
    light += shine(albedo, normal, to_eye, frame.sun.xyz, vec3(0.95, 0.90, 0.80) * frame.sun.w);
    vec3 to_lamp = frame.lamp.xyz - world_position;
    float squared = dot(to_lamp, to_lamp);
    light += shine(albedo, normal, to_eye, to_lamp * inversesqrt(squared), vec3(1.0, 0.45, 0.15) * frame.lamp.w / (1.0 + squared));

    float haze = 1.0 - exp(-max(distance_to_eye - 7.0, 0.0) * 0.07);
    result = vec4(mix(light, frame.sky.rgb, haze), 1.0);
}
