#version 460
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer A { double a[]; };
layout(set = 0, binding = 1) readonly buffer B { double b[]; };
layout(set = 0, binding = 2) writeonly buffer C { double c[]; };
layout(push_constant) uniform P { uint row; };

shared double cells[16];

double pick(double table[4], uint i) { return table[i & 3u]; }

void main() {
    uint i = gl_LocalInvocationIndex;
    double x = a[i], y = b[i];
    uint at = i;
#define OUT(v) c[at] = (v); at += 16u
    OUT(x + y);
    OUT(x - y);
    OUT(x * y);
    OUT(x / y);
    OUT(sqrt(x));
    OUT(fma(x, y, -x));
    OUT(floor(x));
    OUT(ceil(x));
    OUT(trunc(x));
    OUT(roundEven(x));
    OUT(x < y ? 1.0lf : x == y ? 2.0lf : x > y ? 3.0lf : 4.0lf);
    OUT(x <= y ? 1.0lf : 2.0lf);
    OUT(x != y ? 1.0lf : 2.0lf);
    OUT(double(float(x)));
    OUT(packDouble2x32(uvec2(float16BitsToUint16(float16_t(x)), isnan(x) ? 1 : isinf(x) ? 2 : 0)));
    OUT(double(int(x)));
    OUT(packDouble2x32(uvec2(uint(abs(x)), 0)));
    OUT(int64BitsToDouble(int64_t(x)));
    OUT(uint64BitsToDouble(uint64_t(abs(x))));
    OUT(double(doubleBitsToInt64(x)));
    OUT(double(doubleBitsToUint64(y)));
    OUT(double(int(unpackDouble2x32(x).y)) + double(unpackDouble2x32(x).x));
    OUT(-abs(y));
    int e;
    double significand = frexp(x, e);
    OUT(significand);
    OUT(double(e));
    OUT(ldexp(significand, e));
    double whole;
    OUT(modf(x, whole));
    OUT(whole);
    OUT(sign(x) + step(x, y));
    OUT(min(x, y));
    OUT(max(x, y));
    OUT(dot(dvec2(x, y), dvec2(y, x)));
    OUT((dmat2(x, 1.0lf, 2.0lf, y) * dvec2(y, 3.0lf)).y);
    double table[4] = double[4](x, y, 1.5lf, x + 1.0lf);
    OUT(pick(table, i));
    cells[i] = x;
    barrier();
    OUT(cells[15u - i] + cells[0]);
    double sum = 0.0lf;
    for (uint n = 0u; n <= i; n++) {
        sum += a[n];
        if (n == 9u) break;
    }
    OUT(sum);
    // The same in every lane.
    OUT(a[3] * b[row]);
}
