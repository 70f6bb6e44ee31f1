//! Shader modules.

use crate::{
    args::{Out, slice},
    boundary::commands,
    device::Device,
    dispatch::Ref,
    error::Error,
    objects,
    pipeline::ShaderModule,
};
use ash::vk;

/// First word of every SPIR-V module.
const SPIRV_MAGIC: u32 = 0x0723_0203;
/// Words of its header.
const HEADER_WORDS: usize = 5;

commands! {
    fn vkCreateShaderModule(
        device: Ref<Device>,
        info: &vk::ShaderModuleCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        module: Out<vk::ShaderModule>,
    ) -> vk::Result {
        // SAFETY: the code has this many bytes.
        let code = unsafe { slice(info.p_code, (info.code_size / 4) as u32) };
        module.write(device.create(&device.tables.shader_modules, allocator, || Ok(checked(code)?))?);
        Ok(())
    }

    fn vkDestroyShaderModule(
        device: Ref<Device>,
        module: vk::ShaderModule,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.shader_modules, module, allocator);
        Ok(())
    }
}

/// A module of words that at least look like SPIR-V; the rest is checked when a pipeline is made of it.
pub(super) fn checked(code: &[u32]) -> Result<ShaderModule, Error> {
    if code.len() < HEADER_WORDS || code[0] != SPIRV_MAGIC {
        return Err(Error(vk::Result::ERROR_INVALID_SHADER_NV));
    }
    Ok(ShaderModule { code: code.into() })
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[];
