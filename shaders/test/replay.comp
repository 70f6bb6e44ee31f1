#version 450
// Draws a picture of 16x16 from three textures, with weights from a texel buffer.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform Params { vec4 scale; } params;
layout(set = 0, binding = 1) uniform sampler2D textures[3];
layout(set = 0, binding = 2) uniform samplerBuffer weights;
layout(set = 0, binding = 3, rgba8) uniform writeonly image2D picture;
layout(set = 0, binding = 4) buffer Words { uint words[]; } copy;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec2 uv = (vec2(at) + 0.5) / 8.0 - 0.5;
    vec4 color = vec4(0.0);
    for (int i = 0; i < 3; i++)
        color += textureLod(textures[i], uv, 0.0) * texelFetch(weights, i).x;
    color *= params.scale;
    imageStore(picture, at, color);
    copy.words[at.y * 16 + at.x] = packUnorm4x8(color);
}
