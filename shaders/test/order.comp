#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { uint next; uint order[]; };
void main() {
    order[gl_WorkGroupID.x] = atomicAdd(next, 1u);
}
