//! `VK_EXT_descriptor_heap`: descriptors at offsets of the application's choice, without sets and layouts.

use super::{image::make_view, sampler::sampler_info};
use crate::{
    args::{Array, OutArray, slice},
    boundary::commands,
    capture, chain,
    command::CommandBuffer,
    device::{Device, DeviceState},
    dispatch::Ref,
    error::{Answer, Error},
    generated::descriptor_heap::{
        BindHeapInfoEXT, DescriptorMappingSourceIndirectIndexArrayEXT, DescriptorSetAndBindingMappingEXT,
        HostAddressRangeEXT, PhysicalDeviceDescriptorHeapPropertiesEXT, PushDataInfoEXT,
        ResourceDescriptorInfoEXT, ShaderDescriptorSetAndBindingMappingInfoEXT,
    },
    instance::PhysicalDevice,
};
use ash::vk::{self, TaggedStructure};
use bytemuck::Pod;
use lahar::{
    command::Bytes,
    descriptor::{HEAP_CAPTURE_DATA_SIZE, ImageDescriptor, descriptor_size, with_address},
    physical::limits,
    resource::{Sampler, buffer_descriptor, texel_descriptor},
    shader::spirv::heap::{HeapIndex, HeapLayout, HeapMapping, HeapSource, Indexing, PUSH_DATA_BYTES},
};
use std::sync::Arc;
use vk::DescriptorType as Type;

/// The largest resource heap: far above what Vulkan asks for, and its offsets are 32-bit numbers all the same.
const MAX_RESOURCE_HEAP: u64 = 256 << 20;
/// The largest sampler heap.
const MAX_SAMPLER_HEAP: u64 = 32 << 20;

commands! {
    fn vkWriteSamplerDescriptorsEXT(
        device: Ref<Device>,
        count: u32,
        samplers: Array<vk::SamplerCreateInfo<'_>>,
        descriptors: Array<HostAddressRangeEXT>,
    ) -> vk::Result {
        for (info, range) in samplers.get(count).iter().zip(descriptors.get(count)) {
            let sampler = Sampler::new(&sampler_info(&device, info));
            // SAFETY: the range can be written, as Vulkan asks of the application.
            unsafe { put(sampler.descriptor(), range) };
        }
        Ok(())
    }

    fn vkWriteResourceDescriptorsEXT(
        device: Ref<Device>,
        count: u32,
        resources: Array<ResourceDescriptorInfoEXT>,
        descriptors: Array<HostAddressRangeEXT>,
    ) -> vk::Result {
        for (info, range) in resources.get(count).iter().zip(descriptors.get(count)) {
            // SAFETY: the union's member is the type's, and the range can be written, as Vulkan asks.
            unsafe { write_resource(&device, info, range) }?;
        }
        Ok(())
    }

    fn vkCmdBindSamplerHeapEXT(buffer: Ref<CommandBuffer>, info: &BindHeapInfoEXT) {
        bind(&buffer, true, info);
        Ok(())
    }

    fn vkCmdBindResourceHeapEXT(buffer: Ref<CommandBuffer>, info: &BindHeapInfoEXT) {
        bind(&buffer, false, info);
        Ok(())
    }

    fn vkCmdPushDataEXT(buffer: Ref<CommandBuffer>, info: &PushDataInfoEXT) {
        // SAFETY: the application gives so many bytes.
        let bytes: &[u8] = unsafe { slice(info.data.address.cast(), info.data.size as u32) };
        buffer.record(|r| r.push_constants(info.offset, bytes));
        Ok(())
    }

    fn vkGetImageOpaqueCaptureDataEXT(
        device: Ref<Device>,
        count: u32,
        images: Array<vk::Image>,
        datas: OutArray<HostAddressRangeEXT>,
    ) -> vk::Result {
        for (image, range) in images.get(count).iter().zip(datas.get(count)) {
            let image = device.tables.images.get(*image)?;
            let data = image.capture().map(|capture| with_address(&capture.data(), image.address()));
            // Zeros, which nothing replays from, for what was not made to be captured.
            let data = data.unwrap_or([0; HEAP_CAPTURE_DATA_SIZE]);
            // SAFETY: the range can be written, as Vulkan asks of the application.
            unsafe { put(&data, range) };
        }
        Ok(())
    }

    fn vkGetPhysicalDeviceDescriptorSizeEXT(_physical: Ref<PhysicalDevice>, ty: Type) -> u64 {
        Ok(u64::from(descriptor_size(ty).unwrap_or(0)))
    }

    fn vkRegisterCustomBorderColorEXT(
        device: Ref<Device>,
        color: &vk::SamplerCustomBorderColorCreateInfoEXT<'_>,
        request: vk::Bool32,
        index: &mut u32,
    ) -> vk::Result {
        // SAFETY: all members of the union are four words, of which any bits are a value.
        let words = unsafe { color.custom_border_color.uint32 };
        let most = limits::limits().max_sampler_allocation_count;
        let mut all = device.border_colors.lock();
        if request == vk::FALSE {
            let free = (0..most).find(|index| !all.contains_key(index));
            *index = free.ok_or(Error(vk::Result::ERROR_TOO_MANY_OBJECTS))?;
        } else if *index >= most || all.contains_key(index) {
            return Err(Error(vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS));
        }
        all.insert(*index, words);
        Ok(())
    }

    fn vkUnregisterCustomBorderColorEXT(device: Ref<Device>, index: u32) {
        device.border_colors.lock().remove(&index);
        Ok(())
    }
}

/// Fills in the limits of heaps.
pub(super) fn properties(out: &mut PhysicalDeviceDescriptorHeapPropertiesEXT) {
    let size = |ty| u64::from(descriptor_size(ty).unwrap_or(0));
    let [sampler, image, texels, buffer] = [
        Type::SAMPLER,
        Type::SAMPLED_IMAGE,
        Type::UNIFORM_TEXEL_BUFFER,
        Type::UNIFORM_BUFFER,
    ]
    .map(size);
    *out = PhysicalDeviceDescriptorHeapPropertiesEXT {
        s_type: out.s_type,
        p_next: out.p_next,
        sampler_heap_alignment: sampler,
        resource_heap_alignment: image,
        max_sampler_heap_size: MAX_SAMPLER_HEAP,
        max_resource_heap_size: MAX_RESOURCE_HEAP,
        // Nothing of the driver's own is in heaps: embedded samplers are part of the code.
        min_sampler_heap_reserved_range: 0,
        min_sampler_heap_reserved_range_with_embedded: 0,
        min_resource_heap_reserved_range: 0,
        sampler_descriptor_size: sampler,
        image_descriptor_size: image,
        buffer_descriptor_size: buffer,
        sampler_descriptor_alignment: sampler,
        image_descriptor_alignment: texels,
        buffer_descriptor_alignment: buffer,
        max_push_data_size: u64::from(PUSH_DATA_BYTES),
        image_capture_replay_opaque_data_size: HEAP_CAPTURE_DATA_SIZE,
        max_descriptor_heap_embedded_samplers: 1 << 20,
        sampler_ycbcr_conversion_count: 1,
        sparse_descriptor_heaps: vk::TRUE,
        protected_descriptor_heaps: vk::FALSE,
    };
}

fn bind(buffer: &CommandBuffer, sampler: bool, info: &BindHeapInfoEXT) {
    let (mut address, size) = (info.heap_range.address, info.heap_range.size);
    // Other memory of the process must not be taken for descriptors.
    if !buffer.device.memory.may_hold(address) {
        address = 0;
    }
    buffer.record(|r| r.bind_heap(sampler, Bytes { address, size }));
}

/// Copies the bytes of a descriptor to the application.
///
/// # Safety
/// The range can be written.
unsafe fn put<T: Pod>(value: &T, range: &HostAddressRangeEXT) {
    let bytes = bytemuck::bytes_of(value);
    // SAFETY: the caller vouches for the range; no more is copied than it has.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), range.address.cast(), bytes.len().min(range.size));
    }
}

/// Writes the bytes of a resource's descriptor; those of the null descriptor where nothing is given.
///
/// # Safety
/// The pointer in the union is null or to what the type says; the range can be written.
unsafe fn write_resource(
    device: &DeviceState,
    info: &ResourceDescriptorInfoEXT,
    range: &HostAddressRangeEXT,
) -> Answer {
    // SAFETY: all members of the union are pointers; the caller vouches for what they point to, and for the range.
    unsafe {
        match info.ty {
            Type::UNIFORM_BUFFER | Type::STORAGE_BUFFER => {
                let memory = info.data.p_address_range.as_ref();
                let made = memory.map(|memory| buffer_descriptor(memory.address, memory.size));
                put(&made.unwrap_or_default(), range);
            }
            Type::UNIFORM_TEXEL_BUFFER | Type::STORAGE_TEXEL_BUFFER => {
                let texels = info.data.p_texel_buffer.as_ref();
                let made = texels
                    .map(|texels| {
                        let memory = texels.address_range;
                        texel_descriptor(memory.address, memory.size, texels.format)
                    })
                    .transpose()?;
                put(&made.unwrap_or_default(), range);
            }
            Type::SAMPLED_IMAGE | Type::STORAGE_IMAGE | Type::INPUT_ATTACHMENT => {
                let view = info.data.p_image.as_ref().and_then(|image| image.p_view.as_ref());
                match view {
                    Some(view) => {
                        let view = make_view(device, view)?;
                        if !view.image().is_where_captured() {
                            return Err(capture::REFUSED);
                        }
                        put(view.descriptor(), range);
                    }
                    None => put(&ImageDescriptor::NULL, range),
                }
            }
            // There are no other resources.
            _ => return Err(Error(vk::Result::ERROR_UNKNOWN)),
        }
    }
    Ok(())
}

/// How the bindings of a shader are mapped, as the chain of its structure says.
pub(super) fn layout<I: TaggedStructure>(device: &DeviceState, info: &I) -> HeapLayout {
    let found = chain::find::<ShaderDescriptorSetAndBindingMappingInfoEXT, _>(info);
    // SAFETY: the array has this many elements.
    let mappings = found.map_or(&[][..], |found| unsafe {
        slice(found.p_mappings, found.mapping_count)
    });
    let one = |mapping: &DescriptorSetAndBindingMappingEXT| {
        Some(HeapMapping {
            set: mapping.descriptor_set,
            first: mapping.first_binding,
            count: mapping.binding_count,
            types: mapping.resource_mask,
            source: source(device, mapping)?,
        })
    };
    HeapLayout {
        mappings: mappings.iter().filter_map(one).collect(),
    }
}

/// What a mapping says; none for sources that only stages have which are not offered.
fn source(device: &DeviceState, mapping: &DescriptorSetAndBindingMappingEXT) -> Option<HeapSource> {
    let data = &mapping.source_data;
    // SAFETY: all members are plain numbers and pointers; the source says which of them there is.
    unsafe {
        Some(match mapping.source {
            0 => {
                let s = data.constant_offset;
                descriptor(
                    device,
                    Indexing::Constant,
                    s.p_embedded_sampler,
                    vk::FALSE,
                    [
                        index([s.heap_offset, s.heap_array_stride, 0, 0, 0]),
                        index([s.sampler_heap_offset, s.sampler_heap_array_stride, 0, 0, 0]),
                    ],
                )
            }
            1 => {
                let s = data.push_index;
                let both = [
                    index([
                        s.heap_offset,
                        s.heap_array_stride,
                        s.heap_index_stride,
                        s.push_offset,
                        0,
                    ]),
                    index([
                        s.sampler_heap_offset,
                        s.sampler_heap_array_stride,
                        s.sampler_heap_index_stride,
                        s.sampler_push_offset,
                        0,
                    ]),
                ];
                let packed = s.use_combined_image_sampler_index;
                descriptor(device, Indexing::Push, s.p_embedded_sampler, packed, both)
            }
            2 => {
                let s = data.indirect_index;
                let rest = [s.heap_array_stride, s.sampler_heap_array_stride];
                let array = DescriptorMappingSourceIndirectIndexArrayEXT {
                    heap_offset: s.heap_offset,
                    push_offset: s.push_offset,
                    address_offset: s.address_offset,
                    heap_index_stride: s.heap_index_stride,
                    p_embedded_sampler: s.p_embedded_sampler,
                    use_combined_image_sampler_index: s.use_combined_image_sampler_index,
                    sampler_heap_offset: s.sampler_heap_offset,
                    sampler_push_offset: s.sampler_push_offset,
                    sampler_address_offset: s.sampler_address_offset,
                    sampler_heap_index_stride: s.sampler_heap_index_stride,
                };
                indirect(device, Indexing::Indirect, &array, rest)
            }
            3 => indirect(
                device,
                Indexing::IndirectArray,
                &data.indirect_index_array,
                [0; 2],
            ),
            4 => HeapSource::HeapData {
                offset: data.heap_data.heap_offset,
                push_offset: data.heap_data.push_offset,
            },
            5 => HeapSource::PushData(data.push_data_offset),
            6 => HeapSource::PushAddress(data.push_address_offset),
            7 => HeapSource::IndirectAddress {
                push_offset: data.indirect_address.push_offset,
                address_offset: data.indirect_address.address_offset,
            },
            _ => return None,
        })
    }
}

/// Offset, stride of the array, stride of the index, offset of the index in push data and behind an address there.
fn index([offset, array_stride, index_stride, push_offset, address_offset]: [u32; 5]) -> HeapIndex {
    HeapIndex {
        offset,
        array_stride,
        index_stride,
        push_offset,
        address_offset,
    }
}

fn indirect(
    device: &DeviceState,
    indexing: Indexing,
    s: &DescriptorMappingSourceIndirectIndexArrayEXT,
    [array_stride, sampler_array_stride]: [u32; 2],
) -> HeapSource {
    let both = [
        index([
            s.heap_offset,
            array_stride,
            s.heap_index_stride,
            s.push_offset,
            s.address_offset,
        ]),
        index([
            s.sampler_heap_offset,
            sampler_array_stride,
            s.sampler_heap_index_stride,
            s.sampler_push_offset,
            s.sampler_address_offset,
        ]),
    ];
    let packed = s.use_combined_image_sampler_index;
    descriptor(device, indexing, s.p_embedded_sampler, packed, both)
}

fn descriptor(
    device: &DeviceState,
    indexing: Indexing,
    embedded: *const vk::SamplerCreateInfo<'_>,
    packed: vk::Bool32,
    [resource, sampler]: [HeapIndex; 2],
) -> HeapSource {
    // SAFETY: the pointer is null or to a valid structure, as Vulkan asks of the application.
    let embedded = unsafe { embedded.as_ref() };
    HeapSource::Descriptor {
        indexing,
        resource,
        sampler,
        packed: packed != vk::FALSE,
        embedded: embedded.map(|info| {
            let made = Sampler::new(&sampler_info(device, info));
            Arc::new(bytemuck::cast(*made.descriptor()))
        }),
    }
}
