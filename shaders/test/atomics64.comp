#version 460
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer A { uint64_t a[]; };
layout(set = 0, binding = 1) buffer B { uint64_t b[]; };
layout(set = 0, binding = 2) writeonly buffer C { uint64_t c[]; };

shared int64_t least, most;
shared uint64_t sum;

void main() {
    uint i = gl_LocalInvocationIndex;
    uint64_t x = a[i];
    uint at = i;
#define OUT(v) c[at] = (v); at += 16u
    OUT(atomicAdd(b[0], x));
    OUT(atomicAnd(b[1], x | 0xff00000000000000ul));
    OUT(atomicOr(b[2], x));
    OUT(atomicXor(b[3], x));
    OUT(atomicMin(b[4], x));
    OUT(atomicMax(b[5], x));
    OUT(atomicExchange(b[6], x));
    OUT(atomicCompSwap(b[7], uint64_t(i) << 32, (uint64_t(i) + 1ul) << 32));
    OUT(atomicAdd(b[8u + (i & 3u)], x << 7));
    if (i == 0u) {
        least = 0x7fffffffffffffffl;
        most = -0x7fffffffffffffffl;
        atomicStore(sum, 5ul, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsRelaxed);
    }
    barrier();
    if ((i & 1u) == 1u) {
        atomicAdd(sum, x);
    }
    atomicMin(least, int64_t(x));
    atomicMax(most, int64_t(x));
    barrier();
    OUT(atomicLoad(sum, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsRelaxed));
    OUT(uint64_t(least));
    OUT(uint64_t(most));
}
