//! The operations of the wave IR, as one table.
//!
//! Every row gives the name in [`Op`], the [`Builder`](super::Builder) method, the text form, the operand
//! types, an optional immediate (`# name`), the result type and the effect. The verifier, the parser, the
//! printer and the builder are all driven by this table.

use super::Type;

/// What an operation does besides computing its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing: may be merged, moved and removed.
    Pure,
    /// Reads memory: may be removed, not moved over a write.
    Read,
    /// Writes memory or leaves the kernel: stays where it is.
    Write,
    /// May leave the kernel, and does nothing else: not moved over a write; an equal one before it is enough.
    Guard,
}

/// Static facts about an operation.
#[derive(Debug)]
pub struct OpInfo {
    /// Name in the text form.
    pub name: &'static str,
    /// Types of the operands, in order.
    pub args: &'static [Type],
    /// Whether the immediate field is used.
    pub has_imm: bool,
    /// Type of the result, if there is one.
    pub result: Option<Type>,
    /// Effect beyond the result.
    pub effect: Effect,
}

macro_rules! result_type {
    (()) => {
        None
    };
    ($t:ident) => {
        Some(Type::$t)
    };
}

macro_rules! has_imm {
    () => {
        false
    };
    ($imm:ident) => {
        true
    };
}

macro_rules! ops {
    ($($(#[$doc:meta])* $op:ident $method:ident $name:literal ($($arg:ident: $ty:ident),*) $(# $imm:ident)? -> $res:tt $effect:ident;)*) => {
        /// An operation of the wave IR; see the table in this file for operands and meaning.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Op { $($(#[$doc])* $op,)* }

        impl Op {
            /// Every operation, in table order.
            pub const ALL: &'static [Op] = &[$(Op::$op,)*];

            /// Whether it stands between two others in the table, both included.
            #[must_use]
            pub const fn within(self, first: Op, last: Op) -> bool {
                first as u8 <= self as u8 && self as u8 <= last as u8
            }

            /// The row of this operation.
            #[must_use]
            pub const fn info(self) -> &'static OpInfo {
                match self {
                    $(Op::$op => {
                        const INFO: OpInfo = OpInfo {
                            name: $name,
                            args: &[$(Type::$ty),*],
                            has_imm: has_imm!($($imm)?),
                            result: result_type!($res),
                            effect: Effect::$effect,
                        };
                        &INFO
                    })*
                }
            }
        }

        impl super::Builder<'_> {
            $(
                $(#[$doc])*
                #[allow(clippy::too_many_arguments, reason = "operands of the widest operations")]
                pub fn $method(&mut self $(, $arg: super::Value)* $(, $imm: i64)?) -> super::Value {
                    self.push(Op::$op, &[$($arg),*], 0 $(+ $imm)?)
                }
            )*
        }
    };
}

ops! {
    // ---- constants -------------------------------------------------------------------------------------
    /// Uniform truth value; `value` is 0 or 1.
    BConst bconst "b.const" () # value -> B Pure;
    /// Uniform 32-bit constant (low 32 bits of `value`).
    SConst sconst "s.const" () # value -> S32 Pure;
    /// Uniform 64-bit constant.
    LConst lconst "l.const" () # value -> S64 Pure;
    /// The same 32-bit constant in every lane (low 32 bits of `value`).
    VConst vconst "v.const" () # value -> V Pure;
    /// All lanes off (0) or on (1).
    MConst mconst "m.const" () # value -> M Pure;

    // ---- uniform truth values --------------------------------------------------------------------------
    /// Logical and.
    BAnd band "b.and" (a: B, b: B) -> B Pure;
    /// Logical or.
    BOr bor "b.or" (a: B, b: B) -> B Pure;
    /// Logical exclusive or.
    BXor bxor "b.xor" (a: B, b: B) -> B Pure;
    /// Logical not.
    BNot bnot "b.not" (a: B) -> B Pure;

    // ---- uniform 32-bit integers -----------------------------------------------------------------------
    /// Wrapping sum.
    SAdd sadd "s.add" (a: S32, b: S32) -> S32 Pure;
    /// Wrapping difference.
    SSub ssub "s.sub" (a: S32, b: S32) -> S32 Pure;
    /// Low 32 bits of the product.
    SMul smul "s.mul" (a: S32, b: S32) -> S32 Pure;
    /// Bitwise and.
    SAnd sand "s.and" (a: S32, b: S32) -> S32 Pure;
    /// Bitwise or.
    SOr sor "s.or" (a: S32, b: S32) -> S32 Pure;
    /// Bitwise exclusive or.
    SXor sxor "s.xor" (a: S32, b: S32) -> S32 Pure;
    /// Left shift by `b & 31`.
    SShl sshl "s.shl" (a: S32, b: S32) -> S32 Pure;
    /// Logical right shift by `b & 31`.
    SShr sshr "s.shr" (a: S32, b: S32) -> S32 Pure;
    /// Arithmetic right shift by `b & 31`.
    SSar ssar "s.sar" (a: S32, b: S32) -> S32 Pure;
    /// Signed minimum.
    SMinS smin_s "s.min_s" (a: S32, b: S32) -> S32 Pure;
    /// Signed maximum.
    SMaxS smax_s "s.max_s" (a: S32, b: S32) -> S32 Pure;
    /// Unsigned minimum.
    SMinU smin_u "s.min_u" (a: S32, b: S32) -> S32 Pure;
    /// Unsigned maximum.
    SMaxU smax_u "s.max_u" (a: S32, b: S32) -> S32 Pure;
    /// Unsigned quotient; `x / 0` is `0xffff_ffff`.
    SDivU sdiv_u "s.div_u" (a: S32, b: S32) -> S32 Pure;
    /// Signed quotient towards zero; `x / 0` is -1, `MIN / -1` is `MIN`.
    SDivS sdiv_s "s.div_s" (a: S32, b: S32) -> S32 Pure;
    /// Unsigned remainder; `x % 0` is `x`.
    SRemU srem_u "s.rem_u" (a: S32, b: S32) -> S32 Pure;
    /// Signed remainder with the sign of `a`; `x % 0` is `x`, `MIN % -1` is 0.
    SRemS srem_s "s.rem_s" (a: S32, b: S32) -> S32 Pure;
    /// `a` where the condition holds, else `b`.
    SSelect sselect "s.select" (c: B, a: S32, b: S32) -> S32 Pure;
    /// Equality.
    SEq seq "s.eq" (a: S32, b: S32) -> B Pure;
    /// Inequality.
    SNe sne "s.ne" (a: S32, b: S32) -> B Pure;
    /// Signed less than.
    SLtS slt_s "s.lt_s" (a: S32, b: S32) -> B Pure;
    /// Signed less or equal.
    SLeS sle_s "s.le_s" (a: S32, b: S32) -> B Pure;
    /// Unsigned less than.
    SLtU slt_u "s.lt_u" (a: S32, b: S32) -> B Pure;
    /// Unsigned less or equal.
    SLeU sle_u "s.le_u" (a: S32, b: S32) -> B Pure;

    // ---- uniform 64-bit integers and addresses ---------------------------------------------------------
    /// Wrapping sum.
    LAdd ladd "l.add" (a: S64, b: S64) -> S64 Pure;
    /// Wrapping difference.
    LSub lsub "l.sub" (a: S64, b: S64) -> S64 Pure;
    /// Low 64 bits of the product.
    LMul lmul "l.mul" (a: S64, b: S64) -> S64 Pure;
    /// Bitwise and.
    LAnd land "l.and" (a: S64, b: S64) -> S64 Pure;
    /// Bitwise or.
    LOr lor "l.or" (a: S64, b: S64) -> S64 Pure;
    /// Bitwise exclusive or.
    LXor lxor "l.xor" (a: S64, b: S64) -> S64 Pure;
    /// Left shift by `b & 63`.
    LShl lshl "l.shl" (a: S64, b: S32) -> S64 Pure;
    /// Logical right shift by `b & 63`.
    LShr lshr "l.shr" (a: S64, b: S32) -> S64 Pure;
    /// Arithmetic right shift by `b & 63`.
    LSar lsar "l.sar" (a: S64, b: S32) -> S64 Pure;
    /// Zero extension.
    LZext lzext "l.zext" (a: S32) -> S64 Pure;
    /// Sign extension.
    LSext lsext "l.sext" (a: S32) -> S64 Pure;
    /// Low 32 bits.
    LTrunc ltrunc "l.trunc" (a: S64) -> S32 Pure;
    /// `a` where the condition holds, else `b`.
    LSelect lselect "l.select" (c: B, a: S64, b: S64) -> S64 Pure;
    /// Equality.
    LEq leq "l.eq" (a: S64, b: S64) -> B Pure;
    /// Unsigned less than.
    LLtU llt_u "l.lt_u" (a: S64, b: S64) -> B Pure;
    /// Signed less than.
    LLtS llt_s "l.lt_s" (a: S64, b: S64) -> B Pure;

    // ---- varying integers ------------------------------------------------------------------------------
    /// Wrapping sum.
    VAdd vadd "v.add" (a: V, b: V) -> V Pure;
    /// Wrapping difference.
    VSub vsub "v.sub" (a: V, b: V) -> V Pure;
    /// Low 32 bits of the product.
    VMul vmul "v.mul" (a: V, b: V) -> V Pure;
    /// High 32 bits of the signed product.
    VMulHiS vmulhi_s "v.mulhi_s" (a: V, b: V) -> V Pure;
    /// High 32 bits of the unsigned product.
    VMulHiU vmulhi_u "v.mulhi_u" (a: V, b: V) -> V Pure;
    /// Bitwise and.
    VAnd vand "v.and" (a: V, b: V) -> V Pure;
    /// Bitwise or.
    VOr vor "v.or" (a: V, b: V) -> V Pure;
    /// Bitwise exclusive or.
    VXor vxor "v.xor" (a: V, b: V) -> V Pure;
    /// Left shift by `b & 31`.
    VShl vshl "v.shl" (a: V, b: V) -> V Pure;
    /// Logical right shift by `b & 31`.
    VShr vshr "v.shr" (a: V, b: V) -> V Pure;
    /// Arithmetic right shift by `b & 31`.
    VSar vsar "v.sar" (a: V, b: V) -> V Pure;
    /// Signed minimum.
    VMinS vmin_s "v.min_s" (a: V, b: V) -> V Pure;
    /// Signed maximum.
    VMaxS vmax_s "v.max_s" (a: V, b: V) -> V Pure;
    /// Unsigned minimum.
    VMinU vmin_u "v.min_u" (a: V, b: V) -> V Pure;
    /// Unsigned maximum.
    VMaxU vmax_u "v.max_u" (a: V, b: V) -> V Pure;
    /// Unsigned quotient; `x / 0` is `0xffff_ffff`.
    VDivU vdiv_u "v.div_u" (a: V, b: V) -> V Pure;
    /// Signed quotient towards zero; `x / 0` is -1, `MIN / -1` is `MIN`.
    VDivS vdiv_s "v.div_s" (a: V, b: V) -> V Pure;
    /// Unsigned remainder; `x % 0` is `x`.
    VRemU vrem_u "v.rem_u" (a: V, b: V) -> V Pure;
    /// Signed remainder with the sign of `a`; `x % 0` is `x`, `MIN % -1` is 0.
    VRemS vrem_s "v.rem_s" (a: V, b: V) -> V Pure;
    /// Equality.
    VEq veq "v.eq" (a: V, b: V) -> M Pure;
    /// Inequality.
    VNe vne "v.ne" (a: V, b: V) -> M Pure;
    /// Signed less than.
    VLtS vlt_s "v.lt_s" (a: V, b: V) -> M Pure;
    /// Signed less or equal.
    VLeS vle_s "v.le_s" (a: V, b: V) -> M Pure;
    /// Unsigned less than.
    VLtU vlt_u "v.lt_u" (a: V, b: V) -> M Pure;
    /// Unsigned less or equal.
    VLeU vle_u "v.le_u" (a: V, b: V) -> M Pure;

    // ---- varying floats (IEEE 754 binary32, round to nearest even, denormals kept) -----------------------
    // The sign of a NaN result and its payload follow x86: the first NaN operand made quiet, else 0xffc0_0000.
    /// Sum.
    FAdd fadd "f.add" (a: V, b: V) -> V Pure;
    /// Difference.
    FSub fsub "f.sub" (a: V, b: V) -> V Pure;
    /// Product.
    FMul fmul "f.mul" (a: V, b: V) -> V Pure;
    /// Quotient.
    FDiv fdiv "f.div" (a: V, b: V) -> V Pure;
    /// Square root, correctly rounded.
    FSqrt fsqrt "f.sqrt" (a: V) -> V Pure;
    /// `a * b + c` with one rounding. Of several NaNs `b` comes first, then `a`, then `c`: the order that
    /// machine code gets for nothing in Horner's rule, whose addend is a constant.
    Fma fma "f.fma" (a: V, b: V, c: V) -> V Pure;
    /// `a < b ? a : b`: `b` when either is a NaN or both are zeros.
    FMin fmin "f.min" (a: V, b: V) -> V Pure;
    /// `a > b ? a : b`: `b` when either is a NaN or both are zeros.
    FMax fmax "f.max" (a: V, b: V) -> V Pure;
    /// Round to the integer below.
    FFloor ffloor "f.floor" (a: V) -> V Pure;
    /// Round to the integer above.
    FCeil fceil "f.ceil" (a: V) -> V Pure;
    /// Round towards zero.
    FTrunc ftrunc "f.trunc" (a: V) -> V Pure;
    /// Round to nearest, ties to even.
    FRound fround "f.round" (a: V) -> V Pure;
    /// Ordered equality (false on NaN).
    FEq feq "f.eq" (a: V, b: V) -> M Pure;
    /// Unordered inequality (true on NaN).
    FNe fne "f.ne" (a: V, b: V) -> M Pure;
    /// Ordered less than (false on NaN).
    FLt flt "f.lt" (a: V, b: V) -> M Pure;
    /// Ordered less or equal (false on NaN).
    FLe fle "f.le" (a: V, b: V) -> M Pure;
    /// Whether either is a NaN.
    FUno funo "f.uno" (a: V, b: V) -> M Pure;
    /// To signed integer towards zero; `0x8000_0000` for NaN and out of range.
    FToI ftoi "f.to_i" (a: V) -> V Pure;
    /// To unsigned integer towards zero, saturating; NaN and negative give 0.
    FToU ftou "f.to_u" (a: V) -> V Pure;
    /// From signed integer, to nearest even.
    IToF itof "f.from_i" (a: V) -> V Pure;
    /// From unsigned integer, to nearest even.
    UToF utof "f.from_u" (a: V) -> V Pure;
    /// From binary16 in the low 16 bits (the high ones are ignored).
    HToF htof "f.from_h" (a: V) -> V Pure;
    /// To binary16, to nearest even, in the low 16 bits; the high ones are zero.
    FToH ftoh "f.to_h" (a: V) -> V Pure;

    // ---- varying doubles (IEEE 754 binary64, as two words; rules as for floats) --------------------------
    // Each gives one word of the result: the high one if bit 0 of the immediate is set, else the low one.
    /// Sum.
    DAdd dadd "d.add" (a_lo: V, a_hi: V, b_lo: V, b_hi: V) # half -> V Pure;
    /// Difference.
    DSub dsub "d.sub" (a_lo: V, a_hi: V, b_lo: V, b_hi: V) # half -> V Pure;
    /// Product.
    DMul dmul "d.mul" (a_lo: V, a_hi: V, b_lo: V, b_hi: V) # half -> V Pure;
    /// Quotient.
    DDiv ddiv "d.div" (a_lo: V, a_hi: V, b_lo: V, b_hi: V) # half -> V Pure;
    /// `a * b + c` with one rounding. Of several NaNs `a` comes first, then `b`, then `c`.
    DFma dfma "d.fma" (a_lo: V, a_hi: V, b_lo: V, b_hi: V, c_lo: V, c_hi: V) # half -> V Pure;
    /// Square root, correctly rounded.
    DSqrt dsqrt "d.sqrt" (lo: V, hi: V) # half -> V Pure;
    /// Round to an integer, as bits 1 and 2 of the immediate say: to nearest, ties to even; below; above; towards zero.
    DRound dround "d.round" (lo: V, hi: V) # half -> V Pure;

    // ---- lanes -----------------------------------------------------------------------------------------
    /// `a` in the lanes of the mask, else `b`.
    VSelect vselect "v.select" (m: M, a: V, b: V) -> V Pure;
    /// The uniform value in every lane.
    VSplat vsplat "v.splat" (a: S32) -> V Pure;
    /// The number of each lane, from 0.
    VIota viota "v.iota" () -> V Pure;
    /// The value of the lowest lane of the mask; 0 if the mask is empty.
    VReadFirst vread_first "v.read_first" (a: V, m: M) -> S32 Pure;
    /// Within each aligned group of four lanes, lane `i` takes lane `(pattern >> 2i) & 3`.
    QuadSwizzle quad_swizzle "v.quad_swizzle" (a: V) # pattern -> V Pure;
    /// Within each aligned group of eight lanes, lane `i` takes lane `index[i] & 7`.
    Shuffle8 shuffle8 "v.shuffle8" (a: V, index: V) -> V Pure;

    // ---- masks -----------------------------------------------------------------------------------------
    /// Lanes of both.
    MAnd mand "m.and" (a: M, b: M) -> M Pure;
    /// Lanes of either.
    MOr mor "m.or" (a: M, b: M) -> M Pure;
    /// Lanes of exactly one.
    MXor mxor "m.xor" (a: M, b: M) -> M Pure;
    /// Lanes of `a` that are not in `b`.
    MAndNot mandnot "m.andnot" (a: M, b: M) -> M Pure;
    /// The other lanes.
    MNot mnot "m.not" (a: M) -> M Pure;
    /// Whether any lane is on.
    MAny many "m.any" (a: M) -> B Pure;
    /// One bit a lane, lane 0 lowest.
    MBits mbits "m.bits" (a: M) -> S32 Pure;
    /// The lanes whose bit is set.
    MFromBits mfrom_bits "m.from_bits" (a: S32) -> M Pure;
    /// In every lane the eight bits of its own aligned group of eight lanes (a subgroup ballot).
    MBallot8 mballot8 "m.ballot8" (a: M) -> V Pure;

    // ---- memory: uniform address plus displacement -----------------------------------------------------
    /// 32 bits.
    SLoad sload "s.load" (addr: S64) # disp -> S32 Read;
    /// 8 bits, zero extended.
    SLoad8 sload8 "s.load8" (addr: S64) # disp -> S32 Read;
    /// 16 bits, zero extended.
    SLoad16 sload16 "s.load16" (addr: S64) # disp -> S32 Read;
    /// 64 bits.
    LLoad lload "l.load" (addr: S64) # disp -> S64 Read;
    /// 32 bits into every lane.
    VLoadSplat vload_splat "v.load_splat" (addr: S64) # disp -> V Read;
    /// Consecutive 32-bit words, one a lane; any alignment.
    VLoad vload "v.load" (addr: S64) # disp -> V Read;
    /// As `VLoad`; lanes that are off are not read and give 0.
    VLoadMasked vload_masked "v.load_masked" (addr: S64, m: M) # disp -> V Read;
    /// Width / 8 bytes, one bit a lane.
    MLoadBits mload_bits "m.load_bits" (addr: S64) # disp -> M Read;
    /// 32 bits.
    SStore sstore "s.store" (addr: S64, a: S32) # disp -> () Write;
    /// Low 8 bits.
    SStore8 sstore8 "s.store8" (addr: S64, a: S32) # disp -> () Write;
    /// Low 16 bits.
    SStore16 sstore16 "s.store16" (addr: S64, a: S32) # disp -> () Write;
    /// 64 bits.
    LStore lstore "l.store" (addr: S64, a: S64) # disp -> () Write;
    /// Consecutive 32-bit words, one a lane; any alignment.
    VStore vstore "v.store" (addr: S64, a: V) # disp -> () Write;
    /// As `VStore`; lanes that are off are neither read nor written.
    VStoreMasked vstore_masked "v.store_masked" (addr: S64, a: V, m: M) # disp -> () Write;

    // ---- memory: uniform base plus a signed 32-bit byte offset a lane ------------------------------------
    // Lanes that are off touch no memory; loads give them 0. A load of 8 or 16 bits may read the whole aligned
    // word that they are in, so its offset is at least -2^31 + 3.
    /// 32 bits a lane.
    Gather gather "v.gather" (base: S64, offset: V, m: M) # disp -> V Read;
    /// 8 bits a lane, zero extended.
    Gather8 gather8 "v.gather8" (base: S64, offset: V, m: M) # disp -> V Read;
    /// 16 bits a lane, zero extended.
    Gather16 gather16 "v.gather16" (base: S64, offset: V, m: M) # disp -> V Read;
    /// 32 bits a lane; on overlap the highest lane wins.
    Scatter scatter "v.scatter" (base: S64, offset: V, a: V, m: M) # disp -> () Write;
    /// Low 8 bits a lane; on overlap the highest lane wins.
    Scatter8 scatter8 "v.scatter8" (base: S64, offset: V, a: V, m: M) # disp -> () Write;
    /// Low 16 bits a lane; on overlap the highest lane wins.
    Scatter16 scatter16 "v.scatter16" (base: S64, offset: V, a: V, m: M) # disp -> () Write;
    /// Atomic read-modify-write, lowest lane first; `op` is an [`AtomicOp`]; gives the old values.
    Atomic atomic "v.atomic" (base: S64, offset: V, a: V, m: M) # op -> V Write;
    /// Atomic compare and exchange, lowest lane first: stores `a` where memory equals `expected`.
    AtomicCas atomic_cas "v.atomic_cas" (base: S64, offset: V, a: V, expected: V, m: M) -> V Write;

    // ---- memory: a 64-bit address a lane, as two words ---------------------------------------------------
    /// 32 bits a lane.
    GatherP gather_p "v.gather_p" (lo: V, hi: V, m: M) # disp -> V Read;
    /// 8 bits a lane, zero extended.
    GatherP8 gather_p8 "v.gather_p8" (lo: V, hi: V, m: M) # disp -> V Read;
    /// 16 bits a lane, zero extended.
    GatherP16 gather_p16 "v.gather_p16" (lo: V, hi: V, m: M) # disp -> V Read;
    /// 32 bits a lane; on overlap the highest lane wins.
    ScatterP scatter_p "v.scatter_p" (lo: V, hi: V, a: V, m: M) # disp -> () Write;
    /// Low 8 bits a lane; on overlap the highest lane wins.
    ScatterP8 scatter_p8 "v.scatter_p8" (lo: V, hi: V, a: V, m: M) # disp -> () Write;
    /// Low 16 bits a lane; on overlap the highest lane wins.
    ScatterP16 scatter_p16 "v.scatter_p16" (lo: V, hi: V, a: V, m: M) # disp -> () Write;
    /// As `Atomic`, by address.
    AtomicP atomic_p "v.atomic_p" (lo: V, hi: V, a: V, m: M) # op -> V Write;
    /// As `AtomicCas`, by address.
    AtomicCasP atomic_cas_p "v.atomic_cas_p" (lo: V, hi: V, a: V, expected: V, m: M) -> V Write;

    /// Atomic read-modify-write of 64 bits by address, lowest lane first; the old values go to two vectors at `old`, low
    /// words first. Not for floats.
    Atomic64P atomic64_p "v.atomic64_p" (lo: V, hi: V, a_lo: V, a_hi: V, m: M, old: S64) # op -> () Write;
    /// Atomic compare and exchange of 64 bits, as `Atomic64P`: stores `a` where memory equals `expected`.
    AtomicCas64P atomic_cas64_p "v.atomic_cas64_p" (lo: V, hi: V, a_lo: V, a_hi: V, expected_lo: V, expected_hi: V, m: M, old: S64) -> () Write;

    // ---- the rest --------------------------------------------------------------------------------------
    /// Calls a routine of the kernel ABI (see [`crate::shader::abi`]): `code(ctx, arg)`.
    Call call "call" (code: S64, ctx: S64, arg: S64) -> S32 Write;
    /// Sequentially consistent memory fence.
    Fence fence "fence" () -> () Write;
    /// Marks a workgroup barrier; the `split_barriers` pass removes it.
    Barrier barrier "barrier" () -> () Write;
    /// Tells who watches the run that a value is there; nothing to anybody else.
    Watch watch "watch" () # mark -> () Write;

    // ---- guards (see `shader::guard`) --------------------------------------------------------------------
    // Each leaves the kernel if an access at the addresses of the mask's lanes is not right. `ctx` is the kernel's
    // context, `guard` an encoded [`Guard`](crate::shader::guard::Guard).
    /// One address.
    GuardL guard_l "guard.l" (ctx: S64, addr: S64, m: M) # guard -> () Guard;
    /// An address a lane.
    GuardP guard_p "guard.p" (ctx: S64, lo: V, hi: V, m: M) # guard -> () Guard;
    /// A uniform base plus a signed 32-bit byte offset a lane.
    GuardO guard_o "guard.o" (ctx: S64, base: S64, offset: V, m: M) # guard -> () Guard;
    // Tell of accesses that robustness makes harmless: those of the `lanes` that are not `inside`. Kernels have them only
    // where the device asks for it. May leave the kernel.
    /// A uniform base plus a signed 32-bit byte offset a lane.
    MaskedO masked_o "masked.o" (ctx: S64, base: S64, offset: V, lanes: M, inside: M) # guard -> () Guard;
    /// An address a lane.
    MaskedP masked_p "masked.p" (ctx: S64, lo: V, hi: V, lanes: M, inside: M) # guard -> () Guard;
    /// Notes for these what calls a routine: the origin of the instruction. Becomes a store.
    CallSite call_site "call.site" (ctx: S64) -> () Write;
    /// The address if it is one of the device's, else one that traps wherever it is used.
    LDevice ldevice "l.device" (ctx: S64, addr: S64) # slot -> S64 Pure;
    /// The address of a descriptor if the bytes there are one, else that of one which traps wherever it is used. The
    /// immediate is an encoded [`Form`](crate::shader::guard::Form).
    LDescriptor ldescriptor "l.descriptor" (addr: S64, ctx: S64) # form -> S64 Read;
}

impl Op {
    /// Bytes of a lane's access to memory; 0 where there is none.
    #[must_use]
    pub fn access_bytes(self) -> u32 {
        match self {
            Op::SLoad8 | Op::SStore8 | Op::Gather8 | Op::Scatter8 | Op::GatherP8 | Op::ScatterP8 => 1,
            Op::MLoadBits => 1,
            Op::SLoad16 | Op::SStore16 | Op::Gather16 | Op::Scatter16 | Op::GatherP16 | Op::ScatterP16 => 2,
            Op::LLoad | Op::LStore | Op::Atomic64P | Op::AtomicCas64P => 8,
            op if op.within(Op::SLoad, Op::AtomicCasP) => 4,
            _ => 0,
        }
    }

    /// Whether it is a read-modify-write of memory.
    #[must_use]
    pub fn is_atomic(self) -> bool {
        self.within(Op::Atomic, Op::AtomicCas) || self.within(Op::AtomicP, Op::AtomicCas64P)
    }
}

/// The read-modify-write of [`Op::Atomic`], as its immediate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names say it")]
pub enum AtomicOp {
    Add,
    And,
    Or,
    Xor,
    MinS,
    MaxS,
    MinU,
    MaxU,
    Exchange,
    /// A plain load that is atomic.
    Load,
    /// binary32 sum.
    FAdd,
}

impl AtomicOp {
    /// Every variant, in the order of the immediate.
    pub const ALL: [AtomicOp; 11] = {
        use AtomicOp::*;
        [Add, And, Or, Xor, MinS, MaxS, MinU, MaxU, Exchange, Load, FAdd]
    };

    /// The variant with this immediate.
    #[must_use]
    pub fn from_imm(imm: i64) -> Option<AtomicOp> {
        usize::try_from(imm).ok().and_then(|i| Self::ALL.get(i).copied())
    }
}
