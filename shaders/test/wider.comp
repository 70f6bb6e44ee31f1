#version 450
// Declares more bytes a texel than the view that is bound may have.
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0, rgba8) uniform image2D image;
layout(binding = 1) buffer Out { vec4 was[]; };

void main() {
    ivec2 at = ivec2(gl_LocalInvocationID.xy);
    was[gl_LocalInvocationIndex] = imageLoad(image, at);
    imageStore(image, at, vec4(1.0));
}
