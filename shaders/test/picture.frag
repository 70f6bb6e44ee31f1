#version 450
// A texture, tinted: both from the same set.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) uniform Tint { vec4 tint; };
void main() {
    color = texture(image, uv) * tint;
}
