#version 450
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(push_constant) uniform Push { Words words; int bad; };
layout(location = 0) out vec4 color;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    bool strays = pixel.x >= 77 && pixel.y >= 70 && words.word[0] == 0u;
    color = vec4(pixel, 0.0, 1.0) / 255.0;
    if (strays) {
        words.word[bad] = uint(pixel.x);
    }
}
