#version 450
layout(location = 0) out vec4 color;

void main() {
    color = vec4(0.0);
    int turns = 0;
    while (color.x < 1.0) {
        turns++;
        color.x += gl_FragCoord.x > 70.0 && gl_FragCoord.y > 66.0 ? 0.0 : 0.125;
    }
    color.y = float(turns);
}
