#version 450
// Samples a texture on a grid of coordinates, with the grid's steps as derivatives.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D image;
layout(binding = 1) writeonly buffer Out { vec4 texels[]; };
layout(push_constant) uniform Grid { vec2 dx, dy, origin; };

void main() {
    vec2 at = origin + gl_GlobalInvocationID.x * dx + gl_GlobalInvocationID.y * dy;
    uint width = gl_NumWorkGroups.x * 8;
    texels[gl_GlobalInvocationID.y * width + gl_GlobalInvocationID.x] = textureGrad(image, at, dx, dy);
}
