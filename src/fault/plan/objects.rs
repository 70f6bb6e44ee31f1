//! Types of objects, as plans name them, and which commands make them.

use crate::vk;
use vk::ObjectType as Ty;

/// A type of objects: its word, Vulkan's number, and the commands that make such objects.
type Row = (&'static str, Ty, &'static [&'static str]);

static TYPES: &[Row] = &[
    ("buffer", Ty::BUFFER, &["vkCreateBuffer"]),
    ("buffer_view", Ty::BUFFER_VIEW, &["vkCreateBufferView"]),
    (
        "command_buffer",
        Ty::COMMAND_BUFFER,
        &["vkAllocateCommandBuffers"],
    ),
    ("command_pool", Ty::COMMAND_POOL, &["vkCreateCommandPool"]),
    (
        "descriptor_pool",
        Ty::DESCRIPTOR_POOL,
        &["vkCreateDescriptorPool"],
    ),
    (
        "descriptor_set",
        Ty::DESCRIPTOR_SET,
        &["vkAllocateDescriptorSets"],
    ),
    (
        "descriptor_set_layout",
        Ty::DESCRIPTOR_SET_LAYOUT,
        &["vkCreateDescriptorSetLayout"],
    ),
    (
        "descriptor_update_template",
        Ty::DESCRIPTOR_UPDATE_TEMPLATE,
        &["vkCreateDescriptorUpdateTemplate"],
    ),
    ("device", Ty::DEVICE, &["vkCreateDevice"]),
    ("device_memory", Ty::DEVICE_MEMORY, &["vkAllocateMemory"]),
    ("event", Ty::EVENT, &["vkCreateEvent"]),
    ("fence", Ty::FENCE, &["vkCreateFence"]),
    ("framebuffer", Ty::FRAMEBUFFER, &["vkCreateFramebuffer"]),
    ("image", Ty::IMAGE, &["vkCreateImage"]),
    ("image_view", Ty::IMAGE_VIEW, &["vkCreateImageView"]),
    (
        "pipeline",
        Ty::PIPELINE,
        &["vkCreateGraphicsPipelines", "vkCreateComputePipelines"],
    ),
    ("pipeline_cache", Ty::PIPELINE_CACHE, &["vkCreatePipelineCache"]),
    (
        "pipeline_layout",
        Ty::PIPELINE_LAYOUT,
        &["vkCreatePipelineLayout"],
    ),
    (
        "private_data_slot",
        Ty::PRIVATE_DATA_SLOT,
        &["vkCreatePrivateDataSlot"],
    ),
    ("query_pool", Ty::QUERY_POOL, &["vkCreateQueryPool"]),
    ("queue", Ty::QUEUE, &[]),
    (
        "render_pass",
        Ty::RENDER_PASS,
        &["vkCreateRenderPass", "vkCreateRenderPass2"],
    ),
    ("sampler", Ty::SAMPLER, &["vkCreateSampler"]),
    ("semaphore", Ty::SEMAPHORE, &["vkCreateSemaphore"]),
    ("shader_module", Ty::SHADER_MODULE, &["vkCreateShaderModule"]),
    ("swapchain", Ty::SWAPCHAIN_KHR, &["vkCreateSwapchainKHR"]),
];

/// Their words.
pub(super) static WORDS: &[&str] = &{
    let mut words = [""; TYPES.len()];
    let mut i = 0;
    while i < words.len() {
        words[i] = TYPES[i].0;
        i += 1;
    }
    words
};

/// The type of a word.
#[must_use]
pub(super) fn of_word(word: &str) -> Option<Ty> {
    TYPES.iter().find(|row| row.0 == word).map(|row| row.1)
}

/// Whether a command makes objects of a type.
#[must_use]
pub fn makes(command: &str, ty: Ty) -> bool {
    TYPES.iter().any(|row| row.1 == ty && row.2.contains(&command))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physical::registry;

    #[test]
    fn words_are_sorted_and_commands_are_commands() {
        assert!(WORDS.is_sorted());
        for (word, ty, commands) in TYPES {
            assert_eq!(of_word(word), Some(*ty));
            for name in *commands {
                assert!(registry::command(name).is_some(), "{name}");
            }
        }
        assert!(makes("vkCreateImage", Ty::IMAGE) && !makes("vkCreateImage", Ty::BUFFER));
    }
}
