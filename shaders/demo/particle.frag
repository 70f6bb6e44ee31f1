#version 450
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 tint;
layout(location = 0) out vec4 result;

void main()
{
    float squared = dot(corner, corner);
    if (squared > 1.0)
        discard;
    float glow = (1.0 - squared) * (1.0 - squared);
    result = vec4(tint.rgb * tint.a * glow, 0.0);
}
