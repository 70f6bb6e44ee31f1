//! Pipelines and pipeline caches.

use super::{descriptor_heap, pipeline_library, shader_module};
use crate::{
    args::{Array, Out, OutArray, slice, text},
    boundary::commands,
    chain,
    device::{Device, DeviceState},
    dispatch::Ref,
    error::{Answer, Error},
    hook, objects,
    pipeline::{Pipeline, PipelineCache},
};
use ash::vk::{self, Handle, TaggedStructure};
use lahar::pipeline::{
    ComputePipeline, ComputePipelineDesc, GraphicsPipeline, PipelineError, ResourceLayout, Specialization,
    SpecializationEntry, StageDesc,
};
use std::{ffi::c_void, sync::Arc};

commands! {
    fn vkCreateGraphicsPipelines(
        device: Ref<Device>,
        _cache: vk::PipelineCache,
        count: u32,
        infos: Array<vk::GraphicsPipelineCreateInfo<'_>>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        pipelines: OutArray<vk::Pipeline>,
    ) -> vk::Result {
        create(&device, infos.get(count), (allocator, pipelines), |info| {
            compile_allowed(create_flags(info, info.flags))?;
            let parts = pipeline_library::describe(&device, info)?;
            if create_flags(info, info.flags).contains(vk::PipelineCreateFlags::LIBRARY_KHR) {
                return Ok(Pipeline::Library(Box::new(parts)));
            }
            let new = GraphicsPipeline::new(parts.link()?, device.engine.target());
            Ok(Pipeline::Graphics(Arc::new(new.map_err(|error| refuse(&device, &error))?)))
        }, |info| create_flags(info, info.flags))
    }

    fn vkCreateComputePipelines(
        device: Ref<Device>,
        _cache: vk::PipelineCache,
        count: u32,
        infos: Array<vk::ComputePipelineCreateInfo<'_>>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        pipelines: OutArray<vk::Pipeline>,
    ) -> vk::Result {
        create(&device, infos.get(count), (allocator, pipelines), |info| {
            compile_allowed(create_flags(info, info.flags))?;
            let heaps = uses_heaps(info);
            let layout = if heaps {
                Arc::new(ResourceLayout::of_heaps())
            } else {
                device.tables.pipeline_layouts.get(info.layout)?.resources().clone()
            };
            let stage = stage(&device, &info.stage, heaps)?;
            let desc = ComputePipelineDesc { stage, layout };
            let new = ComputePipeline::new(desc, device.engine.target());
            Ok(Pipeline::Compute(Arc::new(new.map_err(|error| refuse(&device, &error))?)))
        }, |info| create_flags(info, info.flags))
    }

    fn vkDestroyPipeline(
        device: Ref<Device>,
        pipeline: vk::Pipeline,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.pipelines, pipeline, allocator);
        Ok(())
    }

    fn vkCreatePipelineCache(
        device: Ref<Device>,
        _info: &vk::PipelineCacheCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        cache: Out<vk::PipelineCache>,
    ) -> vk::Result {
        cache.write(device.create(&device.tables.pipeline_caches, allocator, || Ok(PipelineCache))?);
        Ok(())
    }

    fn vkDestroyPipelineCache(
        device: Ref<Device>,
        cache: vk::PipelineCache,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.pipeline_caches, cache, allocator);
        Ok(())
    }

    fn vkGetPipelineCacheData(
        device: Ref<Device>,
        cache: vk::PipelineCache,
        size: &mut usize,
        data: *mut c_void,
    ) -> vk::Result {
        device.tables.pipeline_caches.get(cache)?;
        let bytes = PipelineCache::data();
        if data.is_null() {
            *size = bytes.len();
            return Ok(vk::Result::SUCCESS);
        }
        // A header that does not fit whole is not written at all.
        let fits = *size >= bytes.len();
        *size = if fits { bytes.len() } else { 0 };
        // SAFETY: the application gives `size` bytes.
        unsafe { data.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), *size) };
        Ok(if fits { vk::Result::SUCCESS } else { vk::Result::INCOMPLETE })
    }

    fn vkMergePipelineCaches(
        _device: Ref<Device>,
        _cache: vk::PipelineCache,
        _count: u32,
        _sources: Array<vk::PipelineCache>,
    ) -> vk::Result {
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[];

/// Makes pipelines one after another. One that fails gets a null handle, and the others are made all the same
/// unless the application wants to know at once.
fn create<T: TaggedStructure>(
    device: &DeviceState,
    infos: &[T],
    (allocator, pipelines): (Option<&vk::AllocationCallbacks<'_>>, OutArray<'_, vk::Pipeline>),
    make: impl Fn(&T) -> Answer<Pipeline>,
    flags: impl Fn(&T) -> vk::PipelineCreateFlags,
) -> Answer<vk::Result> {
    if let Some(code) = hook::take_code() {
        (0..infos.len()).for_each(|index| pipelines.write(index, vk::Pipeline::null()));
        return Err(Error(code));
    }
    let mut result = Ok(vk::Result::SUCCESS);
    let mut stop = false;
    for (index, info) in infos.iter().enumerate() {
        give_feedback(info);
        let made = if stop {
            Err(Error(vk::Result::PIPELINE_COMPILE_REQUIRED_EXT))
        } else {
            add(device, allocator, || make(info))
        };
        let handle = match made {
            Ok(handle) => handle,
            Err(error) => {
                if !stop && result.is_ok() {
                    result = Err(error);
                }
                stop |= flags(info).contains(vk::PipelineCreateFlags::EARLY_RETURN_ON_FAILURE);
                vk::Pipeline::null()
            }
        };
        pipelines.write(index, handle);
    }
    result
}

/// Makes a pipeline and its handle. The application hears of the code, which it cannot allocate.
fn add(
    device: &DeviceState,
    allocator: Option<&vk::AllocationCallbacks<'_>>,
    make: impl FnOnce() -> Answer<Pipeline>,
) -> Answer<vk::Pipeline> {
    let mut host = device.host_block::<Pipeline>(allocator, vk::SystemAllocationScope::OBJECT)?;
    let pipeline = make()?;
    if let Some(host) = &mut host {
        host.note_executable(pipeline.code_bytes());
    }
    let pipeline = Arc::new(pipeline);
    let handle = device.add(&device.tables.pipelines, host, pipeline.clone())?;
    pipeline.set_handle(handle.as_raw());
    Ok(handle)
}

/// Feedback has no more to say than that there is none: times are not for a device that is the same on every run.
fn give_feedback<T: TaggedStructure>(info: &T) {
    let Some(out) = chain::find::<vk::PipelineCreationFeedbackCreateInfo<'_>, _>(info) else {
        return;
    };
    let nothing = vk::PipelineCreationFeedback::default();
    let stages = out.pipeline_stage_creation_feedback_count as usize;
    // SAFETY: the pointers are to as many structures as this one says, which are the driver's to write.
    unsafe {
        if let Some(whole) = out.p_pipeline_creation_feedback.as_mut() {
            *whole = nothing;
        }
        if !out.p_pipeline_stage_creation_feedbacks.is_null() {
            std::slice::from_raw_parts_mut(out.p_pipeline_stage_creation_feedbacks, stages).fill(nothing);
        }
    }
}

/// The flags of a pipeline: those of the structure that has more bits for them, if it is there. All that Lahar knows
/// are where they always were.
fn create_flags<I: TaggedStructure>(info: &I, flags: vk::PipelineCreateFlags) -> vk::PipelineCreateFlags {
    chain::find::<vk::PipelineCreateFlags2CreateInfoKHR<'_>, _>(info).map_or(flags, |more| {
        vk::PipelineCreateFlags::from_raw(more.flags.as_raw() as u32)
    })
}

/// Whether a pipeline uses descriptor heaps (`VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT`).
pub(super) fn uses_heaps<I: TaggedStructure>(info: &I) -> bool {
    let more = chain::find::<vk::PipelineCreateFlags2CreateInfoKHR<'_>, _>(info);
    more.is_some_and(|more| more.flags.as_raw() >> 36 & 1 != 0)
}

/// Without a cache of code, every pipeline has to be compiled.
fn compile_allowed(flags: vk::PipelineCreateFlags) -> Answer {
    if flags.contains(vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED) {
        return Err(Error(vk::Result::PIPELINE_COMPILE_REQUIRED_EXT));
    }
    Ok(())
}

/// Says why a pipeline cannot be made.
pub(super) fn refuse(device: &DeviceState, error: &PipelineError) -> Error {
    device.instance.messengers.send(
        vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
        vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION,
        "lahar-pipeline",
        &format!("the pipeline cannot be made: {error}"),
    );
    Error(vk::Result::ERROR_INVALID_SHADER_NV)
}

/// A stage of a pipeline.
pub(super) fn stage(
    device: &DeviceState,
    info: &vk::PipelineShaderStageCreateInfo<'_>,
    heaps: bool,
) -> Answer<StageDesc> {
    let code = match device.tables.shader_modules.get_optional(info.module)? {
        Some(module) => module.code.clone(),
        None => {
            let inline = chain::find::<vk::ShaderModuleCreateInfo<'_>, _>(info).ok_or(Error::NULL)?;
            // SAFETY: the code has this many bytes.
            shader_module::checked(unsafe { slice(inline.p_code, (inline.code_size / 4) as u32) })?.code
        }
    };
    // SAFETY: the name is a C string, the specialization null or valid.
    let (name, specialization) = unsafe { (text(info.p_name), info.p_specialization_info.as_ref()) };
    let name = name
        .and_then(|name| name.to_str().ok())
        .ok_or(Error(vk::Result::ERROR_INVALID_SHADER_NV))?;
    Ok(StageDesc {
        stage: info.stage,
        code,
        entry: name.to_owned(),
        specialization: specialization.map(constants).unwrap_or_default(),
        heap: heaps.then(|| Arc::new(descriptor_heap::layout(device, info))),
    })
}

pub(super) fn constants(info: &vk::SpecializationInfo<'_>) -> Specialization {
    // SAFETY: the arrays have the lengths that the structure says.
    let (entries, data) = unsafe {
        (
            slice(info.p_map_entries, info.map_entry_count),
            slice(info.p_data.cast::<u8>(), info.data_size as u32),
        )
    };
    let entry = |e: &vk::SpecializationMapEntry| SpecializationEntry {
        constant_id: e.constant_id,
        offset: e.offset,
        size: e.size as u32,
    };
    Specialization {
        entries: entries.iter().map(entry).collect(),
        data: data.to_vec(),
    }
}
