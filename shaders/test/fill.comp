#version 450
// Writes `value + global index` at the global index, workgroups counted from the base.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Out { uint words[]; };
layout(push_constant) uniform Push { uint value; };
void main() {
    words[gl_GlobalInvocationID.x] = value + gl_GlobalInvocationID.x;
}
