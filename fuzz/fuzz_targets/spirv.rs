//! Any words as a shader module: they are translated, or refused with a reason, and can be listed all the same.
#![no_main]

use ash::vk;
use lahar::{
    fault::{attribution::ShaderRef, listing},
    shader::spirv::{Module, SpecInfo},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|words: Vec<u32>| {
    let middle = u32::try_from(words.len() / 2 * 4).unwrap_or(0);
    listing::locate(&words, middle, &mut ShaderRef::default());
    let module = match Module::parse(&words) {
        Ok(module) => module,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let stages = [
        vk::ShaderStageFlags::VERTEX,
        vk::ShaderStageFlags::FRAGMENT,
        vk::ShaderStageFlags::COMPUTE,
    ];
    for stage in stages {
        // Which it is, is the module's to say; a refusal is an answer too.
        let _ = module.entry("main", stage, &SpecInfo::default());
    }
});
