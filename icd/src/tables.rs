//! The handle tables of a device, one a type of object.

use crate::{
    entry::descriptor::{PoolObject, UpdateTemplate},
    table::Table,
};
use ash::vk;
use lahar::{
    descriptor::{DescriptorSet, PipelineLayout, SetLayout},
    memory::Allocation,
    resource::{Buffer, BufferView, Image, ImageView, Sampler},
};

/// All tables of a device.
#[derive(Default)]
pub(crate) struct Tables {
    pub(crate) buffers: Table<vk::Buffer, Buffer>,
    pub(crate) buffer_views: Table<vk::BufferView, BufferView>,
    pub(crate) descriptor_pools: Table<vk::DescriptorPool, PoolObject>,
    pub(crate) descriptor_sets: Table<vk::DescriptorSet, DescriptorSet>,
    pub(crate) images: Table<vk::Image, Image>,
    pub(crate) image_views: Table<vk::ImageView, ImageView>,
    pub(crate) memories: Table<vk::DeviceMemory, Allocation>,
    pub(crate) pipeline_layouts: Table<vk::PipelineLayout, PipelineLayout>,
    pub(crate) samplers: Table<vk::Sampler, Sampler>,
    pub(crate) set_layouts: Table<vk::DescriptorSetLayout, SetLayout>,
    pub(crate) update_templates: Table<vk::DescriptorUpdateTemplate, UpdateTemplate>,
}

impl Tables {
    /// Drops whatever the application has not destroyed, users before what they use.
    pub(crate) fn clear(&self) {
        self.descriptor_sets.drain();
        self.descriptor_pools.drain();
        self.update_templates.drain();
        self.pipeline_layouts.drain();
        self.set_layouts.drain();
        self.samplers.drain();
        self.image_views.drain();
        self.images.drain();
        self.buffer_views.drain();
        self.buffers.drain();
        self.memories.drain();
    }
}
