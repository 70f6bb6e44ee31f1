#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 20, local_size_y = 2) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(push_constant) uniform Push { Words words; uint bad; };
struct Pair { uint a; float b; };

uint fetch(Words from, uint at) {
    uint word = from.word[at];
    return word + 1u;
}

void main() {
    uint index = gl_LocalInvocationIndex;
    vec3 place = vec3(gl_GlobalInvocationID) * 0.5;
    Pair pair = Pair(index * 3u, float(index) / 4.0);
    bool strays = gl_WorkGroupID.x == 2u && index >= 13u;
    uint at = strays ? bad : index;
    uint found = fetch(words, at);
    words.word[index] = found + pair.a + uint(place.x);
}
