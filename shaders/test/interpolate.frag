#version 460
// Interpolation of an element that is chosen when the shader runs.
layout(location = 0) sample in vec2 places[2];
layout(location = 0) out vec4 color;
layout(push_constant) uniform P { uint component; int element; };

void main() {
    float at_centroid = interpolateAtCentroid(places[1][component]);
    vec2 at_offset = interpolateAtOffset(places[element], vec2(0.25));
    color = vec4(at_centroid, at_offset, interpolateAtSample(places[0].x, 1));
}
