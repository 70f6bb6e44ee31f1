//! Shader objects.

use super::{
    descriptor_heap,
    pipeline::{constants, refuse},
    shader_module,
};
use crate::{
    args::{Array, OutArray, slice, text},
    boundary::commands,
    command::CommandBuffer,
    device::{Device, DeviceState},
    dispatch::Ref,
    error::{Answer, Error},
    objects,
};
use ash::vk::{self, Handle};
use lahar::{
    descriptor::PipelineLayout,
    pipeline::{
        ComputePipeline, ComputePipelineDesc, GraphicsShader, ResourceLayout, ShaderObject, StageDesc, binary,
    },
};
use std::{ffi::c_void, sync::Arc};

commands! {
    fn vkCreateShadersEXT(
        device: Ref<Device>,
        count: u32,
        infos: Array<vk::ShaderCreateInfoEXT<'_>>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        shaders: OutArray<vk::ShaderEXT>,
    ) -> vk::Result {
        let infos = infos.get(count);
        (0..infos.len()).for_each(|index| shaders.write(index, vk::ShaderEXT::null()));
        for (index, info) in infos.iter().enumerate() {
            let host = device.host_block::<ShaderObject>(allocator, vk::SystemAllocationScope::OBJECT)?;
            let made = match make(&device, info) {
                Ok(made) => Arc::new(made),
                // Not an error: the application is to compile the shader itself.
                Err(Error(vk::Result::INCOMPATIBLE_SHADER_BINARY_EXT)) => {
                    return Ok(vk::Result::INCOMPATIBLE_SHADER_BINARY_EXT);
                }
                Err(error) => return Err(error),
            };
            let handle = device.add(&device.tables.shaders, host, made.clone())?;
            match &*made {
                ShaderObject::Graphics(shader) => shader.set_handle(handle.as_raw()),
                ShaderObject::Compute(pipeline) => pipeline.set_handle(handle.as_raw()),
            }
            shaders.write(index, handle);
        }
        Ok(vk::Result::SUCCESS)
    }

    fn vkDestroyShaderEXT(
        device: Ref<Device>,
        shader: vk::ShaderEXT,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.shaders, shader, allocator);
        Ok(())
    }

    fn vkGetShaderBinaryDataEXT(
        device: Ref<Device>,
        shader: vk::ShaderEXT,
        size: &mut usize,
        data: *mut c_void,
    ) -> vk::Result {
        let bytes = binary::write(stage_of(&*device.tables.shaders.get(shader)?));
        if data.is_null() {
            *size = bytes.len();
            return Ok(vk::Result::SUCCESS);
        }
        // A binary that does not fit whole is not written at all.
        let fits = *size >= bytes.len();
        *size = if fits { bytes.len() } else { 0 };
        // SAFETY: the application gives `size` bytes.
        unsafe { data.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), *size) };
        Ok(if fits { vk::Result::SUCCESS } else { vk::Result::INCOMPLETE })
    }

    fn vkCmdBindShadersEXT(
        buffer: Ref<CommandBuffer>,
        count: u32,
        stages: Array<vk::ShaderStageFlags>,
        shaders: Array<vk::ShaderEXT>,
    ) {
        let shaders = shaders.get(count);
        for (index, stage) in stages.get(count).iter().enumerate() {
            let shader = shaders.get(index).copied().unwrap_or_default();
            let shader = buffer.device.tables.shaders.get_optional(shader)?;
            bind(&buffer, *stage, shader.as_deref());
        }
        Ok(())
    }
}

fn bind(buffer: &CommandBuffer, stage: vk::ShaderStageFlags, shader: Option<&ShaderObject>) {
    match (stage, shader) {
        (_, Some(ShaderObject::Compute(pipeline))) => buffer.record(|r| r.bind_compute(pipeline.clone())),
        (vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT, shader) => {
            let shader = match shader {
                Some(ShaderObject::Graphics(shader)) => Some(shader.clone()),
                _ => None,
            };
            buffer.record(|r| r.bind_shader(stage == vk::ShaderStageFlags::FRAGMENT, shader));
        }
        // The other stages have no shaders to unbind; without a compute shader nothing may be dispatched.
        _ => {}
    }
}

fn stage_of(shader: &ShaderObject) -> &StageDesc {
    match shader {
        ShaderObject::Graphics(shader) => shader.desc(),
        ShaderObject::Compute(pipeline) => &pipeline.desc().stage,
    }
}

/// `VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT`.
const DESCRIPTOR_HEAP: u32 = 1 << 10;

fn make(device: &DeviceState, info: &vk::ShaderCreateInfoEXT<'_>) -> Answer<ShaderObject> {
    // SAFETY: the structure's arrays are valid, the name a C string, the specialization null or valid.
    let (code, sets, ranges, name, specialization) = unsafe {
        (
            slice(info.p_code.cast::<u8>(), info.code_size as u32),
            slice(info.p_set_layouts, info.set_layout_count),
            slice(info.p_push_constant_ranges, info.push_constant_range_count),
            text(info.p_name),
            info.p_specialization_info.as_ref(),
        )
    };
    let sets = sets
        .iter()
        .map(|set| device.tables.set_layouts.get_optional(*set));
    let layout = PipelineLayout::new(sets.collect::<Answer<_>>()?, ranges.to_vec());
    let (words, heap): (Vec<u32>, _) = if info.code_type == vk::ShaderCodeTypeEXT::BINARY {
        binary::read(code, info.stage).ok_or(Error(vk::Result::INCOMPATIBLE_SHADER_BINARY_EXT))?
    } else {
        let heaps = info.flags.as_raw() & DESCRIPTOR_HEAP != 0;
        (words(code), heaps.then(|| descriptor_heap::layout(device, info)))
    };
    let name = name.and_then(|name| name.to_str().ok());
    let mut stage = StageDesc {
        stage: info.stage,
        code: shader_module::checked(&words)?.code,
        entry: name
            .ok_or(Error(vk::Result::ERROR_INITIALIZATION_FAILED))?
            .to_owned(),
        specialization: specialization.map(constants).unwrap_or_default(),
        heap: heap.map(Arc::new),
    };
    let layout = if stage.heap.is_some() {
        stage.reduce_heap().map_err(|error| {
            refuse(device, &error);
            Error(vk::Result::ERROR_INITIALIZATION_FAILED)
        })?;
        Arc::new(ResourceLayout::of_heaps())
    } else {
        layout.resources().clone()
    };
    let target = device.engine.target();
    let made = if info.stage == vk::ShaderStageFlags::COMPUTE {
        let desc = ComputePipelineDesc { stage, layout };
        ComputePipeline::new(desc, target).map(|made| ShaderObject::Compute(Arc::new(made)))
    } else {
        GraphicsShader::new(stage, layout, target).map(|made| ShaderObject::Graphics(Arc::new(made)))
    };
    made.map_err(|error| {
        refuse(device, &error);
        Error(vk::Result::ERROR_INITIALIZATION_FAILED)
    })
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}
