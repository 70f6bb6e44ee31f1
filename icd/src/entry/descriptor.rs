//! Descriptors: layouts, pools, sets and their updates.

use super::properties_core::{MAX_DESCRIPTORS, MAX_INLINE_BYTES};
use crate::{
    args::{Array, Out, OutArray, slice},
    boundary::commands,
    chain,
    device::{Device, DeviceState},
    dispatch::Ref,
    error::{Answer, Error},
    hook, objects,
    tables::Tables,
};
use ash::vk;
use lahar::{
    descriptor::{
        self, BindingInfo, Cursor, DescriptorSet, ImageDescriptor, PipelineLayout, Pool, PoolInfo,
        SamplerDescriptor, SetLayout, Spot,
    },
    memory::{Footprint, bytes_in, bytes_of},
    resource::{ImageView, Sampler},
};
use parking_lot::Mutex;
use std::{ffi::c_void, sync::Arc};
use vk::DescriptorType as Type;

impl From<descriptor::Error> for Error {
    fn from(error: descriptor::Error) -> Self {
        Self(error.into())
    }
}

/// A pool, and the handles of its sets.
pub(crate) struct PoolObject {
    pool: Pool,
    /// Every live set, and some freed ones.
    sets: Mutex<Vec<vk::DescriptorSet>>,
}

impl PoolObject {
    /// Frees its memory, whoever else still knows of it.
    pub(crate) fn free(&self) {
        self.pool.allocation().free();
    }
}

impl Footprint for PoolObject {
    /// Its memory reports itself.
    fn footprint(&self) -> u64 {
        0
    }
}

impl Footprint for UpdateTemplate {
    fn footprint(&self) -> u64 {
        bytes_of(self) + bytes_in(&self.entries)
    }
}

/// Where an update finds what it writes.
pub(crate) struct UpdateTemplate {
    entries: Vec<vk::DescriptorUpdateTemplateEntry>,
    /// Where it pushes descriptors.
    pub(super) bind_point: vk::PipelineBindPoint,
}

commands! {
    fn vkCreateDescriptorSetLayout(
        device: Ref<Device>,
        info: &vk::DescriptorSetLayoutCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        layout: Out<vk::DescriptorSetLayout>,
    ) -> vk::Result {
        let made = SetLayout::new(info.flags, binding_infos(&device, info))?;
        layout.write(device.create(&device.tables.set_layouts, allocator, || Ok(made))?);
        Ok(())
    }

    fn vkDestroyDescriptorSetLayout(
        device: Ref<Device>,
        layout: vk::DescriptorSetLayout,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.set_layouts, layout, allocator);
        Ok(())
    }

    fn vkGetDescriptorSetLayoutSupport(
        device: Ref<Device>,
        info: &vk::DescriptorSetLayoutCreateInfo<'_>,
        support: &mut vk::DescriptorSetLayoutSupport<'_>,
    ) {
        let layout = SetLayout::new(info.flags, binding_infos(&device, info));
        support.supported = vk::Bool32::from(layout.is_ok());
        let variable = layout.ok().and_then(|l| l.variable().map(|b| most(b.info.descriptor_type))).unwrap_or(0);
        if let Some(out) = chain::find_mut::<vk::DescriptorSetVariableDescriptorCountLayoutSupport<'_>, _>(support) {
            out.max_variable_descriptor_count = variable;
        }
        Ok(())
    }

    fn vkCreatePipelineLayout(
        device: Ref<Device>,
        info: &vk::PipelineLayoutCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        layout: Out<vk::PipelineLayout>,
    ) -> vk::Result {
        // SAFETY: the structure's arrays are valid, as Vulkan asks of the application.
        let (sets, ranges) = unsafe {
            (
                slice(info.p_set_layouts, info.set_layout_count),
                slice(info.p_push_constant_ranges, info.push_constant_range_count),
            )
        };
        let sets = sets.iter().map(|set| device.tables.set_layouts.get_optional(*set)).collect::<Answer<_>>()?;
        let made = PipelineLayout::new(sets, ranges.to_vec());
        layout.write(device.create(&device.tables.pipeline_layouts, allocator, || Ok(made))?);
        Ok(())
    }

    fn vkDestroyPipelineLayout(
        device: Ref<Device>,
        layout: vk::PipelineLayout,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.pipeline_layouts, layout, allocator);
        Ok(())
    }

    fn vkCreateDescriptorPool(
        device: Ref<Device>,
        info: &vk::DescriptorPoolCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        pool: Out<vk::DescriptorPool>,
    ) -> vk::Result {
        // SAFETY: the structure's array is valid, as Vulkan asks of the application.
        let sizes = unsafe { slice(info.p_pool_sizes, info.pool_size_count) };
        let inline = chain::find::<vk::DescriptorPoolInlineUniformBlockCreateInfo<'_>, _>(info);
        let desc = PoolInfo {
            flags: info.flags,
            max_sets: info.max_sets,
            sizes: sizes.to_vec(),
            max_inline_bindings: inline.map_or(0, |i| i.max_inline_uniform_block_bindings),
        };
        let host = device.host_block::<PoolObject>(allocator, vk::SystemAllocationScope::OBJECT)?;
        let made = Arc::new(PoolObject { pool: Pool::new(&device.memory, desc)?, sets: Mutex::default() });
        let handle = device.add(&device.tables.descriptor_pools, host, made.clone())?;
        made.pool.allocation().announce(vk::Handle::as_raw(handle));
        pool.write(handle);
        Ok(())
    }

    fn vkDestroyDescriptorPool(
        device: Ref<Device>,
        pool: vk::DescriptorPool,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        if let Some(pool) = objects::destroy(&device.tables.descriptor_pools, pool, allocator) {
            forget_sets(&device.tables, &pool);
            pool.free();
        }
        Ok(())
    }

    fn vkResetDescriptorPool(
        device: Ref<Device>,
        pool: vk::DescriptorPool,
        _flags: vk::DescriptorPoolResetFlags,
    ) -> vk::Result {
        let pool = device.tables.descriptor_pools.get(pool)?;
        forget_sets(&device.tables, &pool);
        pool.pool.reset();
        Ok(())
    }

    fn vkAllocateDescriptorSets(
        device: Ref<Device>,
        info: &vk::DescriptorSetAllocateInfo<'_>,
        sets: OutArray<vk::DescriptorSet>,
    ) -> vk::Result {
        let made = hook::fail_if_planned().and_then(|()| allocate_sets(&device, info));
        for index in 0..info.descriptor_set_count as usize {
            let handle = made.as_ref().ok().and_then(|m| m.get(index)).copied();
            sets.write(index, handle.unwrap_or_default());
        }
        made.map(|_| ())
    }

    fn vkFreeDescriptorSets(
        device: Ref<Device>,
        pool: vk::DescriptorPool,
        count: u32,
        sets: Array<vk::DescriptorSet>,
    ) -> vk::Result {
        free_sets(&device.tables, &*device.tables.descriptor_pools.get(pool)?, sets.get(count));
        Ok(())
    }

    fn vkUpdateDescriptorSets(
        device: Ref<Device>,
        write_count: u32,
        writes: Array<vk::WriteDescriptorSet<'_>>,
        copy_count: u32,
        copies: Array<vk::CopyDescriptorSet<'_>>,
    ) {
        let tables = &device.tables;
        // Writes to one set mostly come together: it is looked up once for all of them.
        for run in writes.get(write_count).chunk_by(|a, b| a.dst_set == b.dst_set) {
            tables.descriptor_sets.with(run[0].dst_set, |set| {
                run.iter().for_each(|write| write_set(tables, set, write));
            });
        }
        for copy in copies.get(copy_count) {
            copy_set(tables, copy)?;
        }
        Ok(())
    }

    fn vkCreateDescriptorUpdateTemplate(
        device: Ref<Device>,
        info: &vk::DescriptorUpdateTemplateCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        template: Out<vk::DescriptorUpdateTemplate>,
    ) -> vk::Result {
        // SAFETY: the structure's array is valid, as Vulkan asks of the application.
        let entries =
            unsafe { slice(info.p_descriptor_update_entries, info.descriptor_update_entry_count) }.to_vec();
        template.write(device.create(&device.tables.update_templates, allocator, || Ok(UpdateTemplate { entries, bind_point: info.pipeline_bind_point }))?);
        Ok(())
    }

    fn vkDestroyDescriptorUpdateTemplate(
        device: Ref<Device>,
        template: vk::DescriptorUpdateTemplate,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.update_templates, template, allocator);
        Ok(())
    }

    fn vkUpdateDescriptorSetWithTemplate(
        device: Ref<Device>,
        set: vk::DescriptorSet,
        template: vk::DescriptorUpdateTemplate,
        data: *const c_void,
    ) {
        let tables = &device.tables;
        let set = tables.descriptor_sets.get(set)?;
        // SAFETY: the data is what the template says, as Vulkan asks of the application.
        tables.update_templates.with(template, |t| unsafe {
            t.apply(tables, data, |binding, element| set.cursor(binding, element));
        });
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    (
        "vkCreateDescriptorUpdateTemplateKHR",
        "vkCreateDescriptorUpdateTemplate",
    ),
    (
        "vkDestroyDescriptorUpdateTemplateKHR",
        "vkDestroyDescriptorUpdateTemplate",
    ),
    (
        "vkGetDescriptorSetLayoutSupportKHR",
        "vkGetDescriptorSetLayoutSupport",
    ),
    (
        "vkUpdateDescriptorSetWithTemplateKHR",
        "vkUpdateDescriptorSetWithTemplate",
    ),
];

/// The most descriptors that a binding of variable size may have, whatever a layout asks for.
fn most(ty: Type) -> u32 {
    if ty == Type::INLINE_UNIFORM_BLOCK {
        MAX_INLINE_BYTES
    } else {
        MAX_DESCRIPTORS
    }
}

fn binding_infos(device: &DeviceState, info: &vk::DescriptorSetLayoutCreateInfo<'_>) -> Vec<BindingInfo> {
    // SAFETY: the structure's array is valid, as Vulkan asks of the application.
    let bindings = unsafe { slice(info.p_bindings, info.binding_count) };
    let flags = chain::find::<vk::DescriptorSetLayoutBindingFlagsCreateInfo<'_>, _>(info);
    // SAFETY: as above; the array is empty or has an element for each binding.
    let flags = flags.map_or(&[][..], |f| unsafe { slice(f.p_binding_flags, f.binding_count) });
    let sampler = |handle: &vk::Sampler| {
        device
            .tables
            .samplers
            .with(*handle, |s| *s.descriptor())
            .unwrap_or_default()
    };
    let lists = chain::find::<vk::MutableDescriptorTypeCreateInfoEXT<'_>, _>(info);
    // SAFETY: as above; the array may be shorter than that of the bindings.
    let lists = lists.map_or(&[][..], |m| unsafe {
        slice(
            m.p_mutable_descriptor_type_lists,
            m.mutable_descriptor_type_list_count,
        )
    });
    let convert = |(index, b): (usize, &vk::DescriptorSetLayoutBinding<'_>)| {
        // Other types ignore the pointer, whatever it is.
        let has_samplers = matches!(b.descriptor_type, Type::SAMPLER | Type::COMBINED_IMAGE_SAMPLER);
        let samplers = if has_samplers {
            // SAFETY: for these types the array is null or has an element for each descriptor.
            unsafe { slice(b.p_immutable_samplers, b.descriptor_count) }
        } else {
            &[]
        };
        BindingInfo {
            binding: b.binding,
            descriptor_type: b.descriptor_type,
            count: b.descriptor_count,
            stages: b.stage_flags,
            flags: flags.get(index).copied().unwrap_or_default(),
            immutable_samplers: samplers.iter().map(sampler).collect(),
            mutable_types: lists.get(index).map_or(Vec::new(), |l| {
                // SAFETY: as above.
                unsafe { slice(l.p_descriptor_types, l.descriptor_type_count) }.to_vec()
            }),
        }
    };
    bindings.iter().enumerate().map(convert).collect()
}

fn allocate_sets(
    device: &DeviceState,
    info: &vk::DescriptorSetAllocateInfo<'_>,
) -> Answer<Vec<vk::DescriptorSet>> {
    let tables = &device.tables;
    let pool = tables.descriptor_pools.get(info.descriptor_pool)?;
    // SAFETY: the structure's array is valid, as Vulkan asks of the application.
    let layouts = unsafe { slice(info.p_set_layouts, info.descriptor_set_count) };
    let counts = chain::find::<vk::DescriptorSetVariableDescriptorCountAllocateInfo<'_>, _>(info);
    // SAFETY: as above; the array is empty or has an element for each set.
    let counts = counts.map_or(&[][..], |c| unsafe {
        slice(c.p_descriptor_counts, c.descriptor_set_count)
    });
    let mut made = Vec::with_capacity(layouts.len());
    for (index, layout) in layouts.iter().enumerate() {
        let set = tables.set_layouts.get(*layout).and_then(|layout| {
            let variable = counts.get(index).copied().unwrap_or(0);
            Ok(pool.pool.allocate(&layout, variable)?)
        });
        match set {
            Ok(set) => made.push(tables.descriptor_sets.insert(Arc::new(set))),
            Err(error) => {
                free_sets(tables, &pool, &made);
                return Err(error);
            }
        }
    }
    let mut sets = pool.sets.lock();
    // Freed sets stay in the list until it doubles.
    if sets.len() + made.len() > sets.capacity() {
        sets.retain(|set| tables.descriptor_sets.find(*set).is_some());
        let room = 2 * (sets.len() + made.len());
        sets.reserve(room);
    }
    sets.extend(&made);
    Ok(made)
}

fn free_sets(tables: &Tables, pool: &PoolObject, sets: &[vk::DescriptorSet]) {
    for set in sets {
        if let Some(set) = tables.descriptor_sets.remove(*set) {
            pool.pool.free(&set);
        }
    }
}

/// Makes the handles of all sets of a pool stale.
fn forget_sets(tables: &Tables, pool: &PoolObject) {
    for set in pool.sets.lock().drain(..) {
        tables.descriptor_sets.remove(set);
    }
}

/// Writes what a `VkWriteDescriptorSet` says.
#[inline(always)]
fn write_set(tables: &Tables, set: &DescriptorSet, write: &vk::WriteDescriptorSet<'_>) {
    let written = write.descriptor_count == 1
        && set
            .place(write.dst_binding, write.dst_array_element)
            .is_some_and(|spot| write_one::<true>(tables, spot, write));
    if !written {
        write_longer(tables, set, write);
    }
}

/// The longer ways, for what is not among the first objects of its type, and for whatever it is.
#[inline(never)]
fn write_longer(tables: &Tables, set: &DescriptorSet, write: &vk::WriteDescriptorSet<'_>) {
    let written = write.descriptor_count == 1
        && set
            .place(write.dst_binding, write.dst_array_element)
            .is_some_and(|spot| write_one::<false>(tables, spot, write));
    if !written {
        write_any(tables, set, write);
    }
}

/// Reads one member of what the application passed, aligned or not. It has just written it: loads wider than its
/// stores, as a copy of the whole structure would make, have to wait for them.
macro_rules! member {
    ($info:expr, $name:ident) => {
        // SAFETY: the structure is there, as Vulkan asks of the application.
        unsafe { (&raw const (*$info).$name).read_unaligned() }
    };
}

/// Writes one descriptor of the common types: the short way, which most writes go. False if it is another type, or if
/// only the objects nearby are looked at and it is of another.
#[inline(always)]
fn write_one<const NEAR: bool>(tables: &Tables, spot: Spot, write: &vk::WriteDescriptorSet<'_>) -> bool {
    /// The object of a handle.
    macro_rules! look {
        ($table:ident, $handle:expr) => {{
            let handle = $handle;
            if NEAR {
                let Some(object) = tables.$table.peek_near(handle) else {
                    return false;
                };
                Some(object)
            } else {
                tables.$table.peek(handle)
            }
        }};
    }
    match write.descriptor_type {
        Type::COMBINED_IMAGE_SAMPLER if !write.p_image_info.is_null() => {
            let view = look!(image_views, member!(write.p_image_info, image_view));
            let sampler = look!(samplers, member!(write.p_image_info, sampler));
            spot.combined(image(view), state(sampler));
        }
        Type::SAMPLED_IMAGE | Type::STORAGE_IMAGE if !write.p_image_info.is_null() => {
            let view = look!(image_views, member!(write.p_image_info, image_view));
            spot.image(image(view));
        }
        Type::UNIFORM_BUFFER | Type::STORAGE_BUFFER if !write.p_buffer_info.is_null() => {
            let buffer = look!(buffers, member!(write.p_buffer_info, buffer));
            let (offset, range) = (
                member!(write.p_buffer_info, offset),
                member!(write.p_buffer_info, range),
            );
            spot.buffer(&buffer.map(|b| b.descriptor(offset, range)).unwrap_or_default());
        }
        _ => return false,
    }
    true
}

/// Writes whatever it is.
#[inline(never)]
fn write_any(tables: &Tables, set: &DescriptorSet, write: &vk::WriteDescriptorSet<'_>) {
    if let Some(mut cursor) = set.cursor(write.dst_binding, write.dst_array_element) {
        write_descriptors(tables, &mut cursor, write);
    }
}

/// Writes what a `VkWriteDescriptorSet` says where the cursor is.
pub(crate) fn write_descriptors(
    tables: &Tables,
    cursor: &mut Cursor<'_>,
    write: &vk::WriteDescriptorSet<'_>,
) {
    let infos = Infos {
        images: write.p_image_info.cast(),
        buffers: write.p_buffer_info.cast(),
        views: write.p_texel_buffer_view.cast(),
        bytes: if write.descriptor_type == Type::INLINE_UNIFORM_BLOCK {
            let block = chain::find::<vk::WriteDescriptorSetInlineUniformBlock<'_>, _>(write);
            block.map_or(std::ptr::null(), |b| b.p_data)
        } else {
            std::ptr::null()
        },
        stride: None,
    };
    let (ty, count) = (write.descriptor_type, write.descriptor_count);
    // SAFETY: the type decides which array has an element for each descriptor.
    unsafe { write_elements(tables, cursor, ty, count, &infos) }
}

/// Where the infos of descriptors are, by what they are.
struct Infos {
    images: *const c_void,
    buffers: *const c_void,
    views: *const c_void,
    bytes: *const c_void,
    /// Bytes from one to the next, if not their size.
    stride: Option<usize>,
}

/// Writes `count` descriptors.
///
/// # Safety
/// The pointer for the type is null or has what descriptors of the type are written from.
#[inline(always)]
unsafe fn write_elements(tables: &Tables, cursor: &mut Cursor<'_>, ty: Type, count: u32, infos: &Infos) {
    /// Gives each info to the body.
    macro_rules! each {
        ($data:expr, $ty:ty, |$info:ident| $body:expr) => {
            let stride = infos.stride.unwrap_or(size_of::<$ty>());
            let count = if $data.is_null() { 0 } else { count as usize };
            for index in 0..count {
                // SAFETY: the caller vouches for an info here.
                let $info = unsafe { $data.byte_add(index * stride).cast::<$ty>() };
                $body
            }
        };
    }
    match ty {
        Type::UNIFORM_BUFFER
        | Type::STORAGE_BUFFER
        | Type::UNIFORM_BUFFER_DYNAMIC
        | Type::STORAGE_BUFFER_DYNAMIC => {
            each!(infos.buffers, vk::DescriptorBufferInfo, |info| {
                let buffer = tables.buffers.with(member!(info, buffer), |b| {
                    b.descriptor(member!(info, offset), member!(info, range))
                });
                cursor.buffer(&buffer.unwrap_or_default());
            });
        }
        Type::COMBINED_IMAGE_SAMPLER => {
            each!(infos.images, vk::DescriptorImageInfo, |info| {
                let view = tables.image_views.peek(member!(info, image_view));
                let sampler = tables.samplers.peek(member!(info, sampler));
                cursor.combined(image(view), state(sampler));
            });
        }
        Type::SAMPLED_IMAGE | Type::STORAGE_IMAGE | Type::INPUT_ATTACHMENT => {
            each!(infos.images, vk::DescriptorImageInfo, |info| {
                cursor.image(image(tables.image_views.peek(member!(info, image_view))));
            });
        }
        Type::SAMPLER => {
            each!(infos.images, vk::DescriptorImageInfo, |info| {
                cursor.sampler(state(tables.samplers.peek(member!(info, sampler))));
            });
        }
        Type::UNIFORM_TEXEL_BUFFER | Type::STORAGE_TEXEL_BUFFER => {
            each!(infos.views, vk::BufferView, |info| {
                // SAFETY: as above.
                let view = unsafe { info.read_unaligned() };
                let texels = tables.buffer_views.with(view, |v| *v.descriptor());
                cursor.texel_buffer(&texels.unwrap_or_default());
            });
        }
        Type::INLINE_UNIFORM_BLOCK => {
            // SAFETY: the caller vouches for the bytes.
            cursor.inline(unsafe { slice(infos.bytes.cast(), count) });
        }
        // There are no layouts with other types.
        _ => {}
    }
}

/// The descriptor of a view, or the null descriptor.
#[inline(always)]
pub(super) fn image(view: Option<&ImageView>) -> &ImageDescriptor {
    view.map_or(&ImageDescriptor::NULL, ImageView::descriptor)
}

/// The descriptor of a sampler, or the null descriptor.
#[inline(always)]
pub(super) fn state(sampler: Option<&Sampler>) -> &SamplerDescriptor {
    sampler.map_or(&SamplerDescriptor::NULL, Sampler::descriptor)
}

fn copy_set(tables: &Tables, copy: &vk::CopyDescriptorSet<'_>) -> Answer {
    let source = tables.descriptor_sets.get(copy.src_set)?;
    let target = tables.descriptor_sets.get(copy.dst_set)?;
    let from = source.cursor(copy.src_binding, copy.src_array_element);
    let to = target.cursor(copy.dst_binding, copy.dst_array_element);
    if let (Some(mut from), Some(mut to)) = (from, to) {
        to.copy(&mut from, copy.descriptor_count);
    }
    Ok(())
}

impl UpdateTemplate {
    /// Writes what `data` holds where `cursor` says.
    ///
    /// # Safety
    /// `data` is what the template's entries say.
    pub(crate) unsafe fn apply<'a>(
        &self,
        tables: &Tables,
        data: *const c_void,
        cursor: impl Fn(u32, u32) -> Option<Cursor<'a>>,
    ) {
        for e in &self.entries {
            let Some(mut cursor) = cursor(e.dst_binding, e.dst_array_element) else {
                continue;
            };
            // SAFETY: the caller vouches for the entry's infos.
            unsafe {
                let at = data.byte_add(e.offset);
                let infos = Infos {
                    images: at,
                    buffers: at,
                    views: at,
                    bytes: at,
                    stride: Some(e.stride),
                };
                write_elements(tables, &mut cursor, e.descriptor_type, e.descriptor_count, &infos);
            }
        }
    }
}
