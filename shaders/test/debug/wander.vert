#version 450

void main() {
    uint n = gl_VertexIndex == 5 ? 1u : 0u;
    while (n != 0u) {
        n ^= n << 13;
        n ^= n >> 17;
        n ^= n << 5;
    }
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1) * 4.0 - 1.0, 0.0, 1.0);
}
