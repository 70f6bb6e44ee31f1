//! Every opcode and every form that is emitted, decoded by iced-x86 and compared field by field.

use super::Rng;
use crate::shader::codegen::x64::encoder::{Assembler, Cond, Isa, Masking, Mem, RegMem};
use crate::shader::codegen::x64::inst::Width;
use crate::shader::codegen::x64::lanes::{load, store};
use crate::shader::codegen::x64::opcodes::{self, Len, Opcode, Tuple};
use crate::shader::codegen::x64::pool::{Pool, Vector};
use iced_x86::{Decoder, DecoderOptions, Instruction, OpKind, Register};

fn decode(bytes: &[u8]) -> Instruction {
    let mut decoder = Decoder::with_ip(64, bytes, 0x1000, DecoderOptions::NONE);
    let instruction = decoder.decode();
    assert!(!instruction.is_invalid(), "not an instruction: {bytes:02x?}");
    assert_eq!(
        instruction.len(),
        bytes.len(),
        "{instruction} is not all of {bytes:02x?}"
    );
    instruction
}

fn mnemonic(instruction: &Instruction) -> String {
    format!("{:?}", instruction.mnemonic()).to_lowercase()
}

/// Numbers of the registers among the operands, in the order of the text.
fn registers(instruction: &Instruction) -> Vec<u8> {
    (0..instruction.op_count())
        .filter(|&i| instruction.op_kind(i) == OpKind::Register)
        .map(|i| u8::try_from(instruction.op_register(i).number()).expect("register number"))
        .collect()
}

fn number(register: Register) -> Option<u8> {
    (register != Register::None).then(|| u8::try_from(register.number()).expect("register number"))
}

fn assert_memory(instruction: &Instruction, mem: Mem, what: &str) {
    assert_eq!(number(instruction.memory_base()), mem.base, "base of {what}");
    assert_eq!(number(instruction.memory_index()), mem.index, "index of {what}");
    if mem.index.is_some() {
        assert_eq!(
            instruction.memory_index_scale(),
            1 << mem.scale,
            "scale of {what}"
        );
    }
    let disp = instruction.memory_displacement64() as i64;
    assert_eq!(disp as i32, mem.disp, "displacement of {what}");
}

fn random_memory(rng: &mut Rng, vector_index: Option<usize>) -> Mem {
    let base = rng.below(16) as u8;
    let index = loop {
        let index = rng.below(16) as u8;
        if index != 4 {
            break index;
        }
    };
    let disp = match rng.below(4) {
        0 => 0,
        1 => rng.below(256) as i32 - 128,
        2 => (rng.below(300) as i32 - 150) * 64,
        _ => rng.word() as i32,
    };
    match vector_index {
        Some(count) => Mem {
            base: rng.chance(80).then_some(base),
            index: Some(rng.below(count) as u8),
            scale: rng.below(4) as u8,
            disp,
            broadcast: false,
        },
        None => Mem {
            base: Some(base),
            index: rng.chance(50).then_some(index),
            scale: rng.below(4) as u8,
            disp,
            broadcast: false,
        },
    }
}

/// How the operands of an opcode are written: which of reg, vvvv and rm there are, in the order of the text.
fn operand_order(op: Opcode) -> &'static str {
    use opcodes::*;
    let mr = [
        MOVUPS_STORE,
        MOVAPS_STORE,
        MOVD_STORE,
        EXTRACTI128,
        EXTRACTI64X4,
        PMOVDW,
        PCOMPRESSD,
        CVTPS2PH,
        KMOVW_STORE,
    ];
    let rm = [
        SQRTPS,
        SQRTPD,
        ROUNDPS,
        ROUNDPD,
        CVTTPS2DQ,
        CVTDQ2PS,
        CVTTPS2UDQ,
        CVTUDQ2PS,
        CVTDQ2PD,
        CVTTPD2DQ,
        CVTUDQ2PD,
        CVTTPD2UDQ,
        CVTPH2PS,
        MOVUPS_LOAD,
        MOVAPS,
        BROADCASTSS,
        PBROADCASTD,
        PBROADCASTD_R,
        MOVD_LOAD,
        MOVMSKPS,
        TESTPS,
        PSHUFD,
        PERMQ,
        PMOVZXDQ,
        PMOVZXWD,
        KNOTW,
        KMOVW,
        KMOVW_FROM_R,
        KMOVW_TO_R,
        KORTESTW,
        KTESTW,
        KSHIFTRW,
    ];
    let rmv = [SHLX32, SHRX32, SARX32, SHLX64, SHRX64, SARX64];
    let vm = [PSRLD_I, PSRAD_I, PSLLD_I, PSRLQ_I, BLSR32];
    match op {
        op if op == MASKMOVPS_STORE => "mvr",
        op if mr.contains(&op) => "mr",
        op if rm.contains(&op) => "rm",
        op if rmv.contains(&op) => "rmv",
        op if vm.contains(&op) => "vm",
        _ => "rvm",
    }
}

fn is_gather(op: Opcode) -> bool {
    op == opcodes::PGATHERDD || op == opcodes::PGATHERQD
}

/// Opcodes whose rm operand cannot be a register.
fn memory_only(op: Opcode) -> bool {
    use opcodes::{KMOVW_STORE, MASKMOVPS_LOAD, MASKMOVPS_STORE};
    is_gather(op) || [KMOVW_STORE, MASKMOVPS_LOAD, MASKMOVPS_STORE].contains(&op)
}

fn check_vector(op: Opcode, name: &str, isa: Isa, rng: &mut Rng) {
    let evex = isa == Isa::Avx512 && !matches!(op.len, Len::Vex0 | Len::Vex1);
    let order = operand_order(op);
    let is_mask = name.starts_with('k');
    let general = matches!(name, "shlx" | "shrx" | "sarx" | "blsr");
    let limit = match (is_mask, evex) {
        (true, _) => 8,
        (_, true) => 32,
        (_, false) => 16,
    };
    let mut pick = |i: char| {
        let reg_is_mask = evex && i == 'r' && matches!(name, "vcmpps" | "vpcmpd" | "vpcmpud");
        let is_general = general
            || match op {
                op if op == opcodes::MOVMSKPS || op == opcodes::KMOVW_TO_R => i == 'r',
                op if op == opcodes::KMOVW_FROM_R
                    || op == opcodes::PBROADCASTD_R
                    || op == opcodes::MOVD_LOAD
                    || op == opcodes::MOVD_STORE =>
                {
                    i == 'm'
                }
                _ => false,
            };
        rng.below(if reg_is_mask {
            8
        } else if is_general {
            16
        } else {
            limit
        }) as u8
    };
    let (reg, v, rm_reg) = (pick('r'), pick('v'), pick('m'));
    // The VEX forms of shifts by an immediate take registers only.
    let may_memory = op.tuple != Tuple::None && (evex || order != "vm");
    let with_memory = may_memory && rng.chance(50) || memory_only(op);
    let imm = rng.word() as u8;
    let mut mem = random_memory(rng, is_gather(op).then_some(limit));
    mem.broadcast = evex && op.tuple == Tuple::Full && rng.chance(50);
    let can_mask = evex && op.tuple != Tuple::None && !matches!(op.len, Len::X128);
    let masking = if is_gather(op) && evex {
        Masking {
            k: 1 + rng.below(7) as u8,
            zero: false,
        }
    } else if can_mask && rng.chance(30) {
        Masking {
            k: 1 + rng.below(7) as u8,
            zero: !with_memory && !order.starts_with('m') && !name.contains("cmp") && rng.chance(50),
        }
    } else {
        Masking::default()
    };
    // Gathers fault when destination, index and mask share a register.
    if is_gather(op) && (mem.index == Some(reg) || (!evex && (v == reg || mem.index == Some(v)))) {
        return;
    }
    let v = if order.contains('v') && !(is_gather(op) && evex) {
        v
    } else {
        0
    };
    let reg = if order.contains('r') { reg } else { op.ext };
    let rm = if with_memory {
        mem.into()
    } else {
        RegMem::Reg(rm_reg)
    };
    let mut asm = Assembler::new(isa, 64);
    asm.vector(op, reg, v, rm, masking, imm);
    let instruction = decode(&asm.code);
    let what = format!("{instruction} from {name}");
    assert_eq!(mnemonic(&instruction), name, "{what}");
    let mut expected: Vec<u8> = order
        .chars()
        .filter_map(|c| match c {
            'r' => Some(reg),
            'v' if is_gather(op) && evex => None,
            'v' => Some(v),
            _ => (!with_memory).then_some(rm_reg),
        })
        .collect();
    if is_gather(op) && !evex {
        // VEX gathers are written with the mask last.
        expected = vec![reg, v];
    }
    if op == opcodes::BLENDVPS {
        expected.push(imm >> 4);
    }
    assert_eq!(registers(&instruction), expected, "{what}");
    if with_memory {
        assert_memory(&instruction, mem, &what);
        assert_eq!(instruction.is_broadcast(), mem.broadcast, "{what}");
    }
    if op.imm && op != opcodes::BLENDVPS {
        assert_eq!(instruction.immediate8(), imm, "{what}");
    }
    if evex {
        let k = number(instruction.op_mask()).unwrap_or(0);
        assert_eq!(k, masking.k, "{what}");
        assert_eq!(instruction.zeroing_masking(), masking.zero, "{what}");
    }
}

#[test]
fn vector_instructions_decode_to_what_was_meant() {
    let mut rng = Rng::new(3);
    for (op, vex, evex) in opcodes::ALL {
        for _ in 0..300 {
            if !vex.is_empty() {
                check_vector(*op, vex, Isa::Avx2, &mut rng);
            }
            if !evex.is_empty() {
                check_vector(*op, evex, Isa::Avx512, &mut rng);
            }
        }
    }
}

#[test]
fn constants_are_found_where_they_are_put() {
    for (isa, broadcast) in [(Isa::Avx2, false), (Isa::Avx512, true)] {
        let mut pool = Pool::default();
        let one = pool.splat(0x3f80_0000);
        let iota = pool.vector(Vector::Iota);
        let mut asm = Assembler::new(isa, 64);
        asm.v(opcodes::ADDPS, 1, 2, RegMem::Pool(one));
        let at = [0, asm.code.len()];
        asm.vector(opcodes::PSHUFD, 1, 0, RegMem::Pool(iota), Masking::default(), 3);
        let end = asm.code.len();
        let bytes = asm.finish(&pool);
        let word =
            |at: u64| u32::from_le_bytes(bytes[at as usize..at as usize + 4].try_into().expect("word"));
        let mut decoder = Decoder::with_ip(64, &bytes[..end], 0, DecoderOptions::NONE);
        let first = decoder.decode();
        let second = decoder.decode();
        assert_eq!(second.ip(), at[1] as u64);
        assert_eq!(first.is_broadcast(), broadcast);
        assert_eq!(word(first.ip_rel_memory_address()), 0x3f80_0000);
        assert_eq!(word(second.ip_rel_memory_address() + 28), 7);
        assert_eq!(second.ip_rel_memory_address() % isa.vector_bytes() as u64, 0);
    }
}

/// One instruction on general registers, and how it must read.
fn check_general(text: &str, emit: impl FnOnce(&mut Assembler)) {
    let mut asm = Assembler::new(Isa::Avx2, 64);
    emit(&mut asm);
    let instruction = decode(&asm.code);
    assert_eq!(instruction.to_string(), text);
}

#[test]
fn general_instructions_decode_to_what_was_meant() {
    let mem = |base, disp| RegMem::Mem(Mem::base(base, disp));
    let reg = RegMem::Reg;
    check_general("mov eax,7", |a| a.mov_imm(0, 7));
    check_general("mov r9d,0FFFFFFFFh", |a| a.mov_imm(9, 0xffff_ffff));
    check_general("mov r12,0FFFFFFFFFFFFFFFFh", |a| a.mov_imm(12, -1));
    check_general("mov r15,123456789ABCDEFh", |a| {
        a.mov_imm(15, 0x0123_4567_89ab_cdef);
    });
    check_general("add rsp,40h", |a| a.alu_imm(0, true, reg(4), 0x40));
    check_general("cmp r11d,12345h", |a| a.alu_imm(7, false, reg(11), 0x12345));
    check_general("sub rbx,r14", |a| a.alu(5, true, 3, reg(14)));
    check_general("xor eax,[rsp+8]", |a| a.alu(6, false, 0, mem(4, 8)));
    check_general("push r13", |a| a.push(13));
    check_general("pop rbx", |a| a.pop(3));
    check_general("mov [r13],sil", |a| store(a, Width::Byte, 6, mem(13, 0)));
    check_general("mov [rbp+80h],r9w", |a| store(a, Width::Word, 9, mem(5, 128)));
    check_general("mov [r12],edi", |a| store(a, Width::Dword, 7, mem(12, 0)));
    check_general("mov [rax-1],r8", |a| store(a, Width::Qword, 8, mem(0, -1)));
    check_general("movzx r10d,byte ptr [rsi]", |a| {
        load(a, Width::Byte, 10, mem(6, 0));
    });
    check_general("movzx eax,word ptr [r8+r9*4+10h]", |a| {
        load(a, Width::Word, 0, Mem::indexed(8, 9, 2, 16).into());
    });
    check_general("mov ecx,[rax+r12]", |a| {
        load(a, Width::Dword, 1, Mem::indexed(0, 12, 0, 0).into());
    });
    check_general("lock cmpxchg [rdi+rcx],edx", |a| {
        a.legacy(
            Some(0xf0),
            &[0x0f, 0xb1],
            false,
            2,
            Mem::indexed(7, 1, 0, 0).into(),
        );
    });
    check_general("tzcnt r8d,ecx", |a| {
        a.legacy(Some(0xf3), &[0x0f, 0xbc], false, 8, reg(1));
    });
}

#[test]
fn jumps_reach_their_labels() {
    let mut asm = Assembler::new(Isa::Avx2, 64);
    let (back, forward) = (asm.label(), asm.label());
    asm.bind(back);
    asm.jcc(Cond::Above, forward);
    asm.jmp(back);
    asm.bind(forward);
    asm.jcc(Cond::Less, back);
    let bytes = asm.finish(&Pool::default());
    let mut decoder = Decoder::with_ip(64, &bytes, 0, DecoderOptions::NONE);
    let text: Vec<String> = decoder.iter().map(|i| i.to_string()).collect();
    assert_eq!(text.len(), 3);
    assert!(text[0].starts_with("ja") && text[1].starts_with("jmp") && text[2].starts_with("jl"));
    let mut decoder = Decoder::with_ip(64, &bytes, 0, DecoderOptions::NONE);
    let jumps: Vec<(u64, u64)> = decoder.iter().map(|i| (i.ip(), i.near_branch_target())).collect();
    assert_eq!(jumps[0].1, jumps[2].0);
    assert_eq!((jumps[1].1, jumps[2].1), (0, 0));
}
