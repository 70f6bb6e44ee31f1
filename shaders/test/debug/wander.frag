#version 450
layout(location = 0) out vec4 color;

void main() {
    uint n = gl_FragCoord.x > 70.0 && gl_FragCoord.y > 66.0 ? 1u : 0u;
    while (n != 0u) {
        n ^= n << 13;
        n ^= n >> 17;
        n ^= n << 5;
    }
    color = vec4(float(n));
}
