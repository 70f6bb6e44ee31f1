// What is the same for a whole frame; `Frame` in demo/src/scene.rs.
layout(set = 0, binding = 0, std140) uniform Frame {
    mat4 view_projection;
    vec4 eye;
    vec4 right;
    vec4 up;
    vec4 sun;
    vec4 lamp;
    vec4 sky;
} frame;
