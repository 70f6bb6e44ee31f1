//! The vector opcodes that are emitted, as one table. One row serves the VEX form (8 lanes) and the EVEX form
//! (16 lanes) where both exist; the tests decode every row.

/// Vector length of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Len {
    /// The width of the wave: 256 or 512 bits.
    Native,
    /// 128 bits, also scalars in vector registers.
    X128,
    /// VEX with L = 0 on general or mask registers, whatever the wave.
    Vex0,
    /// VEX with L = 1 on mask registers, whatever the wave.
    Vex1,
}

/// What a memory operand of the EVEX form holds: decides how 8-bit displacements scale.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tuple {
    /// The whole vector, or one element broadcast.
    Full,
    /// The whole vector, no broadcast.
    FullMem,
    /// Half a vector.
    Half,
    /// One 32-bit element.
    Scalar,
    /// No memory operand.
    None,
}

/// An opcode: prefix, map, byte and how it behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Opcode {
    /// Mandatory prefix: 0 none, 1 `66`, 2 `F3`, 3 `F2`.
    pub pp: u8,
    /// Map: 1 `0F`, 2 `0F38`, 3 `0F3A`.
    pub map: u8,
    /// The opcode byte.
    pub byte: u8,
    /// W bit of the EVEX form, and of the VEX form unless `wig`.
    pub w: bool,
    /// The VEX form ignores W.
    pub wig: bool,
    /// Extension in ModRM.reg, if the opcode has one.
    pub ext: u8,
    /// Vector length.
    pub len: Len,
    /// Memory operand.
    pub tuple: Tuple,
    /// Whether an immediate byte follows.
    pub imm: bool,
}

macro_rules! opcodes {
    ($($name:ident $vex:literal $evex:literal $pp:literal $map:literal $byte:literal $w:ident $len:ident $tuple:ident $(/ $ext:literal)? $(# $imm:ident)?;)*) => {
        $(pub(super) const $name: Opcode = Opcode {
            pp: $pp,
            map: $map,
            byte: $byte,
            w: opcodes!(@w $w),
            wig: opcodes!(@wig $w),
            ext: 0 $(+ $ext)?,
            len: Len::$len,
            tuple: Tuple::$tuple,
            imm: opcodes!(@imm $($imm)?),
        };)*

        /// Every row: the opcode, its mnemonic in the VEX form and in the EVEX form (empty where it has none).
        #[cfg(test)]
        pub(super) const ALL: &[(Opcode, &str, &str)] = &[$(($name, $vex, $evex),)*];
    };
    (@w W0) => { false };
    (@w W1) => { true };
    (@w Wig0) => { false };
    (@w Wig1) => { true };
    (@wig W0) => { false };
    (@wig W1) => { false };
    (@wig Wig0) => { true };
    (@wig Wig1) => { true };
    (@imm) => { false };
    (@imm imm) => { true };
}

opcodes! {
    // ---- floats
    ADDPS "vaddps" "vaddps" 0 1 0x58 Wig0 Native Full;
    MULPS "vmulps" "vmulps" 0 1 0x59 Wig0 Native Full;
    SUBPS "vsubps" "vsubps" 0 1 0x5c Wig0 Native Full;
    MINPS "vminps" "vminps" 0 1 0x5d Wig0 Native Full;
    DIVPS "vdivps" "vdivps" 0 1 0x5e Wig0 Native Full;
    MAXPS "vmaxps" "vmaxps" 0 1 0x5f Wig0 Native Full;
    SQRTPS "vsqrtps" "vsqrtps" 0 1 0x51 Wig0 Native Full;
    ROUNDPS "vroundps" "vrndscaleps" 1 3 0x08 Wig0 Native Full # imm;
    CMPPS "vcmpps" "vcmpps" 0 1 0xc2 Wig0 Native Full # imm;
    FMADD132PS "vfmadd132ps" "vfmadd132ps" 1 2 0x98 W0 Native Full;
    FMADD213PS "vfmadd213ps" "vfmadd213ps" 1 2 0xa8 W0 Native Full;
    FMADD231PS "vfmadd231ps" "vfmadd231ps" 1 2 0xb8 W0 Native Full;
    ADDPD "vaddpd" "vaddpd" 1 1 0x58 Wig1 Native Full;
    SUBPD "vsubpd" "vsubpd" 1 1 0x5c Wig1 Native Full;
    MULPD "vmulpd" "vmulpd" 1 1 0x59 Wig1 Native Full;
    SQRTPD "vsqrtpd" "vsqrtpd" 1 1 0x51 Wig1 Native Full;
    FMADD231PD "vfmadd231pd" "vfmadd231pd" 1 2 0xb8 W1 Native Full;
    DIVPD "vdivpd" "vdivpd" 1 1 0x5e Wig1 Native Full;
    ROUNDPD "vroundpd" "vrndscalepd" 1 3 0x09 Wig1 Native Full # imm;
    ANDPS "vandps" "vandps" 0 1 0x54 Wig0 Native Full;
    ANDNPS "vandnps" "vandnps" 0 1 0x55 Wig0 Native Full;
    ORPS "vorps" "vorps" 0 1 0x56 Wig0 Native Full;
    XORPS "vxorps" "vxorps" 0 1 0x57 Wig0 Native Full;
    // ---- conversions
    CVTTPS2DQ "vcvttps2dq" "vcvttps2dq" 2 1 0x5b Wig0 Native Full;
    CVTDQ2PS "vcvtdq2ps" "vcvtdq2ps" 0 1 0x5b Wig0 Native Full;
    CVTTPS2UDQ "" "vcvttps2udq" 0 1 0x78 W0 Native Full;
    CVTUDQ2PS "" "vcvtudq2ps" 3 1 0x7a W0 Native Full;
    CVTDQ2PD "vcvtdq2pd" "vcvtdq2pd" 2 1 0xe6 Wig0 Native Half;
    CVTTPD2DQ "vcvttpd2dq" "vcvttpd2dq" 1 1 0xe6 Wig1 Native Full;
    CVTUDQ2PD "" "vcvtudq2pd" 2 1 0x7a W0 Native Half;
    CVTTPD2UDQ "" "vcvttpd2udq" 0 1 0x78 W1 Native Full;
    CVTPH2PS "vcvtph2ps" "vcvtph2ps" 1 2 0x13 W0 Native Half;
    CVTPS2PH "vcvtps2ph" "vcvtps2ph" 1 3 0x1d W0 Native Half # imm;
    // ---- integers
    PADDD "vpaddd" "vpaddd" 1 1 0xfe Wig0 Native Full;
    PSUBD "vpsubd" "vpsubd" 1 1 0xfa Wig0 Native Full;
    PMULLD "vpmulld" "vpmulld" 1 2 0x40 Wig0 Native Full;
    PMULDQ "vpmuldq" "vpmuldq" 1 2 0x28 Wig1 Native Full;
    PMULUDQ "vpmuludq" "vpmuludq" 1 1 0xf4 Wig1 Native Full;
    PAND "vpand" "vpandd" 1 1 0xdb Wig0 Native Full;
    PANDN "vpandn" "vpandnd" 1 1 0xdf Wig0 Native Full;
    POR "vpor" "vpord" 1 1 0xeb Wig0 Native Full;
    PXOR "vpxor" "vpxord" 1 1 0xef Wig0 Native Full;
    PMINSD "vpminsd" "vpminsd" 1 2 0x39 Wig0 Native Full;
    PMINUD "vpminud" "vpminud" 1 2 0x3b Wig0 Native Full;
    PMAXSD "vpmaxsd" "vpmaxsd" 1 2 0x3d Wig0 Native Full;
    PMAXUD "vpmaxud" "vpmaxud" 1 2 0x3f Wig0 Native Full;
    PSRLD_I "vpsrld" "vpsrld" 1 1 0x72 Wig0 Native Full / 2 # imm;
    PSRAD_I "vpsrad" "vpsrad" 1 1 0x72 Wig0 Native Full / 4 # imm;
    PSLLD_I "vpslld" "vpslld" 1 1 0x72 Wig0 Native Full / 6 # imm;
    PSRLQ_I "vpsrlq" "vpsrlq" 1 1 0x73 Wig1 Native Full / 2 # imm;
    PSLLVD "vpsllvd" "vpsllvd" 1 2 0x47 W0 Native Full;
    PSRLVD "vpsrlvd" "vpsrlvd" 1 2 0x45 W0 Native Full;
    PSRAVD "vpsravd" "vpsravd" 1 2 0x46 W0 Native Full;
    PCMPEQD "vpcmpeqd" "" 1 1 0x76 Wig0 Native FullMem;
    PCMPGTD "vpcmpgtd" "" 1 1 0x66 Wig0 Native FullMem;
    PCMPD "" "vpcmpd" 1 3 0x1f W0 Native Full # imm;
    PCMPUD "" "vpcmpud" 1 3 0x1e W0 Native Full # imm;
    PTERNLOGD "" "vpternlogd" 1 3 0x25 W0 Native Full # imm;
    // ---- moves, blends and shuffles
    MOVUPS_LOAD "vmovups" "vmovups" 0 1 0x10 Wig0 Native FullMem;
    MOVUPS_STORE "vmovups" "vmovups" 0 1 0x11 Wig0 Native FullMem;
    MOVAPS "vmovaps" "vmovaps" 0 1 0x28 Wig0 Native FullMem;
    MOVAPS_STORE "vmovaps" "vmovaps" 0 1 0x29 Wig0 Native FullMem;
    MASKMOVPS_LOAD "vmaskmovps" "" 1 2 0x2c W0 Native FullMem;
    MASKMOVPS_STORE "vmaskmovps" "" 1 2 0x2e W0 Native FullMem;
    BLENDVPS "vblendvps" "" 1 3 0x4a W0 Native FullMem # imm;
    PBLENDD "vpblendd" "" 1 3 0x02 W0 Native FullMem # imm;
    BLENDMPS "" "vblendmps" 1 2 0x65 W0 Native Full;
    BROADCASTSS "vbroadcastss" "vbroadcastss" 1 2 0x18 W0 Native Scalar;
    PBROADCASTD "vpbroadcastd" "vpbroadcastd" 1 2 0x58 W0 Native Scalar;
    PBROADCASTD_R "" "vpbroadcastd" 1 2 0x7c W0 Native None;
    MOVD_LOAD "vmovd" "vmovd" 1 1 0x6e W0 X128 Scalar;
    MOVD_STORE "vmovd" "vmovd" 1 1 0x7e W0 X128 Scalar;
    ADDSS "vaddss" "vaddss" 2 1 0x58 Wig0 X128 Scalar;
    MOVMSKPS "vmovmskps" "" 0 1 0x50 Wig0 Native None;
    TESTPS "vtestps" "" 1 2 0x0e W0 Native FullMem;
    PSHUFD "vpshufd" "vpshufd" 1 1 0x70 Wig0 Native Full # imm;
    PSHUFB "vpshufb" "vpshufb" 1 2 0x00 Wig0 Native FullMem;
    PERMD "vpermd" "vpermd" 1 2 0x36 W0 Native Full;
    PERMQ "vpermq" "vpermq" 1 3 0x00 W1 Native Full # imm;
    EXTRACTI128 "vextracti128" "" 1 3 0x39 W0 Native Half # imm;
    INSERTI128 "vinserti128" "" 1 3 0x38 W0 Native Half # imm;
    EXTRACTI64X4 "" "vextracti64x4" 1 3 0x3b W1 Native Half # imm;
    INSERTI64X4 "" "vinserti64x4" 1 3 0x3a W1 Native Half # imm;
    PUNPCKLDQ "vpunpckldq" "vpunpckldq" 1 1 0x62 Wig0 Native Full;
    PUNPCKHDQ "vpunpckhdq" "vpunpckhdq" 1 1 0x6a Wig0 Native Full;
    PMOVZXDQ "vpmovzxdq" "vpmovzxdq" 1 2 0x35 Wig0 Native Half;
    PMOVZXWD "vpmovzxwd" "vpmovzxwd" 1 2 0x33 Wig0 Native Half;
    PMOVDW "" "vpmovdw" 2 2 0x33 W0 Native Half;
    PCOMPRESSD "" "vpcompressd" 1 2 0x8b W0 Native Scalar;
    PERMI2D "" "vpermi2d" 1 2 0x76 W0 Native Full;
    SHUFPS "vshufps" "vshufps" 0 1 0xc6 Wig0 Native Full # imm;
    // ---- gathers (the memory operand is vector-indexed)
    PGATHERDD "vpgatherdd" "vpgatherdd" 1 2 0x90 W0 Native Scalar;
    PGATHERQD "vpgatherqd" "vpgatherqd" 1 2 0x91 W0 Native Scalar;
    // ---- mask registers
    KANDW "kandw" "" 0 1 0x41 W0 Vex1 None;
    KANDNW "kandnw" "" 0 1 0x42 W0 Vex1 None;
    KNOTW "knotw" "" 0 1 0x44 W0 Vex0 None;
    KORW "korw" "" 0 1 0x45 W0 Vex1 None;
    KXNORW "kxnorw" "" 0 1 0x46 W0 Vex1 None;
    KXORW "kxorw" "" 0 1 0x47 W0 Vex1 None;
    KMOVW "kmovw" "" 0 1 0x90 W0 Vex0 None;
    KMOVW_STORE "kmovw" "" 0 1 0x91 W0 Vex0 None;
    KMOVW_FROM_R "kmovw" "" 0 1 0x92 W0 Vex0 None;
    KMOVW_TO_R "kmovw" "" 0 1 0x93 W0 Vex0 None;
    KORTESTW "kortestw" "" 0 1 0x98 W0 Vex0 None;
    KTESTW "ktestw" "" 0 1 0x99 W0 Vex0 None;
    KSHIFTRW "kshiftrw" "" 1 3 0x30 W1 Vex0 None # imm;
    // ---- general registers in VEX form
    SHLX32 "shlx" "" 1 2 0xf7 W0 Vex0 None;
    SHRX32 "shrx" "" 3 2 0xf7 W0 Vex0 None;
    SARX32 "sarx" "" 2 2 0xf7 W0 Vex0 None;
    SHLX64 "shlx" "" 1 2 0xf7 W1 Vex0 None;
    SHRX64 "shrx" "" 3 2 0xf7 W1 Vex0 None;
    SARX64 "sarx" "" 2 2 0xf7 W1 Vex0 None;
    BLSR32 "blsr" "" 0 2 0xf3 W0 Vex0 None / 1;
}
