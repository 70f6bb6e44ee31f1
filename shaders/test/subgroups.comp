#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer In { uint a[16]; };
layout(set = 0, binding = 1) buffer Out { uint o[]; };
uint n;
void put(uint v) { o[n] = v; n += 16u; }
void put(bool v) { put(v ? 1u : 0u); }
void main() {
    uint i = gl_LocalInvocationIndex;
    n = i;
    uint x = a[i];
    put(gl_SubgroupInvocationID + 100u * gl_SubgroupID + 1000u * gl_NumSubgroups + 10000u * gl_SubgroupSize);
    put(subgroupAdd(x)); put(subgroupInclusiveAdd(x)); put(subgroupExclusiveAdd(x));
    put(subgroupMax(x)); put(subgroupMin(x)); put(subgroupMul(x | 1u)); put(subgroupXor(x));
    put(floatBitsToUint(subgroupAdd(float(x)))); put(floatBitsToUint(subgroupExclusiveMul(float(x & 3u))));
    put(subgroupClusteredAdd(x, 4u)); put(subgroupClusteredOr(x, 2u));
    put(subgroupBallot(x > 8u).x); put(subgroupBallotBitCount(subgroupBallot(x > 8u)));
    put(subgroupBallotInclusiveBitCount(subgroupBallot(x > 8u))); put(subgroupBallotExclusiveBitCount(subgroupBallot(x > 8u)));
    put(subgroupBallotFindLSB(subgroupBallot(x > 4u))); put(subgroupBallotFindMSB(subgroupBallot(x > 4u)));
    put(subgroupInverseBallot(uvec4(0x5au))); put(subgroupBallotBitExtract(uvec4(0x5au), i & 7u));
    put(subgroupBroadcast(x, 3u)); put(subgroupBroadcastFirst(x));
    put(subgroupShuffle(x, i ^ 5u)); put(subgroupShuffleXor(x, 3u));
    put(subgroupShuffleUp(x, 1u)); put(subgroupShuffleDown(x, 2u));
    put(subgroupQuadBroadcast(x, 2u)); put(subgroupQuadSwapHorizontal(x)); put(subgroupQuadSwapVertical(x)); put(subgroupQuadSwapDiagonal(x));
    put(subgroupAll(x < 100u)); put(subgroupAny(x == 9u)); put(subgroupAllEqual(x)); put(subgroupAllEqual(i / 8u)); put(subgroupElect());
    put(gl_SubgroupEqMask.x); put(gl_SubgroupGeMask.x); put(gl_SubgroupGtMask.x); put(gl_SubgroupLeMask.x); put(gl_SubgroupLtMask.x);
    if (x > 6u) {
        put(subgroupAdd(x)); put(subgroupElect()); put(subgroupBroadcastFirst(x)); put(subgroupInclusiveAdd(1u)); put(subgroupAnd(x)); put(subgroupAll(x > 6u));
    }
}
