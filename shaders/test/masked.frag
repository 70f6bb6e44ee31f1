#version 450
// Fragments from column `first` on store where nothing is bound.
layout(push_constant) uniform Where { uint at; uint first; };
layout(set = 0, binding = 0) buffer Words { uint w[]; };
layout(location = 0) out vec4 color;

void main() {
    uint column = uint(gl_FragCoord.x);
    if (column >= first) {
        w[at + column] = 1u;
    }
    color = vec4(1);
}
