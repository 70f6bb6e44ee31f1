//! Binaries of shader objects: how bindings are mapped to heaps, and the SPIR-V, behind a header. Compiling is quick, and the code depends on the state of the
//! draw.

use super::StageDesc;
use crate::physical::properties::uuid;
use crate::shader::spirv::heap::HeapLayout;
use crate::vk;

/// Version of the binaries.
pub const VERSION: u32 = 2;

/// Bytes of a binary's header: identification, version, stage, length and checksum of what follows.
const HEADER: usize = 32;

fn words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

/// The binary of a shader.
#[must_use]
pub fn write(stage: &StageDesc) -> Vec<u8> {
    let heap = match &stage.heap {
        Some(heap) => [vec![1], heap.words()].concat(),
        None => vec![0],
    };
    let all = heap.iter().chain(stage.code.iter());
    let code: Vec<u8> = all.flat_map(|word| word.to_le_bytes()).collect();
    let mut bytes = uuid("shader binary").to_vec();
    let length = code.len() as u32;
    for word in [VERSION, stage.stage.as_raw(), length, crc32fast::hash(&code)] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.extend_from_slice(&code);
    bytes
}

/// The SPIR-V in a binary of this stage and the mapping to heaps, unless it is from another driver, or damaged.
#[must_use]
pub fn read(bytes: &[u8], stage: vk::ShaderStageFlags) -> Option<(Vec<u32>, Option<HeapLayout>)> {
    let (header, code) = bytes.split_at_checked(HEADER)?;
    let expected = [
        VERSION,
        stage.as_raw(),
        u32::try_from(code.len()).ok()?,
        crc32fast::hash(code),
    ];
    if header[..16] != uuid("shader binary") || words(&header[16..]) != expected {
        return None;
    }
    let words = words(code);
    let (has_heap, rest) = words.split_first()?;
    if *has_heap == 0 {
        return Some((rest.to_vec(), None));
    }
    let (heap, taken) = HeapLayout::from_words(rest)?;
    Some((rest[taken..].to_vec(), Some(heap)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Specialization;
    use std::sync::Arc;

    #[test]
    fn damaged_binaries_are_refused() {
        let stage = StageDesc {
            stage: vk::ShaderStageFlags::VERTEX,
            code: [1, 2, 3, 4, 5].into(),
            entry: "main".to_owned(),
            specialization: Specialization::default(),
            heap: None,
        };
        let good = write(&stage);
        assert_eq!(read(&good, stage.stage), Some((stage.code.to_vec(), None)));
        let mapped = StageDesc {
            heap: Some(Arc::default()),
            ..stage.clone()
        };
        let found = read(&write(&mapped), stage.stage);
        assert_eq!(found, Some((stage.code.to_vec(), Some(HeapLayout::default()))));
        assert_eq!(read(&good, vk::ShaderStageFlags::FRAGMENT), None);
        for at in 0..good.len() {
            assert_eq!(read(&good[..at], stage.stage), None);
            let mut bad = good.clone();
            bad[at] ^= 4;
            assert_eq!(read(&bad, stage.stage), None, "byte {at}");
        }
    }
}
