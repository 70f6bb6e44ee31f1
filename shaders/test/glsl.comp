#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer In { float a[16]; };
layout(set = 0, binding = 1) buffer Out { float o[]; };
uint n;
void put(float v) { o[n] = v; n += 16u; }
void main() {
    uint i = gl_LocalInvocationIndex;
    n = i;
    float x = a[i], y = a[15u - i];
    put(floor(x)); put(ceil(x)); put(trunc(x)); put(roundEven(x)); put(fract(x)); put(abs(x)); put(sign(x));
    put(sqrt(abs(x))); put(inversesqrt(abs(x) + 1.0)); put(min(x, y)); put(max(x, y)); put(clamp(x, -1.0, 1.0));
    put(mix(x, y, 0.25)); put(step(x, y)); put(smoothstep(-2.0, 2.0, x)); put(fma(x, y, 1.0)); put(mod(x, 1.5));
    put(sin(x)); put(cos(x)); put(tan(x)); put(atan(x)); put(atan(x, y)); put(exp(x)); put(exp2(x)); put(log(abs(x) + 0.5)); put(log2(abs(x) + 0.5));
    put(pow(abs(x) + 0.1, y)); put(sinh(x)); put(cosh(x)); put(tanh(x)); put(asinh(x)); put(acosh(abs(x) + 1.0)); put(atanh(x * 0.1)); put(asin(x * 0.1)); put(acos(x * 0.1));
    put(radians(x)); put(degrees(x));
    vec3 u = vec3(x, y, 1.0), v = vec3(y, 0.5, x);
    put(length(u)); put(distance(u, v)); put(dot(u, v)); put(cross(u, v).y); put(normalize(u).z); put(reflect(u, normalize(v)).x); put(refract(normalize(u), normalize(v), 0.7).y); put(faceforward(u, v, u).x);
    mat3 m = mat3(x, 1.0, 2.0, y, 3.0, -1.0, 0.5, 4.0, 2.0);
    put(determinant(m)); put(inverse(m)[1][2]); put(transpose(m)[0][1]); put((m * u).y); put((u * m).z); put((m * m)[2][1]); put(outerProduct(u, v)[1][2]); put((m * 2.0)[1][1]);
    put(determinant(mat2(x, y, 1.0, 2.0))); put(inverse(mat4(1.0, x, 0.0, 0.0, 0.0, 1.0, y, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 1.0))[2][0]);
    float whole; put(modf(x, whole)); put(whole);
    int e; put(frexp(x, e)); put(float(e)); put(ldexp(x, int(i) - 8));
    put(uintBitsToFloat(packUnorm4x8(vec4(x, y, 0.5, 1.0)) >> 2)); put(uintBitsToFloat(packSnorm2x16(vec2(x, y)) & 0x3fffffffu)); put(uintBitsToFloat(packHalf2x16(vec2(x, y)) & 0x3fffffffu));
    put(unpackUnorm4x8(0x80ff4001u + i).x); put(unpackSnorm4x8(0x80ff4081u).y); put(unpackHalf2x16(0x3c004200u).y); put(unpackSnorm2x16(0x80007fffu).y);
    put(isnan(x) ? 1.0 : 0.0); put(isinf(x / 0.0) ? 1.0 : 0.0); put(x < y ? 1.0 : 2.0); put(any(lessThan(u, v)) ? 1.0 : 0.0); put(all(greaterThanEqual(u, v)) ? 1.0 : 0.0); put(u == v ? 1.0 : 0.0);
}
