//! Broken modules: whatever the bytes, the answer is a result.

use super::run::{layout, words};
use super::{both, spv};
use crate::shader::ir::{self, BlockId, Builder, Func, Op, Type, Value};
use crate::shader::spirv::heap::{HeapIndex, HeapLayout, HeapMapping, HeapSource, Indexing};
use crate::shader::spirv::{
    BuiltIn, Input, Interpolate, Module, Outputs, ResourceLayout, SpecInfo, SpirvError, StageIo, Start,
    translate, translate_watched,
};
use crate::vk;
use std::sync::Arc;
use std::time::{Duration, Instant};

const CORPUS: &[&[u8]] = &[
    spv!("arith.comp"),
    spv!("atomics.comp"),
    spv!("bda.comp"),
    spv!("flow.comp"),
    spv!("flow.comp", ".opt"),
    spv!("memory.comp"),
    spv!("narrow.comp"),
    spv!("memory.comp", ".opt"),
    spv!("subgroups.comp"),
    spv!("wide.comp"),
    spv!("pointers"),
    spv!("untyped"),
    spv!("heap"),
    spv!("debug/fetch.comp", ".g"),
    spv!("debug/fetch.comp", ".gvs"),
];

/// Broken modules tried.
const MUTANTS: u64 = 10_000;

/// Where interpolated inputs come from.
const ELSEWHERE: i64 = 1 << 20;

/// A stage that has everything, from nowhere.
struct AnyStage;

impl StageIo for AnyStage {
    fn load_input(&mut self, b: &mut Builder, input: &Input) -> Value {
        b.vload(Value(0), i64::from(input.location) * 64)
    }

    fn interpolate_at(&mut self, b: &mut Builder, input: &Input, _: Interpolate) -> Option<Value> {
        Some(b.vload(Value(0), ELSEWHERE + i64::from(input.location) * 64))
    }

    fn load_builtin(&mut self, b: &mut Builder, builtin: BuiltIn, _: u32) -> Option<Value> {
        Some(match builtin {
            BuiltIn::WorkgroupId | BuiltIn::NumWorkgroups | BuiltIn::InstanceIndex => b.sload(Value(1), 0),
            BuiltIn::FrontFacing => b.mconst(1),
            _ => b.viota(),
        })
    }
}

/// Numbers that look random and are the same every time (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }
}

/// Starts of the instructions of a well-formed module.
fn starts(module: &[u32]) -> Vec<usize> {
    let mut out = Vec::new();
    let mut at = 5;
    while at < module.len() {
        out.push(at);
        at += ((module[at] >> 16) as usize).max(1);
    }
    out
}

fn mutate(module: &mut Vec<u32>, random: &mut Random) {
    let starts = starts(module);
    let pick = starts[random.below(starts.len())];
    let len = ((module[pick] >> 16) as usize).clamp(1, module.len() - pick);
    match random.below(9) {
        0 => module.truncate(random.below(module.len())),
        1 => {
            let at = random.below(module.len());
            module[at] ^= 1 << random.below(32);
        }
        2 => {
            let at = random.below(module.len());
            module[at] = random.next() as u32;
        }
        3 => {
            module.drain(pick..pick + len);
        }
        4 => {
            let copy = module[pick..pick + len].to_vec();
            let at = starts[random.below(starts.len())];
            module.splice(at..at, copy);
        }
        5 => module[pick] = module[pick] & 0xffff_0000 | random.below(400) as u32,
        // An id or literal in place of another: the kind that gets furthest.
        _ => {
            let (to, from) = (pick + random.below(len), random.below(module.len()));
            let word = if random.below(3) == 0 {
                random.below(300) as u32
            } else {
                module[from]
            };
            if to != pick {
                module[to] = word;
            }
        }
    }
}

/// A mapping of each binding to heaps, one of each kind.
fn mapped() -> HeapLayout {
    let index = HeapIndex {
        offset: 64,
        array_stride: 16,
        index_stride: 32,
        push_offset: 8,
        address_offset: 4,
    };
    let descriptor = |indexing| HeapSource::Descriptor {
        indexing,
        resource: index,
        sampler: index,
        packed: indexing == Indexing::Indirect,
        embedded: None,
    };
    let sources = [
        descriptor(Indexing::IndirectArray),
        descriptor(Indexing::Push),
        HeapSource::IndirectAddress {
            push_offset: 248,
            address_offset: 0,
        },
        HeapSource::PushData(u32::MAX),
        descriptor(Indexing::Indirect),
    ];
    let mapping = |(binding, source)| HeapMapping {
        set: 0,
        first: binding,
        count: 1,
        types: u32::MAX,
        source,
    };
    HeapLayout {
        mappings: (0..).zip(sources).map(mapping).collect(),
    }
}

/// Translates the first entry point, whatever it is called; with marks for named values if `watched`, with bindings in
/// heaps if `heaps`.
fn attempt(words: &[u32], func: &mut Func, watched: bool, heaps: bool) -> Result<Outputs, SpirvError> {
    let module = Module::parse(words)?;
    let stages = [
        vk::ShaderStageFlags::COMPUTE,
        vk::ShaderStageFlags::VERTEX,
        vk::ShaderStageFlags::FRAGMENT,
    ];
    let names: Vec<String> = module.entry_points().map(|(name, _)| name.to_owned()).collect();
    let name = names.first().map_or("main", String::as_str);
    let entry = stages
        .iter()
        .find_map(|&stage| match module.entry(name, stage, &SpecInfo::default()) {
            Err(SpirvError::NoEntryPoint(_)) => None,
            other => Some(other),
        });
    let entry = entry.unwrap_or_else(|| Err(SpirvError::NoEntryPoint(name.to_owned())))?;
    let mut b = Builder::new(func, BlockId(0));
    let (exec, coverage) = (b.mconst(1), b.mload_bits(Value(1), 0));
    let start = Start {
        ctx: Value(0),
        exec,
        coverage,
    };
    let layout = ResourceLayout {
        heap: heaps.then(|| Arc::new(mapped())),
        ..layout(3)
    };
    let outputs = if watched {
        let (outputs, watches) = translate_watched(&entry, &layout, &mut AnyStage, &mut b, start)?;
        // Any numbers can be shown.
        (0..watches.len()).for_each(|slot| assert!(watches.show(&entry, slot, &[7, 8, 9]).is_some()));
        outputs
    } else {
        translate(&entry, &layout, &mut AnyStage, &mut b, start)?
    };
    let done = b.sconst(0);
    b.ret(done);
    Ok(outputs)
}

#[test]
fn broken_modules_are_errors_or_shaders() {
    let modules: Vec<Vec<u32>> = CORPUS.iter().map(|bytes| words(bytes)).collect();
    let mut random = Random(0x5eed_1234_5678_9abc);
    let (mut good, mut bad) = (0, 0);
    for n in 0..MUTANTS {
        let mut module = modules[random.below(modules.len())].clone();
        for _ in 0..=random.below(3) {
            if module.len() > 8 {
                mutate(&mut module, &mut random);
            }
        }
        let before = Instant::now();
        let mut func = Func::new("mutant", 8, &[Type::S64, Type::S64]);
        match attempt(&module, &mut func, n % 2 == 0, n % 4 > 1) {
            Ok(_) => {
                good += 1;
                let sound = ir::verify(&func);
                assert!(sound.is_ok(), "mutant {n}: {:?}", sound.err());
            }
            Err(_) => bad += 1,
        }
        // Not a measurement: what hangs shall fail and name itself.
        assert!(
            before.elapsed() < Duration::from_secs(30),
            "mutant {n} takes too long"
        );
    }
    assert!(
        good > 100 && bad > 100,
        "{good} good, {bad} bad: the mutations test nothing"
    );
}

#[test]
fn chosen_elements_are_interpolated() {
    for module in both!("interpolate.frag") {
        let mut func = Func::new("interpolate", 8, &[Type::S64, Type::S64]);
        let outputs = attempt(&words(module), &mut func, false, false).expect("it translates");
        assert_eq!(ir::verify(&func), Ok(()));
        assert_eq!(outputs.values.len(), 4);
        // Both coordinates of both elements, each time.
        let elsewhere = func.blocks.iter().flat_map(|block| &block.insts);
        let elsewhere = elsewhere.filter(|inst| inst.op == Op::VLoad && inst.imm >= ELSEWHERE);
        assert_eq!(elsewhere.count(), 12);
    }
}

#[test]
fn outputs_of_64_bits_are_two_words() {
    use crate::shader::spirv::OutputSlot;
    let mut func = Func::new("words", 8, &[Type::S64, Type::S64]);
    let outputs = attempt(&words(spv!("wide.vert")), &mut func, false, false).expect("it translates");
    assert_eq!(ir::verify(&func), Ok(()));
    let slots: Vec<(u32, u32)> = outputs
        .values
        .iter()
        .filter_map(|output| match output.slot {
            OutputSlot::Location {
                location, component, ..
            } => Some((location, component)),
            OutputSlot::BuiltIn(..) => None,
        })
        .collect();
    // Three doubles, an integer at the second half of a location, and what comes behind them.
    let want = [
        (0, 0),
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 0),
        (1, 1),
        (2, 2),
        (2, 3),
        (3, 0),
    ];
    assert_eq!(slots, want);
}

/// A shader whose functions each call the next twice, `levels` deep, and do nothing else.
fn doubling(levels: u32) -> Vec<u32> {
    let inst = |op: u32, operands: &[u32]| {
        let mut words = vec![(operands.len() as u32 + 1) << 16 | op];
        words.extend(operands);
        words
    };
    let function = |level: u32, last: bool| {
        let id = 10 + 4 * level;
        let mut words = [inst(54, &[1, id, 0, 2]), inst(248, &[id + 1])].concat();
        if !last {
            words.extend(inst(57, &[1, id + 2, id + 4]));
            words.extend(inst(57, &[1, id + 3, id + 4]));
        }
        words.extend([inst(253, &[]), inst(56, &[])].concat());
        words
    };
    let mut module = vec![0x0723_0203, 0x1_0000, 0, 20 + 4 * levels, 0];
    let main = [u32::from_le_bytes(*b"main"), 0];
    for words in [
        inst(17, &[1]),
        inst(14, &[0, 1]),
        inst(15, &[&[5, 10], &main[..]].concat()),
        inst(16, &[10, 17, 1, 1, 1]),
        inst(19, &[1]),
        inst(33, &[2, 1]),
    ] {
        module.extend(words);
    }
    for level in 0..levels {
        module.extend(function(level, level + 1 == levels));
    }
    module
}

#[test]
fn functions_that_double_at_every_level_are_refused() {
    let func = || Func::new("doubling", 8, &[Type::S64, Type::S64]);
    assert!(attempt(&doubling(8), &mut func(), true, false).is_ok());
    assert!(matches!(
        attempt(&doubling(30), &mut func(), true, false),
        Err(SpirvError::TooLarge("the number of calls"))
    ));
}
