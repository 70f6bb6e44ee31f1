//! Samplers.

use crate::{
    args::Out,
    boundary::commands,
    chain,
    device::{Device, DeviceState},
    dispatch::Ref,
    generated::descriptor_heap::SamplerCustomBorderColorIndexCreateInfoEXT,
    objects,
};
use ash::vk;
use lahar::{
    descriptor::CaptureKind,
    resource::{Conversion, Sampler, SamplerInfo},
};

commands! {
    fn vkCreateSamplerYcbcrConversion(
        device: Ref<Device>,
        info: &vk::SamplerYcbcrConversionCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        conversion: Out<vk::SamplerYcbcrConversion>,
    ) -> vk::Result {
        let made = Conversion {
            model: info.ycbcr_model,
            range: info.ycbcr_range,
            components: info.components,
            x_chroma_offset: info.x_chroma_offset,
            y_chroma_offset: info.y_chroma_offset,
            chroma_filter: info.chroma_filter,
            force_explicit_reconstruction: info.force_explicit_reconstruction != 0,
        };
        conversion.write(device.create(&device.tables.conversions, allocator, || Ok(made))?);
        Ok(())
    }

    fn vkDestroySamplerYcbcrConversion(
        device: Ref<Device>,
        conversion: vk::SamplerYcbcrConversion,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.conversions, conversion, allocator);
        Ok(())
    }

    fn vkCreateSampler(
        device: Ref<Device>,
        info: &vk::SamplerCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        sampler: Out<vk::Sampler>,
    ) -> vk::Result {
        let mut made = Sampler::new(&sampler_info(&device, info));
        let asked = info.flags.contains(vk::SamplerCreateFlags::DESCRIPTOR_BUFFER_CAPTURE_REPLAY_EXT);
        let identity = device.capture(info, asked, CaptureKind::Sampler, made.fingerprint())?;
        made.set_capture(identity);
        sampler.write(device.create(&device.tables.samplers, allocator, || Ok(made))?);
        Ok(())
    }

    fn vkDestroySampler(
        device: Ref<Device>,
        sampler: vk::Sampler,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.samplers, sampler, allocator);
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    (
        "vkCreateSamplerYcbcrConversionKHR",
        "vkCreateSamplerYcbcrConversion",
    ),
    (
        "vkDestroySamplerYcbcrConversionKHR",
        "vkDestroySamplerYcbcrConversion",
    ),
];

/// What a sampler is made of; a custom border colour may be one that is registered.
pub(super) fn sampler_info(device: &DeviceState, info: &vk::SamplerCreateInfo<'_>) -> SamplerInfo {
    let reduction = chain::find::<vk::SamplerReductionModeCreateInfo<'_>, _>(info);
    let border = chain::find::<vk::SamplerCustomBorderColorCreateInfoEXT<'_>, _>(info);
    let index = chain::find::<SamplerCustomBorderColorIndexCreateInfoEXT, _>(info);
    let registered = || device.border_colors.lock().get(&index?.index).copied();
    SamplerInfo {
        flags: info.flags,
        mag_filter: info.mag_filter,
        min_filter: info.min_filter,
        mipmap_mode: info.mipmap_mode,
        address_modes: [info.address_mode_u, info.address_mode_v, info.address_mode_w],
        mip_lod_bias: info.mip_lod_bias,
        max_anisotropy: (info.anisotropy_enable != 0).then_some(info.max_anisotropy),
        compare_op: (info.compare_enable != 0).then_some(info.compare_op),
        min_lod: info.min_lod,
        max_lod: info.max_lod,
        border_color: info.border_color,
        unnormalized: info.unnormalized_coordinates != 0,
        reduction_mode: reduction.map_or_else(Default::default, |r| r.reduction_mode),
        custom_border: border.map_or_else(
            || registered().unwrap_or_default(),
            // SAFETY: all members of the union are four words, of which any bits are a value.
            |b| unsafe { b.custom_border_color.uint32 },
        ),
    }
}
