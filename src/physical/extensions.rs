//! The extensions that Lahar offers. An extension is listed when all of it works.

use super::registry::ExtensionId;
use crate::generated::extensions::id;

/// Extensions of the instance.
pub const INSTANCE: &[ExtensionId] = &[
    id::EXT_DEBUG_UTILS,
    id::EXT_HEADLESS_SURFACE,
    id::EXT_SURFACE_MAINTENANCE1,
    id::KHR_DEVICE_GROUP_CREATION,
    id::KHR_EXTERNAL_FENCE_CAPABILITIES,
    id::KHR_EXTERNAL_MEMORY_CAPABILITIES,
    id::KHR_EXTERNAL_SEMAPHORE_CAPABILITIES,
    id::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2,
    id::KHR_GET_SURFACE_CAPABILITIES2,
    id::KHR_SURFACE,
    id::KHR_SURFACE_MAINTENANCE1,
    id::KHR_WAYLAND_SURFACE,
    id::KHR_XCB_SURFACE,
    id::KHR_XLIB_SURFACE,
];

/// Extensions of the device.
pub const DEVICE: &[ExtensionId] = &[
    id::AMD_BUFFER_MARKER,
    id::AMD_DEVICE_COHERENT_MEMORY,
    id::EXT_4444_FORMATS,
    id::EXT_ATTACHMENT_FEEDBACK_LOOP_DYNAMIC_STATE,
    id::EXT_ATTACHMENT_FEEDBACK_LOOP_LAYOUT,
    id::EXT_BLEND_OPERATION_ADVANCED,
    id::EXT_BORDER_COLOR_SWIZZLE,
    id::EXT_CALIBRATED_TIMESTAMPS,
    id::EXT_COLOR_WRITE_ENABLE,
    id::EXT_CONDITIONAL_RENDERING,
    id::EXT_CUSTOM_BORDER_COLOR,
    id::EXT_DEPTH_BIAS_CONTROL,
    id::EXT_DEPTH_CLIP_CONTROL,
    id::EXT_DEPTH_CLIP_ENABLE,
    id::EXT_DEPTH_RANGE_UNRESTRICTED,
    id::EXT_DESCRIPTOR_BUFFER,
    id::EXT_DESCRIPTOR_HEAP,
    id::EXT_DESCRIPTOR_INDEXING,
    id::EXT_DEVICE_ADDRESS_BINDING_REPORT,
    id::EXT_DEVICE_FAULT,
    id::EXT_DEVICE_MEMORY_REPORT,
    id::EXT_DYNAMIC_RENDERING_UNUSED_ATTACHMENTS,
    id::EXT_EXTENDED_DYNAMIC_STATE,
    id::EXT_EXTENDED_DYNAMIC_STATE2,
    id::EXT_EXTENDED_DYNAMIC_STATE3,
    id::EXT_EXTERNAL_MEMORY_HOST,
    id::EXT_GLOBAL_PRIORITY,
    id::EXT_GLOBAL_PRIORITY_QUERY,
    id::EXT_GRAPHICS_PIPELINE_LIBRARY,
    id::EXT_HOST_IMAGE_COPY,
    id::EXT_HOST_QUERY_RESET,
    id::EXT_IMAGE_2D_VIEW_OF_3D,
    id::EXT_IMAGE_ROBUSTNESS,
    id::EXT_IMAGE_SLICED_VIEW_OF_3D,
    id::EXT_IMAGE_VIEW_MIN_LOD,
    id::EXT_INDEX_TYPE_UINT8,
    id::EXT_INLINE_UNIFORM_BLOCK,
    id::EXT_LINE_RASTERIZATION,
    id::EXT_LOAD_STORE_OP_NONE,
    id::EXT_MEMORY_BUDGET,
    id::EXT_MEMORY_PRIORITY,
    id::EXT_MULTI_DRAW,
    id::EXT_MUTABLE_DESCRIPTOR_TYPE,
    id::EXT_NESTED_COMMAND_BUFFER,
    id::EXT_NON_SEAMLESS_CUBE_MAP,
    id::EXT_PAGEABLE_DEVICE_LOCAL_MEMORY,
    id::EXT_PIPELINE_CREATION_CACHE_CONTROL,
    id::EXT_PIPELINE_CREATION_FEEDBACK,
    id::EXT_PIPELINE_PROTECTED_ACCESS,
    id::EXT_PIPELINE_ROBUSTNESS,
    id::EXT_PRIVATE_DATA,
    id::EXT_PROVOKING_VERTEX,
    id::EXT_ROBUSTNESS2,
    id::EXT_SAMPLER_FILTER_MINMAX,
    id::EXT_SCALAR_BLOCK_LAYOUT,
    id::EXT_SEPARATE_STENCIL_USAGE,
    id::EXT_SHADER_ATOMIC_FLOAT,
    id::EXT_SHADER_DEMOTE_TO_HELPER_INVOCATION,
    id::EXT_SHADER_OBJECT,
    id::EXT_SHADER_STENCIL_EXPORT,
    id::EXT_SHADER_SUBGROUP_BALLOT,
    id::EXT_SHADER_SUBGROUP_VOTE,
    id::EXT_SUBGROUP_SIZE_CONTROL,
    id::EXT_SWAPCHAIN_MAINTENANCE1,
    id::EXT_TEXEL_BUFFER_ALIGNMENT,
    id::EXT_TOOLING_INFO,
    id::EXT_VERTEX_ATTRIBUTE_DIVISOR,
    id::EXT_VERTEX_INPUT_DYNAMIC_STATE,
    id::EXT_YCBCR_2PLANE_444_FORMATS,
    id::EXT_YCBCR_IMAGE_ARRAYS,
    id::EXT_ZERO_INITIALIZE_DEVICE_MEMORY,
    id::KHR_16BIT_STORAGE,
    id::KHR_8BIT_STORAGE,
    id::KHR_BIND_MEMORY2,
    id::KHR_BUFFER_DEVICE_ADDRESS,
    id::KHR_CALIBRATED_TIMESTAMPS,
    id::KHR_COPY_COMMANDS2,
    id::KHR_CREATE_RENDERPASS2,
    id::KHR_DEDICATED_ALLOCATION,
    id::KHR_DEPTH_STENCIL_RESOLVE,
    id::KHR_DESCRIPTOR_UPDATE_TEMPLATE,
    id::KHR_DEVICE_FAULT,
    id::KHR_DEVICE_GROUP,
    id::KHR_DRAW_INDIRECT_COUNT,
    id::KHR_DRIVER_PROPERTIES,
    id::KHR_DYNAMIC_RENDERING,
    id::KHR_DYNAMIC_RENDERING_LOCAL_READ,
    id::KHR_EXTERNAL_FENCE,
    id::KHR_EXTERNAL_FENCE_FD,
    id::KHR_EXTERNAL_MEMORY,
    id::KHR_EXTERNAL_MEMORY_FD,
    id::KHR_EXTERNAL_SEMAPHORE,
    id::KHR_EXTERNAL_SEMAPHORE_FD,
    id::KHR_FORMAT_FEATURE_FLAGS2,
    id::KHR_GET_MEMORY_REQUIREMENTS2,
    id::KHR_GLOBAL_PRIORITY,
    id::KHR_IMAGE_FORMAT_LIST,
    id::KHR_IMAGELESS_FRAMEBUFFER,
    id::KHR_INCREMENTAL_PRESENT,
    id::KHR_INDEX_TYPE_UINT8,
    id::KHR_LINE_RASTERIZATION,
    id::KHR_LOAD_STORE_OP_NONE,
    id::KHR_MAINTENANCE1,
    id::KHR_MAINTENANCE2,
    id::KHR_MAINTENANCE3,
    id::KHR_MAINTENANCE4,
    id::KHR_MAINTENANCE5,
    id::KHR_MAINTENANCE6,
    id::KHR_MAINTENANCE7,
    id::KHR_MAINTENANCE8,
    id::KHR_MAINTENANCE9,
    id::KHR_MAP_MEMORY2,
    id::KHR_MULTIVIEW,
    id::KHR_PIPELINE_LIBRARY,
    id::KHR_PRESENT_ID,
    id::KHR_PRESENT_ID2,
    id::KHR_PRESENT_WAIT,
    id::KHR_PRESENT_WAIT2,
    id::KHR_PUSH_DESCRIPTOR,
    id::KHR_RELAXED_BLOCK_LAYOUT,
    id::KHR_ROBUSTNESS2,
    id::KHR_SAMPLER_MIRROR_CLAMP_TO_EDGE,
    id::KHR_SAMPLER_YCBCR_CONVERSION,
    id::KHR_SEPARATE_DEPTH_STENCIL_LAYOUTS,
    id::KHR_SHADER_ABORT,
    id::KHR_SHADER_ATOMIC_INT64,
    id::KHR_SHADER_CONSTANT_DATA,
    id::KHR_SHADER_DRAW_PARAMETERS,
    id::KHR_SHADER_EXPECT_ASSUME,
    id::KHR_SHADER_FLOAT16_INT8,
    id::KHR_SHADER_FLOAT_CONTROLS,
    id::KHR_SHADER_FLOAT_CONTROLS2,
    id::KHR_SHADER_INTEGER_DOT_PRODUCT,
    id::KHR_SHADER_MAXIMAL_RECONVERGENCE,
    id::KHR_SHADER_NON_SEMANTIC_INFO,
    id::KHR_SHADER_RELAXED_EXTENDED_INSTRUCTION,
    id::KHR_SHADER_SUBGROUP_EXTENDED_TYPES,
    id::KHR_SHADER_SUBGROUP_ROTATE,
    id::KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW,
    id::KHR_SHADER_TERMINATE_INVOCATION,
    id::KHR_SHADER_UNTYPED_POINTERS,
    id::KHR_SPIRV_1_4,
    id::KHR_STORAGE_BUFFER_STORAGE_CLASS,
    id::KHR_SWAPCHAIN,
    id::KHR_SWAPCHAIN_MAINTENANCE1,
    id::KHR_SWAPCHAIN_MUTABLE_FORMAT,
    id::KHR_SYNCHRONIZATION2,
    id::KHR_TIMELINE_SEMAPHORE,
    id::KHR_UNIFIED_IMAGE_LAYOUTS,
    id::KHR_UNIFORM_BUFFER_STANDARD_LAYOUT,
    id::KHR_VARIABLE_POINTERS,
    id::KHR_VERTEX_ATTRIBUTE_DIVISOR,
    id::KHR_VULKAN_MEMORY_MODEL,
    id::KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT,
    id::KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY,
    id::NV_DEVICE_DIAGNOSTIC_CHECKPOINTS,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physical::API_MINOR;

    /// Whether a dependency of the registry is met: `,` is or, `+` is and, which binds no tighter.
    fn met(expression: &str) -> bool {
        let mut depth = 0;
        let split = expression.char_indices().rev().find(|(_, char)| {
            match char {
                ')' => depth += 1,
                '(' => depth -= 1,
                _ => {}
            }
            depth == 0 && matches!(char, ',' | '+')
        });
        if let Some((at, char)) = split {
            let (left, right) = (met(&expression[..at]), met(&expression[at + 1..]));
            return if char == ',' { left || right } else { left && right };
        }
        if let Some(inner) = expression.strip_prefix('(') {
            return met(inner.trim_end_matches(')'));
        }
        if let Some(minor) = expression.strip_prefix("VK_VERSION_1_") {
            return minor.parse::<u32>().is_ok_and(|minor| minor <= API_MINOR);
        }
        let offered = INSTANCE.iter().chain(DEVICE);
        offered
            .into_iter()
            .any(|id| id.info().name.to_str() == Ok(expression))
    }

    #[test]
    fn lists_are_sorted_and_of_their_level() {
        assert!(INSTANCE.is_sorted_by(|a, b| a < b) && DEVICE.is_sorted_by(|a, b| a < b));
        assert!(INSTANCE.iter().all(|id| id.info().instance));
        assert!(!DEVICE.iter().any(|id| id.info().instance));
    }

    #[test]
    fn what_an_extension_depends_on_is_offered() {
        for info in INSTANCE.iter().chain(DEVICE).map(|id| id.info()) {
            assert!(
                info.depends.is_empty() || met(info.depends),
                "{:?}: {}",
                info.name,
                info.depends
            );
        }
    }
}
