//! The handle tables of a device, one a type of object.

use crate::{
    command::CommandPool,
    entry::{
        descriptor::{PoolObject, UpdateTemplate},
        swapchain::SwapchainObject,
    },
    pipeline::{Pipeline, PipelineCache, ShaderModule},
    table::Table,
};
use ash::vk;
use lahar::{
    command::{Framebuffer, RenderPass},
    descriptor::{DescriptorSet, PipelineLayout, SetLayout},
    memory::Allocation,
    pipeline::ShaderObject,
    query::QueryPool,
    resource::{Buffer, BufferView, Conversion, Image, ImageView, Sampler},
    sync::{Event, Fence, Semaphore},
};

/// Declares the tables; `clear` empties them in the order in which they are listed: users before what they use.
macro_rules! tables {
    ($($name:ident: $handle:ty => $object:ty;)*) => {
        /// All tables of a device.
        #[derive(Default)]
        pub(crate) struct Tables {
            $(pub(crate) $name: Table<$handle, $object>,)*
        }

        impl Tables {
            /// Objects that are there.
            pub(crate) fn live(&self) -> usize {
                [$(self.$name.live()),*].iter().sum()
            }

            /// All objects that are there: type, handle and counted bytes.
            pub(crate) fn alive(&self) -> Vec<(vk::ObjectType, u64, u64)> {
                let mut all = vec![];
                $(all.extend(self.$name.alive().into_iter().map(|(handle, bytes)| {
                    (<$handle as vk::Handle>::TYPE, vk::Handle::as_raw(handle), bytes)
                }));)*
                all
            }

            /// Drops whatever the application has not destroyed, users before what they use.
            pub(crate) fn clear(&self) {
                $(drop(self.$name.drain());)*
            }
        }
    };
}

tables! {
    command_pools: vk::CommandPool => CommandPool;
    swapchains: vk::SwapchainKHR => SwapchainObject;
    fences: vk::Fence => Fence;
    semaphores: vk::Semaphore => Semaphore;
    events: vk::Event => Event;
    query_pools: vk::QueryPool => QueryPool;
    framebuffers: vk::Framebuffer => Framebuffer;
    render_passes: vk::RenderPass => RenderPass;
    pipelines: vk::Pipeline => Pipeline;
    shaders: vk::ShaderEXT => ShaderObject;
    pipeline_caches: vk::PipelineCache => PipelineCache;
    shader_modules: vk::ShaderModule => ShaderModule;
    descriptor_sets: vk::DescriptorSet => DescriptorSet;
    descriptor_pools: vk::DescriptorPool => PoolObject;
    update_templates: vk::DescriptorUpdateTemplate => UpdateTemplate;
    pipeline_layouts: vk::PipelineLayout => PipelineLayout;
    set_layouts: vk::DescriptorSetLayout => SetLayout;
    samplers: vk::Sampler => Sampler;
    conversions: vk::SamplerYcbcrConversion => Conversion;
    image_views: vk::ImageView => ImageView;
    images: vk::Image => Image;
    buffer_views: vk::BufferView => BufferView;
    buffers: vk::Buffer => Buffer;
    memories: vk::DeviceMemory => Allocation;
}
