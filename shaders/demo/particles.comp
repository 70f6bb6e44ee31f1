// A ring of sparks around the scene; the vertex stage reads them as instances.
#version 450
layout(local_size_x = 64) in;

struct Particle {
    vec4 position_size;
    vec4 colour;
};
layout(set = 0, binding = 1, std430) writeonly buffer Particles { Particle particles[]; };
layout(push_constant) uniform Constants { float time; uint count; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    float part = float(i) / float(count);
    float turn = part * 6.2831853;
    float angle = turn + time * 0.6;
    float radius = 3.4 + 0.35 * sin(turn * 5.0 + time);
    float height = 1.2 + 0.55 * sin(turn * 3.0 - time * 1.4);
    float glow = 0.5 + 0.5 * cos(turn * 8.0 + time * 3.0);
    particles[i].position_size = vec4(radius * cos(angle), height, radius * sin(angle), 0.05 + 0.06 * glow);
    vec3 warm = vec3(1.0, 0.55, 0.18), cold = vec3(0.25, 0.55, 1.0);
    particles[i].colour = vec4(mix(warm, cold, 0.5 + 0.5 * sin(turn)), 0.35 + 0.65 * glow);
}
