//! Any words as a shader module: they are translated, or refused with a reason, and can be listed all the same.
#![no_main]

use ash::vk;
use lahar::{
    fault::{attribution::ShaderRef, listing},
    shader::{
        ir,
        spirv::{
            BindingLayout, Module, ResourceLayout, SpecInfo,
            heap::{HeapIndex, HeapLayout, HeapMapping, HeapSource, Indexing},
        },
        stage::{SpirvShader, compute},
    },
};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

fuzz_target!(|bytes: &[u8]| {
    // As they are in a file, so that modules can be seeds.
    let words = bytes.as_chunks::<4>().0;
    let words: Vec<u32> = words.iter().map(|&word| u32::from_le_bytes(word)).collect();
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
        let Ok(entry) = module.entry("main", stage, &SpecInfo::default()) else {
            continue;
        };
        // Any stage translates within a compute kernel, but for inputs that this has not.
        let shader = SpirvShader {
            entry,
            // The id bound decides, which can be anything above the ids.
            layout: layout(words[3] % 2 == 1),
        };
        if let Ok(func) = compute::build(&shader, 8) {
            assert_eq!(ir::verify(&func), Ok(()));
        }
    }
});

/// Mappings to heaps: a kind for each binding, in all sets.
fn heap() -> HeapLayout {
    let index = HeapIndex {
        offset: 64,
        array_stride: 64,
        index_stride: 32,
        push_offset: 8,
        address_offset: 4,
    };
    let descriptor = |indexing| HeapSource::Descriptor {
        indexing,
        resource: index,
        sampler: index,
        packed: indexing == Indexing::IndirectArray,
        embedded: None,
    };
    let sources = [
        descriptor(Indexing::Constant),
        descriptor(Indexing::Push),
        descriptor(Indexing::IndirectArray),
        descriptor(Indexing::Indirect),
        HeapSource::PushAddress(248),
        HeapSource::PushData(16),
    ];
    let mapping = |(first, source): (u32, HeapSource)| {
        (0..4).map(move |set| HeapMapping {
            set,
            first,
            count: 1,
            types: u32::MAX,
            source: source.clone(),
        })
    };
    HeapLayout {
        mappings: (0..).zip(sources).flat_map(mapping).collect(),
    }
}

/// Bindings of the kinds that there are, in each of four sets, or in heaps.
fn layout(heaps: bool) -> ResourceLayout {
    const KINDS: [vk::DescriptorType; 6] = [
        vk::DescriptorType::STORAGE_BUFFER,
        vk::DescriptorType::UNIFORM_BUFFER,
        vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        vk::DescriptorType::STORAGE_IMAGE,
        vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        vk::DescriptorType::INLINE_UNIFORM_BLOCK,
    ];
    let bindings = (0u32..).zip(KINDS).map(|(binding, ty)| BindingLayout {
        binding,
        ty,
        count: 1 + binding % 2,
        offset: 64 * binding,
        stride: 64,
        dynamic_index: None,
    });
    ResourceLayout {
        sets: vec![bindings.collect(); 4],
        heap: heaps.then(|| Arc::new(heap())),
    }
}
