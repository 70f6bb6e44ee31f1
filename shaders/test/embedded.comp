#version 450
// Samples with a sampler that is part of its set's layout, at a place that push constants give.
layout(local_size_x = 1) in;
layout(push_constant) uniform Push { float x; uint slot; };
layout(set = 0, binding = 0) buffer Result { uint words[]; } result;
layout(set = 1, binding = 0) uniform utexture2D image;
layout(set = 2, binding = 1) uniform sampler state;

void main() {
    result.words[slot] = textureLod(usampler2D(image, state), vec2(x, 0.25), 0.0).x;
}
