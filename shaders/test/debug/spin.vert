#version 450

void main() {
    float depth = 0.0;
    for (int i = 0; i < 10; i += gl_VertexIndex == 5 ? 0 : 1) {
        depth += 0.001;
    }
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1) * 4.0 - 1.0, depth, 1.0);
}
