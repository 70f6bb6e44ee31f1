//! Binaries of shader objects: the SPIR-V behind a header. Compiling is quick, and the code depends on the state of the
//! draw.

use super::StageDesc;
use crate::physical::properties::uuid;
use crate::vk;

/// Version of the binaries.
pub const VERSION: u32 = 1;

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
    let code: Vec<u8> = stage.code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut bytes = uuid("shader binary").to_vec();
    let length = code.len() as u32;
    for word in [VERSION, stage.stage.as_raw(), length, crc32fast::hash(&code)] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.extend_from_slice(&code);
    bytes
}

/// The SPIR-V in a binary of this stage, unless it is from another driver, or damaged.
#[must_use]
pub fn read(bytes: &[u8], stage: vk::ShaderStageFlags) -> Option<&[u8]> {
    let (header, code) = bytes.split_at_checked(HEADER)?;
    let expected = [
        VERSION,
        stage.as_raw(),
        u32::try_from(code.len()).ok()?,
        crc32fast::hash(code),
    ];
    (header[..16] == uuid("shader binary") && words(&header[16..]) == expected).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Specialization;

    #[test]
    fn damaged_binaries_are_refused() {
        let stage = StageDesc {
            stage: vk::ShaderStageFlags::VERTEX,
            code: [1, 2, 3, 4, 5].into(),
            entry: "main".to_owned(),
            specialization: Specialization::default(),
        };
        let good = write(&stage);
        let code = read(&good, stage.stage).map(words);
        assert_eq!(code.as_deref(), Some(&stage.code[..]));
        assert_eq!(read(&good, vk::ShaderStageFlags::FRAGMENT), None);
        for at in 0..good.len() {
            assert_eq!(read(&good[..at], stage.stage), None);
            let mut bad = good.clone();
            bad[at] ^= 4;
            assert_eq!(read(&bad, stage.stage), None, "byte {at}");
        }
    }
}
