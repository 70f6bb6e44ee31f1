//! Differential tests: machine code against the interpreter, the encoder against a decoder, the register
//! allocation against its checker.

mod allocation;
mod encoding;
mod ops;
mod random;

use crate::shader::codegen;
use crate::shader::interp;
use crate::shader::ir::{self, Func};
use crate::shader::kernel::Backend;

/// The back ends that this host can test.
fn backends() -> impl Iterator<Item = Backend> {
    [Backend::Avx2, Backend::Avx512]
        .into_iter()
        .filter(|&backend| codegen::host_supports(backend))
}

/// xorshift64*: the same numbers on every run.
pub(super) struct Rng(u64);

impl Rng {
    fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A word that is often at an edge of some operation.
    fn spiky(&mut self) -> u32 {
        const SPIKES: &[u32] = &[
            0,
            1,
            2,
            7,
            31,
            32,
            33,
            0xff,
            0xffff,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0xffff_fffe,
            0xffff_ffff,
            0x3f80_0000,
            0xbf80_0000,
            0x3f00_0000,
            0x4f00_0000,
            0x4eff_ffff,
            0xcf00_0000,
            0x4f80_0000,
            0x4f7f_ffff,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0001,
            0xffc0_1234,
            0x7f80_0001,
            0xffa0_5678,
            0x0000_0001,
            0x0080_0000,
            0x807f_ffff,
            0x7f7f_ffff,
            0x3880_0000,
            0x477f_e000,
            0x477f_f000,
            0x3f20_0000,
            0xc020_0000,
            0x4b00_0001,
        ];
        match self.below(4) {
            0 => self.pick(SPIKES),
            1 => {
                let exponent = 100 + self.below(60) as u32;
                self.word() & 0x807f_ffff | exponent << 23
            }
            2 => self.word() >> self.below(32),
            _ => self.word(),
        }
    }
}

/// A block of memory at a multiple of 4096.
struct Memory {
    words: Vec<u32>,
    first: usize,
    len: usize,
}

impl Memory {
    fn new(words: usize) -> Memory {
        let storage: Vec<u32> = vec![0; words + 1024];
        let first = storage.as_ptr().align_offset(4096);
        Memory {
            words: storage,
            first,
            len: words,
        }
    }

    fn words(&mut self) -> &mut [u32] {
        &mut self.words[self.first..self.first + self.len]
    }

    fn address(&mut self) -> u64 {
        self.words().as_mut_ptr() as u64
    }
}

/// Runs a function on both sides over the same memory: inputs in the first half, outputs in the second.
fn check(func: &Func, backend: Backend, memory: &mut Memory, what: &str) {
    if let Err(error) = ir::verify(func) {
        panic!("{what}: {error}\n{func}");
    }
    let before = memory.words().to_vec();
    let address = memory.address();
    let arg = address + before.len() as u64 * 2;
    let expected_status = interp::run(func, address, arg);
    let expected = memory.words().to_vec();
    memory.words().copy_from_slice(&before);
    let code = match codegen::compile(func, backend) {
        Ok(code) => code,
        Err(error) => panic!("{what}: {error}\n{func}"),
    };
    let status = code.call(address, arg);
    let same = status == expected_status && memory.words() == expected;
    if !same {
        let differing: Vec<String> = memory
            .words()
            .iter()
            .zip(&expected)
            .enumerate()
            .filter(|(_, (a, b))| a != b)
            .take(16)
            .map(|(i, (a, b))| format!("[{i}] {a:#x}, expected {b:#x}, was {:#x}", before[i]))
            .collect();
        panic!(
            "{what} on {backend:?}: status {status:#x}, expected {expected_status:#x}\n{}\n{}\n{}",
            differing.join("\n"),
            func,
            disassembly(func, backend)
        );
    }
    memory.words().copy_from_slice(&before);
}

/// The code of a function, for messages and for people at work on the back end.
pub(super) fn disassembly(func: &Func, backend: Backend) -> String {
    use iced_x86::Formatter;
    let Ok(image) = codegen::assemble(func, backend) else {
        return "not compiled".to_owned();
    };
    let mut decoder = iced_x86::Decoder::with_ip(64, &image.bytes, 0, iced_x86::DecoderOptions::NONE);
    let mut formatter = iced_x86::IntelFormatter::new();
    let mut out = String::new();
    while decoder.can_decode() {
        let instruction = decoder.decode();
        let mut text = String::new();
        formatter.format(&instruction, &mut text);
        out += &format!("{:5x} {text}\n", instruction.ip());
        if instruction.mnemonic() == iced_x86::Mnemonic::Int3 || instruction.is_invalid() {
            break;
        }
    }
    out
}
