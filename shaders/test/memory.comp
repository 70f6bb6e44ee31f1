#version 450
// Layouts, dynamic indices, private arrays, matrices, robust access, array length.
layout(local_size_x = 16) in;
struct S { vec3 p; float q; int n[3]; };
layout(set = 0, binding = 0, std430) buffer In { mat3 m; layout(row_major) mat2x3 r; S s[4]; uvec2 tail[]; };
layout(set = 0, binding = 1) buffer Out { uint o[]; };
layout(push_constant) uniform P { uint k; uint far; } pc;
shared uint sh[40];
const float table[5] = float[](1.5, 2.5, 3.5, 4.5, 5.5);
float priv[8];
void main() {
    uint i = gl_LocalInvocationIndex;
    vec3 t = m * vec3(1.0, 2.0, 3.0);
    o[i] = floatBitsToUint(t[i % 3u]);
    o[16 + i] = floatBitsToUint(m[i % 3u][(i / 3u) % 3u]);
    vec3 c = r[1];
    o[32 + i] = floatBitsToUint(c[i % 3u] + r[0][pc.k % 3u]);
    S e = s[i & 3u];
    o[48 + i] = uint(e.n[i % 3u]) + floatBitsToUint(e.p.y) + floatBitsToUint(e.q);
    o[64 + i] = tail[i].x ^ tail[pc.k].y;
    o[80 + i] = uint(tail.length());
    o[96 + i] = tail[i + pc.far].x;
    o[112 + i] = tail[0xffffffffu - i].y;
    o[1000000 + i] = 1u;
    for (uint j = 0u; j < 8u; ++j) priv[j] = float(j * i);
    priv[(i + 1u) & 7u] = 100.0;
    o[128 + i] = floatBitsToUint(priv[i & 7u] + priv[pc.k & 7u] + priv[(i + 1u) & 7u]);
    o[144 + i] = floatBitsToUint(table[i % 5u]);
    sh[i] = i * i; sh[39 - i] = i;
    barrier();
    o[160 + i] = sh[15u - i] + sh[24u + i] + sh[pc.k];
    mat3 w = m; w[1] = vec3(9.0); w[2].y = 5.0;
    o[176 + i] = floatBitsToUint(dot(w[i % 3u], vec3(1.0)));
    vec4 v = vec4(1.0, 2.0, 3.0, 4.0); v[i & 3u] = 10.0;
    o[192 + i] = floatBitsToUint(v.x + v.y * 2.0 + v.z * 4.0 + v.w * 8.0);
    bool flags[4]; flags[0] = i > 3u; flags[1] = true; flags[2] = pc.k == 1u; flags[3] = false;
    o[208 + i] = flags[i & 3u] ? 1u : 0u;
}
