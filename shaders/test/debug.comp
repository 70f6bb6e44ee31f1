#version 450
#extension GL_EXT_buffer_reference_uvec2 : require
// Moves particles through a chain of buffers; built with its source and lines, so that a fault can be shown in them.
layout(local_size_x = 8) in;

struct Particle {
    vec2 position;
    vec2 velocity;
};

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Particles {
    Particle items[];
};

layout(push_constant) uniform Step {
    uvec2 address;
    float seconds;
    uint count;
};

vec2 advance(Particle particle) {
    return particle.position + particle.velocity * seconds;
}

void main() {
    uint index = gl_GlobalInvocationID.x;
    if (index >= count) return;
    Particles particles = Particles(address);
    Particle particle = particles.items[index];
    vec2 moved = advance(particle);
    particles.items[index].position = moved;
}
