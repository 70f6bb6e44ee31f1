#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D picture;

shared uint sum;

void main() {
    uint index = gl_LocalInvocationIndex;
    ivec2 place = ivec2(index & 1u, index >> 1 & 1u);
    if (index >= 11u) {
        sum = imageLoad(picture, place).x;
    }
}
