// Made by `cargo xtask codegen` from the Vulkan registry, header version 1.4.360. Do not edit.
// Generator stamp 992fd977208807b2.

//! Every extension of Vulkan, sorted by name.

use crate::physical::registry::Extension;

/// The table; an `ExtensionId` is an index of it.
#[rustfmt::skip]
pub static EXTENSIONS: &[Extension] = &[
Extension { name: c"VK_AMDX_dense_geometry_format", instance: false, revision: 1, depends: "VK_KHR_acceleration_structure+(VK_VERSION_1_4,VK_KHR_extended_flags,VK_KHR_maintenance5)", promoted: None },
Extension { name: c"VK_AMDX_shader_enqueue", instance: false, revision: 2, depends: "((VK_KHR_synchronization2+VK_KHR_spirv_1_4+VK_EXT_extended_dynamic_state),VK_VERSION_1_3)+VK_KHR_maintenance5+VK_KHR_pipeline_library", promoted: None },
Extension { name: c"VK_AMD_anti_lag", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_AMD_buffer_marker", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_AMD_device_coherent_memory", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_AMD_display_native_hdr", instance: false, revision: 1, depends: "(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_get_surface_capabilities2+VK_KHR_swapchain", promoted: None },
Extension { name: c"VK_AMD_draw_indirect_count", instance: false, revision: 2, depends: "", promoted: None },
Extension { name: c"VK_AMD_gcn_shader", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_AMD_gpa_interface", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_AMD_gpu_shader_half_float", instance: false, revision: 2, depends: "", promoted: None },
Extension { name: c"VK_AMD_gpu_shader_int16", instance: false, revision: 2, depends: "", promoted: None },
Extension { name: c"VK_AMD_memory_overallocation_behavior", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_AMD_mixed_attachment_samples", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_AMD_negative_viewport_height", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_AMD_pipeline_compiler_control", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_AMD_rasterization_order", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_AMD_shader_ballot", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_AMD_shader_core_properties", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_AMD_shader_core_properties2", instance: false, revision: 1, depends: "VK_AMD_shader_core_properties", promoted: None },
Extension { name: c"VK_AMD_shader_early_and_late_fragment_tests", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_AMD_shader_explicit_vertex_parameter", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_AMD_shader_fragment_mask", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_AMD_shader_image_load_store_lod", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_AMD_shader_info", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_AMD_shader_trinary_minmax", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_AMD_texture_gather_bias_lod", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_ANDROID_external_format_resolve", instance: false, revision: 1, depends: "VK_ANDROID_external_memory_android_hardware_buffer", promoted: None },
Extension { name: c"VK_ANDROID_external_memory_android_hardware_buffer", instance: false, revision: 5, depends: "((VK_KHR_sampler_ycbcr_conversion+VK_KHR_external_memory+VK_KHR_dedicated_allocation),VK_VERSION_1_1)+VK_EXT_queue_family_foreign", promoted: None },
Extension { name: c"VK_ARM_data_graph", instance: false, revision: 1, depends: "VK_VERSION_1_3+(VK_KHR_extended_flags,VK_KHR_maintenance5)+VK_KHR_deferred_host_operations", promoted: None },
Extension { name: c"VK_ARM_data_graph_instruction_set_tosa", instance: false, revision: 1, depends: "VK_ARM_data_graph", promoted: None },
Extension { name: c"VK_ARM_data_graph_neural_accelerator_statistics", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_ARM_data_graph_optical_flow", instance: false, revision: 1, depends: "VK_ARM_data_graph", promoted: None },
Extension { name: c"VK_ARM_format_pack", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_ARM_performance_counters_by_region", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_ARM_pipeline_opacity_micromap", instance: false, revision: 1, depends: "VK_EXT_opacity_micromap", promoted: None },
Extension { name: c"VK_ARM_rasterization_order_attachment_access", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_ARM_render_pass_striped", instance: false, revision: 1, depends: "((VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_synchronization2),VK_VERSION_1_3", promoted: None },
Extension { name: c"VK_ARM_scheduling_controls", instance: false, revision: 2, depends: "VK_ARM_shader_core_builtins", promoted: None },
Extension { name: c"VK_ARM_shader_core_builtins", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_ARM_shader_core_properties", instance: false, revision: 1, depends: "VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_ARM_shader_instrumentation", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_ARM_tensor_controls", instance: false, revision: 1, depends: "VK_ARM_tensors", promoted: None },
Extension { name: c"VK_ARM_tensors", instance: false, revision: 2, depends: "VK_VERSION_1_3", promoted: None },
Extension { name: c"VK_EXT_4444_formats", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_EXT_acquire_drm_display", instance: true, revision: 1, depends: "VK_EXT_direct_mode_display", promoted: None },
Extension { name: c"VK_EXT_acquire_xlib_display", instance: true, revision: 1, depends: "VK_EXT_direct_mode_display", promoted: None },
Extension { name: c"VK_EXT_astc_decode_mode", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_attachment_feedback_loop_dynamic_state", instance: false, revision: 1, depends: "(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_EXT_attachment_feedback_loop_layout", promoted: None },
Extension { name: c"VK_EXT_attachment_feedback_loop_layout", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_blend_operation_advanced", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_border_color_swizzle", instance: false, revision: 1, depends: "VK_EXT_custom_border_color", promoted: None },
Extension { name: c"VK_EXT_buffer_device_address", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_calibrated_timestamps", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_color_write_enable", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_conditional_rendering", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_conservative_rasterization", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_cooperative_matrix_maintenance1", instance: false, revision: 1, depends: "VK_KHR_cooperative_matrix", promoted: None },
Extension { name: c"VK_EXT_custom_border_color", instance: false, revision: 12, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_custom_resolve", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_debug_marker", instance: false, revision: 4, depends: "VK_EXT_debug_report", promoted: None },
Extension { name: c"VK_EXT_debug_report", instance: true, revision: 10, depends: "", promoted: None },
Extension { name: c"VK_EXT_debug_utils", instance: true, revision: 2, depends: "", promoted: None },
Extension { name: c"VK_EXT_depth_bias_control", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_depth_clamp_control", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_depth_clamp_zero_one", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_depth_clip_control", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_depth_clip_enable", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_depth_range_unrestricted", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_EXT_descriptor_buffer", instance: false, revision: 1, depends: "((((VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_buffer_device_address+VK_EXT_descriptor_indexing),VK_VERSION_1_2)+VK_KHR_synchronization2),VK_VERSION_1_3", promoted: None },
Extension { name: c"VK_EXT_descriptor_heap", instance: false, revision: 1, depends: "((VK_KHR_extended_flags,VK_KHR_maintenance5)+(VK_KHR_buffer_device_address,VK_VERSION_1_2),VK_VERSION_1_4)", promoted: None },
Extension { name: c"VK_EXT_descriptor_indexing", instance: false, revision: 2, depends: "(VK_KHR_get_physical_device_properties2+VK_KHR_maintenance3),VK_VERSION_1_1", promoted: Some(2) },
Extension { name: c"VK_EXT_device_address_binding_report", instance: false, revision: 1, depends: "(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_EXT_debug_utils", promoted: None },
Extension { name: c"VK_EXT_device_fault", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_device_generated_commands", instance: false, revision: 1, depends: "((VK_KHR_buffer_device_address,VK_VERSION_1_2)+(VK_KHR_extended_flags,VK_KHR_maintenance5)),VK_VERSION_1_3", promoted: None },
Extension { name: c"VK_EXT_device_memory_report", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_direct_mode_display", instance: true, revision: 1, depends: "VK_KHR_display", promoted: None },
Extension { name: c"VK_EXT_directfb_surface", instance: true, revision: 1, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_EXT_discard_rectangles", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_display_control", instance: false, revision: 1, depends: "VK_EXT_display_surface_counter+VK_KHR_swapchain", promoted: None },
Extension { name: c"VK_EXT_display_surface_counter", instance: true, revision: 1, depends: "VK_KHR_display", promoted: None },
Extension { name: c"VK_EXT_dynamic_rendering_unused_attachments", instance: false, revision: 1, depends: "((VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_dynamic_rendering),VK_VERSION_1_3", promoted: None },
Extension { name: c"VK_EXT_extended_dynamic_state", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_EXT_extended_dynamic_state2", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_EXT_extended_dynamic_state3", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_external_memory_acquire_unmodified", instance: false, revision: 1, depends: "VK_KHR_external_memory,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_external_memory_dma_buf", instance: false, revision: 1, depends: "VK_KHR_external_memory_fd", promoted: None },
Extension { name: c"VK_EXT_external_memory_host", instance: false, revision: 1, depends: "VK_KHR_external_memory,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_external_memory_metal", instance: false, revision: 1, depends: "VK_KHR_external_memory,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_filter_cubic", instance: false, revision: 3, depends: "", promoted: None },
Extension { name: c"VK_EXT_fragment_density_map", instance: false, revision: 3, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_fragment_density_map2", instance: false, revision: 1, depends: "VK_EXT_fragment_density_map", promoted: None },
Extension { name: c"VK_EXT_fragment_density_map_offset", instance: false, revision: 1, depends: "(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_EXT_fragment_density_map+(VK_KHR_create_renderpass2,VK_VERSION_1_2)+(VK_VERSION_1_3,VK_KHR_dynamic_rendering)", promoted: None },
Extension { name: c"VK_EXT_fragment_shader_interlock", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_frame_boundary", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_full_screen_exclusive", instance: false, revision: 4, depends: "(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_surface+VK_KHR_get_surface_capabilities2+VK_KHR_swapchain", promoted: None },
Extension { name: c"VK_EXT_global_priority", instance: false, revision: 2, depends: "", promoted: None },
Extension { name: c"VK_EXT_global_priority_query", instance: false, revision: 1, depends: "VK_EXT_global_priority+(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)", promoted: None },
Extension { name: c"VK_EXT_graphics_pipeline_library", instance: false, revision: 1, depends: "(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_pipeline_library", promoted: None },
Extension { name: c"VK_EXT_hdr_metadata", instance: false, revision: 3, depends: "VK_KHR_swapchain", promoted: None },
Extension { name: c"VK_EXT_headless_surface", instance: true, revision: 1, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_EXT_host_image_copy", instance: false, revision: 1, depends: "((VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_copy_commands2+VK_KHR_format_feature_flags2),VK_VERSION_1_3", promoted: Some(4) },
Extension { name: c"VK_EXT_host_query_reset", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(2) },
Extension { name: c"VK_EXT_image_2d_view_of_3d", instance: false, revision: 1, depends: "(VK_KHR_maintenance1+VK_KHR_get_physical_device_properties2),VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_image_compression_control", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_image_compression_control_swapchain", instance: false, revision: 1, depends: "VK_EXT_image_compression_control", promoted: None },
Extension { name: c"VK_EXT_image_drm_format_modifier", instance: false, revision: 2, depends: "(((VK_KHR_bind_memory2+VK_KHR_get_physical_device_properties2+VK_KHR_sampler_ycbcr_conversion),VK_VERSION_1_1)+VK_KHR_image_format_list),VK_VERSION_1_2", promoted: None },
Extension { name: c"VK_EXT_image_robustness", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_EXT_image_sliced_view_of_3d", instance: false, revision: 1, depends: "(VK_KHR_maintenance1+VK_KHR_get_physical_device_properties2),VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_image_tiling_control", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_image_view_min_lod", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_index_type_uint8", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_inline_uniform_block", instance: false, revision: 1, depends: "(VK_KHR_get_physical_device_properties2+VK_KHR_maintenance1),VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_EXT_layer_settings", instance: true, revision: 2, depends: "", promoted: None },
Extension { name: c"VK_EXT_legacy_dithering", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_legacy_vertex_attributes", instance: false, revision: 1, depends: "VK_EXT_vertex_input_dynamic_state", promoted: None },
Extension { name: c"VK_EXT_line_rasterization", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_load_store_op_none", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_EXT_map_memory_placed", instance: false, revision: 1, depends: "VK_KHR_map_memory2,VK_VERSION_1_4", promoted: None },
Extension { name: c"VK_EXT_memory_budget", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_memory_decompression", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2+VK_KHR_buffer_device_address", promoted: None },
Extension { name: c"VK_EXT_memory_priority", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_mesh_shader", instance: false, revision: 1, depends: "VK_KHR_spirv_1_4,VK_VERSION_1_2", promoted: None },
Extension { name: c"VK_EXT_metal_objects", instance: false, revision: 2, depends: "", promoted: None },
Extension { name: c"VK_EXT_metal_surface", instance: true, revision: 1, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_EXT_multi_draw", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_multisampled_render_to_single_sampled", instance: false, revision: 1, depends: "(VK_KHR_create_renderpass2+VK_KHR_depth_stencil_resolve),VK_VERSION_1_2", promoted: None },
Extension { name: c"VK_EXT_multisampled_render_to_swapchain", instance: false, revision: 1, depends: "VK_KHR_swapchain+VK_EXT_multisampled_render_to_single_sampled", promoted: None },
Extension { name: c"VK_EXT_mutable_descriptor_type", instance: false, revision: 1, depends: "VK_KHR_maintenance3,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_nested_command_buffer", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_non_seamless_cube_map", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_opacity_micromap", instance: false, revision: 2, depends: "VK_KHR_acceleration_structure+(VK_KHR_synchronization2,VK_VERSION_1_3)", promoted: None },
Extension { name: c"VK_EXT_pageable_device_local_memory", instance: false, revision: 1, depends: "VK_EXT_memory_priority", promoted: None },
Extension { name: c"VK_EXT_pci_bus_info", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_physical_device_drm", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_pipeline_creation_cache_control", instance: false, revision: 3, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_EXT_pipeline_creation_feedback", instance: false, revision: 1, depends: "", promoted: Some(3) },
Extension { name: c"VK_EXT_pipeline_library_group_handles", instance: false, revision: 1, depends: "VK_KHR_ray_tracing_pipeline+VK_KHR_pipeline_library", promoted: None },
Extension { name: c"VK_EXT_pipeline_properties", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_pipeline_protected_access", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(4) },
Extension { name: c"VK_EXT_pipeline_robustness", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(4) },
Extension { name: c"VK_EXT_post_depth_coverage", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_EXT_present_mode_fifo_latest_ready", instance: false, revision: 1, depends: "VK_KHR_swapchain", promoted: None },
Extension { name: c"VK_EXT_present_timing", instance: false, revision: 3, depends: "VK_KHR_swapchain+VK_KHR_present_id2+VK_KHR_get_surface_capabilities2+VK_KHR_calibrated_timestamps", promoted: None },
Extension { name: c"VK_EXT_primitive_restart_index", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_primitive_topology_list_restart", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_primitives_generated_query", instance: false, revision: 1, depends: "VK_EXT_transform_feedback", promoted: None },
Extension { name: c"VK_EXT_private_data", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_EXT_provoking_vertex", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_queue_family_foreign", instance: false, revision: 1, depends: "VK_KHR_external_memory,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_rasterization_order_attachment_access", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_ray_tracing_invocation_reorder", instance: false, revision: 2, depends: "VK_KHR_ray_tracing_pipeline", promoted: None },
Extension { name: c"VK_EXT_rgba10x6_formats", instance: false, revision: 1, depends: "VK_KHR_sampler_ycbcr_conversion,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_robustness2", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_sample_locations", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_sampler_filter_minmax", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(2) },
Extension { name: c"VK_EXT_scalar_block_layout", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(2) },
Extension { name: c"VK_EXT_separate_stencil_usage", instance: false, revision: 1, depends: "", promoted: Some(2) },
Extension { name: c"VK_EXT_shader_64bit_indexing", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_shader_atomic_float", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_shader_atomic_float2", instance: false, revision: 1, depends: "VK_EXT_shader_atomic_float", promoted: None },
Extension { name: c"VK_EXT_shader_demote_to_helper_invocation", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_EXT_shader_float8", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_shader_image_atomic_int64", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_shader_long_vector", instance: false, revision: 1, depends: "VK_VERSION_1_2", promoted: None },
Extension { name: c"VK_EXT_shader_module_identifier", instance: false, revision: 1, depends: "((VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_EXT_pipeline_creation_cache_control),VK_VERSION_1_3", promoted: None },
Extension { name: c"VK_EXT_shader_object", instance: false, revision: 1, depends: "((VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_dynamic_rendering),VK_VERSION_1_3", promoted: None },
Extension { name: c"VK_EXT_shader_ocp_microscaling_types", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_shader_replicated_composites", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_shader_split_barrier", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_shader_stencil_export", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_EXT_shader_subgroup_ballot", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_EXT_shader_subgroup_partitioned", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_shader_subgroup_vote", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_EXT_shader_tile_image", instance: false, revision: 1, depends: "VK_VERSION_1_3", promoted: None },
Extension { name: c"VK_EXT_shader_uniform_buffer_unsized_array", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_shader_viewport_index_layer", instance: false, revision: 1, depends: "", promoted: Some(2) },
Extension { name: c"VK_EXT_subgroup_size_control", instance: false, revision: 2, depends: "VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_EXT_subpass_merge_feedback", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_surface_maintenance1", instance: true, revision: 1, depends: "VK_KHR_surface+VK_KHR_get_surface_capabilities2", promoted: None },
Extension { name: c"VK_EXT_swapchain_colorspace", instance: true, revision: 5, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_EXT_swapchain_maintenance1", instance: false, revision: 1, depends: "VK_KHR_swapchain+VK_EXT_surface_maintenance1+(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)", promoted: None },
Extension { name: c"VK_EXT_texel_buffer_alignment", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_EXT_texture_compression_astc_3d", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_texture_compression_astc_hdr", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_EXT_tooling_info", instance: false, revision: 1, depends: "", promoted: Some(3) },
Extension { name: c"VK_EXT_transform_feedback", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_validation_cache", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_EXT_validation_features", instance: true, revision: 6, depends: "", promoted: None },
Extension { name: c"VK_EXT_validation_flags", instance: true, revision: 3, depends: "", promoted: None },
Extension { name: c"VK_EXT_vertex_attribute_divisor", instance: false, revision: 3, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_vertex_attribute_robustness", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_vertex_input_dynamic_state", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_ycbcr_2plane_444_formats", instance: false, revision: 1, depends: "VK_KHR_sampler_ycbcr_conversion,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_EXT_ycbcr_image_arrays", instance: false, revision: 1, depends: "VK_KHR_sampler_ycbcr_conversion,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_EXT_zero_initialize_device_memory", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_FUCHSIA_buffer_collection", instance: false, revision: 2, depends: "VK_FUCHSIA_external_memory+(VK_KHR_sampler_ycbcr_conversion,VK_VERSION_1_1)", promoted: None },
Extension { name: c"VK_FUCHSIA_external_memory", instance: false, revision: 1, depends: "(VK_KHR_external_memory_capabilities+VK_KHR_external_memory),VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_FUCHSIA_external_semaphore", instance: false, revision: 1, depends: "VK_KHR_external_semaphore_capabilities+VK_KHR_external_semaphore", promoted: None },
Extension { name: c"VK_FUCHSIA_imagepipe_surface", instance: true, revision: 1, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_GGP_frame_token", instance: false, revision: 1, depends: "VK_KHR_swapchain+VK_GGP_stream_descriptor_surface", promoted: None },
Extension { name: c"VK_GGP_stream_descriptor_surface", instance: true, revision: 1, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_GOOGLE_decorate_string", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_GOOGLE_display_timing", instance: false, revision: 1, depends: "VK_KHR_swapchain", promoted: None },
Extension { name: c"VK_GOOGLE_hlsl_functionality1", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_GOOGLE_surfaceless_query", instance: true, revision: 2, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_GOOGLE_user_type", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_HUAWEI_cluster_culling_shader", instance: false, revision: 3, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_HUAWEI_hdr_vivid", instance: false, revision: 1, depends: "(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_swapchain+VK_EXT_hdr_metadata", promoted: None },
Extension { name: c"VK_HUAWEI_invocation_mask", instance: false, revision: 1, depends: "VK_KHR_ray_tracing_pipeline+(VK_KHR_synchronization2,VK_VERSION_1_3)", promoted: None },
Extension { name: c"VK_HUAWEI_subpass_shading", instance: false, revision: 3, depends: "((VK_KHR_create_renderpass2,VK_VERSION_1_2)+VK_KHR_synchronization2),VK_VERSION_1_3", promoted: None },
Extension { name: c"VK_IMG_filter_cubic", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_IMG_filter_linear_2d", instance: false, revision: 1, depends: "VK_KHR_format_feature_flags2,VK_VERSION_1_3", promoted: None },
Extension { name: c"VK_IMG_format_pvrtc", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_IMG_relaxed_line_rasterization", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_INTEL_performance_query", instance: false, revision: 2, depends: "", promoted: None },
Extension { name: c"VK_INTEL_shader_integer_functions2", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_16bit_storage", instance: false, revision: 1, depends: "(VK_KHR_get_physical_device_properties2+VK_KHR_storage_buffer_storage_class),VK_VERSION_1_1", promoted: Some(1) },
Extension { name: c"VK_KHR_8bit_storage", instance: false, revision: 1, depends: "(VK_KHR_get_physical_device_properties2+VK_KHR_storage_buffer_storage_class),VK_VERSION_1_1", promoted: Some(2) },
Extension { name: c"VK_KHR_acceleration_structure", instance: false, revision: 13, depends: "((VK_VERSION_1_1+VK_EXT_descriptor_indexing+VK_KHR_buffer_device_address),VK_VERSION_1_2)+VK_KHR_deferred_host_operations", promoted: None },
Extension { name: c"VK_KHR_android_surface", instance: true, revision: 6, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_KHR_bind_memory2", instance: false, revision: 1, depends: "", promoted: Some(1) },
Extension { name: c"VK_KHR_buffer_device_address", instance: false, revision: 1, depends: "(VK_KHR_get_physical_device_properties2+VK_KHR_device_group),VK_VERSION_1_1", promoted: Some(2) },
Extension { name: c"VK_KHR_calibrated_timestamps", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_compute_shader_derivatives", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_cooperative_matrix", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_copy_commands2", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_KHR_copy_memory_indirect", instance: false, revision: 1, depends: "(VK_KHR_get_physical_device_properties2+VK_KHR_buffer_device_address),VK_VERSION_1_2", promoted: None },
Extension { name: c"VK_KHR_create_renderpass2", instance: false, revision: 1, depends: "(VK_KHR_multiview+VK_KHR_maintenance2),VK_VERSION_1_1", promoted: Some(2) },
Extension { name: c"VK_KHR_dedicated_allocation", instance: false, revision: 3, depends: "VK_KHR_get_memory_requirements2,VK_VERSION_1_1", promoted: Some(1) },
Extension { name: c"VK_KHR_deferred_host_operations", instance: false, revision: 4, depends: "", promoted: None },
Extension { name: c"VK_KHR_depth_clamp_zero_one", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_depth_stencil_resolve", instance: false, revision: 1, depends: "VK_KHR_create_renderpass2,VK_VERSION_1_2", promoted: Some(2) },
Extension { name: c"VK_KHR_descriptor_update_template", instance: false, revision: 1, depends: "", promoted: Some(1) },
Extension { name: c"VK_KHR_device_address_commands", instance: false, revision: 1, depends: "((((VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_buffer_device_address),VK_VERSION_1_2)+VK_KHR_synchronization2+VK_EXT_extended_dynamic_state),VK_VERSION_1_3", promoted: None },
Extension { name: c"VK_KHR_device_fault", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_device_group", instance: false, revision: 4, depends: "VK_KHR_device_group_creation", promoted: Some(1) },
Extension { name: c"VK_KHR_device_group_creation", instance: true, revision: 1, depends: "", promoted: Some(1) },
Extension { name: c"VK_KHR_display", instance: true, revision: 23, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_KHR_display_swapchain", instance: false, revision: 10, depends: "VK_KHR_swapchain+VK_KHR_display", promoted: None },
Extension { name: c"VK_KHR_draw_indirect_count", instance: false, revision: 1, depends: "", promoted: Some(2) },
Extension { name: c"VK_KHR_driver_properties", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(2) },
Extension { name: c"VK_KHR_dynamic_rendering", instance: false, revision: 1, depends: "((VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_depth_stencil_resolve),VK_VERSION_1_2", promoted: Some(3) },
Extension { name: c"VK_KHR_dynamic_rendering_local_read", instance: false, revision: 1, depends: "VK_KHR_dynamic_rendering,VK_VERSION_1_3", promoted: Some(4) },
Extension { name: c"VK_KHR_extended_flags", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_external_fence", instance: false, revision: 1, depends: "VK_KHR_external_fence_capabilities", promoted: Some(1) },
Extension { name: c"VK_KHR_external_fence_capabilities", instance: true, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(1) },
Extension { name: c"VK_KHR_external_fence_fd", instance: false, revision: 1, depends: "VK_KHR_external_fence,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_external_fence_win32", instance: false, revision: 1, depends: "VK_KHR_external_fence", promoted: None },
Extension { name: c"VK_KHR_external_memory", instance: false, revision: 1, depends: "VK_KHR_external_memory_capabilities,VK_VERSION_1_1", promoted: Some(1) },
Extension { name: c"VK_KHR_external_memory_capabilities", instance: true, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(1) },
Extension { name: c"VK_KHR_external_memory_fd", instance: false, revision: 1, depends: "VK_KHR_external_memory,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_external_memory_win32", instance: false, revision: 1, depends: "VK_KHR_external_memory,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_external_semaphore", instance: false, revision: 1, depends: "VK_KHR_external_semaphore_capabilities", promoted: Some(1) },
Extension { name: c"VK_KHR_external_semaphore_capabilities", instance: true, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(1) },
Extension { name: c"VK_KHR_external_semaphore_fd", instance: false, revision: 1, depends: "VK_KHR_external_semaphore,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_external_semaphore_win32", instance: false, revision: 1, depends: "VK_KHR_external_semaphore", promoted: None },
Extension { name: c"VK_KHR_format_feature_flags2", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_KHR_fragment_shader_barycentric", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_fragment_shading_rate", instance: false, revision: 2, depends: "((VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_create_renderpass2),VK_VERSION_1_2", promoted: None },
Extension { name: c"VK_KHR_get_display_properties2", instance: true, revision: 1, depends: "VK_KHR_display", promoted: None },
Extension { name: c"VK_KHR_get_memory_requirements2", instance: false, revision: 1, depends: "", promoted: Some(1) },
Extension { name: c"VK_KHR_get_physical_device_properties2", instance: true, revision: 2, depends: "", promoted: Some(1) },
Extension { name: c"VK_KHR_get_surface_capabilities2", instance: true, revision: 1, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_KHR_global_priority", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(4) },
Extension { name: c"VK_KHR_image_format_list", instance: false, revision: 1, depends: "", promoted: Some(2) },
Extension { name: c"VK_KHR_imageless_framebuffer", instance: false, revision: 1, depends: "(((VK_KHR_get_physical_device_properties2+VK_KHR_maintenance2),VK_VERSION_1_1)+VK_KHR_image_format_list),VK_VERSION_1_2", promoted: Some(2) },
Extension { name: c"VK_KHR_incremental_present", instance: false, revision: 2, depends: "VK_KHR_swapchain", promoted: None },
Extension { name: c"VK_KHR_index_type_uint8", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(4) },
Extension { name: c"VK_KHR_internally_synchronized_queues", instance: false, revision: 1, depends: "VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_line_rasterization", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(4) },
Extension { name: c"VK_KHR_load_store_op_none", instance: false, revision: 1, depends: "", promoted: Some(4) },
Extension { name: c"VK_KHR_maintenance1", instance: false, revision: 1, depends: "", promoted: Some(1) },
Extension { name: c"VK_KHR_maintenance10", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_maintenance11", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_maintenance2", instance: false, revision: 1, depends: "", promoted: Some(1) },
Extension { name: c"VK_KHR_maintenance3", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(1) },
Extension { name: c"VK_KHR_maintenance4", instance: false, revision: 2, depends: "VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_KHR_maintenance5", instance: false, revision: 1, depends: "(VK_VERSION_1_1+VK_KHR_dynamic_rendering),VK_VERSION_1_3", promoted: Some(4) },
Extension { name: c"VK_KHR_maintenance6", instance: false, revision: 1, depends: "VK_VERSION_1_1", promoted: Some(4) },
Extension { name: c"VK_KHR_maintenance7", instance: false, revision: 1, depends: "VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_maintenance8", instance: false, revision: 1, depends: "VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_maintenance9", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_map_memory2", instance: false, revision: 1, depends: "", promoted: Some(4) },
Extension { name: c"VK_KHR_multiview", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(1) },
Extension { name: c"VK_KHR_opacity_micromap", instance: false, revision: 1, depends: "VK_KHR_acceleration_structure+VK_KHR_device_address_commands", promoted: None },
Extension { name: c"VK_KHR_performance_query", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_pipeline_binary", instance: false, revision: 1, depends: "VK_VERSION_1_4,VK_KHR_extended_flags,VK_KHR_maintenance5", promoted: None },
Extension { name: c"VK_KHR_pipeline_executable_properties", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_pipeline_library", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_KHR_portability_enumeration", instance: true, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_KHR_portability_subset", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_present_id", instance: false, revision: 1, depends: "VK_KHR_swapchain+(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)", promoted: None },
Extension { name: c"VK_KHR_present_id2", instance: false, revision: 1, depends: "VK_KHR_get_surface_capabilities2+VK_KHR_surface+VK_KHR_swapchain", promoted: None },
Extension { name: c"VK_KHR_present_mode_fifo_latest_ready", instance: false, revision: 1, depends: "VK_KHR_swapchain", promoted: None },
Extension { name: c"VK_KHR_present_wait", instance: false, revision: 1, depends: "VK_KHR_swapchain+VK_KHR_present_id", promoted: None },
Extension { name: c"VK_KHR_present_wait2", instance: false, revision: 1, depends: "VK_KHR_get_surface_capabilities2+VK_KHR_surface+VK_KHR_swapchain+VK_KHR_present_id2", promoted: None },
Extension { name: c"VK_KHR_push_descriptor", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(4) },
Extension { name: c"VK_KHR_ray_query", instance: false, revision: 1, depends: "(VK_KHR_spirv_1_4,VK_VERSION_1_2)+VK_KHR_acceleration_structure", promoted: None },
Extension { name: c"VK_KHR_ray_tracing_maintenance1", instance: false, revision: 1, depends: "VK_KHR_acceleration_structure", promoted: None },
Extension { name: c"VK_KHR_ray_tracing_pipeline", instance: false, revision: 1, depends: "(VK_KHR_spirv_1_4,VK_VERSION_1_2)+VK_KHR_acceleration_structure", promoted: None },
Extension { name: c"VK_KHR_ray_tracing_position_fetch", instance: false, revision: 1, depends: "VK_KHR_acceleration_structure", promoted: None },
Extension { name: c"VK_KHR_relaxed_block_layout", instance: false, revision: 1, depends: "", promoted: Some(1) },
Extension { name: c"VK_KHR_robustness2", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_sampler_mirror_clamp_to_edge", instance: false, revision: 3, depends: "", promoted: Some(2) },
Extension { name: c"VK_KHR_sampler_ycbcr_conversion", instance: false, revision: 14, depends: "(VK_KHR_maintenance1+VK_KHR_bind_memory2+VK_KHR_get_memory_requirements2+VK_KHR_get_physical_device_properties2),VK_VERSION_1_1", promoted: Some(1) },
Extension { name: c"VK_KHR_separate_depth_stencil_layouts", instance: false, revision: 1, depends: "((VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_create_renderpass2),VK_VERSION_1_2", promoted: Some(2) },
Extension { name: c"VK_KHR_shader_abort", instance: false, revision: 1, depends: "VK_KHR_device_fault+VK_KHR_shader_constant_data", promoted: None },
Extension { name: c"VK_KHR_shader_atomic_int64", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(2) },
Extension { name: c"VK_KHR_shader_bfloat16", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_shader_clock", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_shader_constant_data", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_shader_draw_parameters", instance: false, revision: 1, depends: "", promoted: Some(1) },
Extension { name: c"VK_KHR_shader_expect_assume", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(4) },
Extension { name: c"VK_KHR_shader_float16_int8", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(2) },
Extension { name: c"VK_KHR_shader_float_controls", instance: false, revision: 4, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(2) },
Extension { name: c"VK_KHR_shader_float_controls2", instance: false, revision: 1, depends: "VK_VERSION_1_1+VK_KHR_shader_float_controls", promoted: Some(4) },
Extension { name: c"VK_KHR_shader_fma", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_shader_integer_dot_product", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_KHR_shader_maximal_reconvergence", instance: false, revision: 1, depends: "VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_shader_non_semantic_info", instance: false, revision: 1, depends: "", promoted: Some(3) },
Extension { name: c"VK_KHR_shader_quad_control", instance: false, revision: 1, depends: "((VK_VERSION_1_1+VK_KHR_vulkan_memory_model),VK_VERSION_1_2)+VK_KHR_shader_maximal_reconvergence", promoted: None },
Extension { name: c"VK_KHR_shader_relaxed_extended_instruction", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_shader_subgroup_extended_types", instance: false, revision: 1, depends: "VK_VERSION_1_1", promoted: Some(2) },
Extension { name: c"VK_KHR_shader_subgroup_rotate", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(4) },
Extension { name: c"VK_KHR_shader_subgroup_uniform_control_flow", instance: false, revision: 1, depends: "VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_shader_terminate_invocation", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_KHR_shader_untyped_pointers", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2", promoted: None },
Extension { name: c"VK_KHR_shared_presentable_image", instance: false, revision: 1, depends: "VK_KHR_swapchain+VK_KHR_get_surface_capabilities2+(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)", promoted: None },
Extension { name: c"VK_KHR_spirv_1_4", instance: false, revision: 1, depends: "VK_VERSION_1_1+VK_KHR_shader_float_controls", promoted: Some(2) },
Extension { name: c"VK_KHR_storage_buffer_storage_class", instance: false, revision: 1, depends: "", promoted: Some(1) },
Extension { name: c"VK_KHR_surface", instance: true, revision: 25, depends: "", promoted: None },
Extension { name: c"VK_KHR_surface_maintenance1", instance: true, revision: 1, depends: "VK_KHR_surface+VK_KHR_get_surface_capabilities2", promoted: None },
Extension { name: c"VK_KHR_surface_protected_capabilities", instance: true, revision: 1, depends: "VK_VERSION_1_1+VK_KHR_get_surface_capabilities2", promoted: None },
Extension { name: c"VK_KHR_swapchain", instance: false, revision: 70, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_KHR_swapchain_maintenance1", instance: false, revision: 1, depends: "VK_KHR_swapchain+VK_KHR_surface_maintenance1+(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)", promoted: None },
Extension { name: c"VK_KHR_swapchain_mutable_format", instance: false, revision: 1, depends: "VK_KHR_swapchain+(VK_KHR_maintenance2,VK_VERSION_1_1)+(VK_KHR_image_format_list,VK_VERSION_1_2)", promoted: None },
Extension { name: c"VK_KHR_synchronization2", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_KHR_timeline_semaphore", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(2) },
Extension { name: c"VK_KHR_unified_image_layouts", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_uniform_buffer_standard_layout", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(2) },
Extension { name: c"VK_KHR_variable_pointers", instance: false, revision: 1, depends: "(VK_KHR_get_physical_device_properties2+VK_KHR_storage_buffer_storage_class),VK_VERSION_1_1", promoted: Some(1) },
Extension { name: c"VK_KHR_vertex_attribute_divisor", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(4) },
Extension { name: c"VK_KHR_video_decode_av1", instance: false, revision: 1, depends: "VK_KHR_video_decode_queue", promoted: None },
Extension { name: c"VK_KHR_video_decode_h264", instance: false, revision: 9, depends: "VK_KHR_video_decode_queue", promoted: None },
Extension { name: c"VK_KHR_video_decode_h265", instance: false, revision: 8, depends: "VK_KHR_video_decode_queue", promoted: None },
Extension { name: c"VK_KHR_video_decode_queue", instance: false, revision: 8, depends: "VK_KHR_video_queue+(VK_KHR_synchronization2,VK_VERSION_1_3)", promoted: None },
Extension { name: c"VK_KHR_video_decode_vp9", instance: false, revision: 1, depends: "VK_KHR_video_decode_queue", promoted: None },
Extension { name: c"VK_KHR_video_encode_av1", instance: false, revision: 1, depends: "VK_KHR_video_encode_queue", promoted: None },
Extension { name: c"VK_KHR_video_encode_feedback2", instance: false, revision: 1, depends: "VK_KHR_video_encode_queue", promoted: None },
Extension { name: c"VK_KHR_video_encode_h264", instance: false, revision: 14, depends: "VK_KHR_video_encode_queue", promoted: None },
Extension { name: c"VK_KHR_video_encode_h265", instance: false, revision: 14, depends: "VK_KHR_video_encode_queue", promoted: None },
Extension { name: c"VK_KHR_video_encode_intra_refresh", instance: false, revision: 1, depends: "VK_KHR_video_encode_queue", promoted: None },
Extension { name: c"VK_KHR_video_encode_quantization_map", instance: false, revision: 2, depends: "VK_KHR_video_encode_queue+(VK_KHR_format_feature_flags2,VK_VERSION_1_3)", promoted: None },
Extension { name: c"VK_KHR_video_encode_queue", instance: false, revision: 12, depends: "VK_KHR_video_queue+(VK_KHR_synchronization2,VK_VERSION_1_3)", promoted: None },
Extension { name: c"VK_KHR_video_maintenance1", instance: false, revision: 1, depends: "VK_KHR_video_queue", promoted: None },
Extension { name: c"VK_KHR_video_maintenance2", instance: false, revision: 1, depends: "VK_KHR_video_queue", promoted: None },
Extension { name: c"VK_KHR_video_queue", instance: false, revision: 8, depends: "(VK_VERSION_1_1+VK_KHR_synchronization2),VK_VERSION_1_3", promoted: None },
Extension { name: c"VK_KHR_vulkan_memory_model", instance: false, revision: 3, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(2) },
Extension { name: c"VK_KHR_wayland_surface", instance: true, revision: 6, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_KHR_win32_keyed_mutex", instance: false, revision: 1, depends: "VK_KHR_external_memory_win32", promoted: None },
Extension { name: c"VK_KHR_win32_surface", instance: true, revision: 6, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_KHR_workgroup_memory_explicit_layout", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_KHR_xcb_surface", instance: true, revision: 6, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_KHR_xlib_surface", instance: true, revision: 6, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_KHR_zero_initialize_workgroup_memory", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: Some(3) },
Extension { name: c"VK_LUNARG_direct_driver_loading", instance: true, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_MESA_image_alignment_control", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_MSFT_layered_driver", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_MVK_ios_surface", instance: true, revision: 3, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_MVK_macos_surface", instance: true, revision: 3, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_NN_vi_surface", instance: true, revision: 1, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_NVX_binary_import", instance: false, revision: 2, depends: "", promoted: None },
Extension { name: c"VK_NVX_image_view_handle", instance: false, revision: 4, depends: "", promoted: None },
Extension { name: c"VK_NVX_multiview_per_view_attributes", instance: false, revision: 1, depends: "VK_KHR_multiview,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_acquire_winrt_display", instance: false, revision: 1, depends: "VK_EXT_direct_mode_display", promoted: None },
Extension { name: c"VK_NV_clip_space_w_scaling", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_NV_cluster_acceleration_structure", instance: false, revision: 4, depends: "VK_KHR_acceleration_structure", promoted: None },
Extension { name: c"VK_NV_command_buffer_inheritance", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_compute_occupancy_priority", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_compute_shader_derivatives", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_cooperative_matrix", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_cooperative_matrix2", instance: false, revision: 1, depends: "VK_KHR_cooperative_matrix", promoted: None },
Extension { name: c"VK_NV_cooperative_matrix_decode_vector", instance: false, revision: 1, depends: "VK_NV_cooperative_matrix2", promoted: None },
Extension { name: c"VK_NV_cooperative_vector", instance: false, revision: 4, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_copy_memory_indirect", instance: false, revision: 1, depends: "((VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_buffer_device_address),VK_VERSION_1_2", promoted: None },
Extension { name: c"VK_NV_corner_sampled_image", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_coverage_reduction_mode", instance: false, revision: 1, depends: "VK_NV_framebuffer_mixed_samples+(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)", promoted: None },
Extension { name: c"VK_NV_cuda_kernel_launch", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_dedicated_allocation", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_NV_dedicated_allocation_image_aliasing", instance: false, revision: 1, depends: "(VK_KHR_dedicated_allocation+VK_KHR_get_physical_device_properties2),VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_descriptor_pool_overallocation", instance: false, revision: 1, depends: "VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_device_diagnostic_checkpoints", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_device_diagnostics_config", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_device_generated_commands", instance: false, revision: 3, depends: "(VK_VERSION_1_1+VK_KHR_buffer_device_address),VK_VERSION_1_2", promoted: None },
Extension { name: c"VK_NV_device_generated_commands_compute", instance: false, revision: 2, depends: "VK_NV_device_generated_commands", promoted: None },
Extension { name: c"VK_NV_displacement_micromap", instance: false, revision: 2, depends: "VK_EXT_opacity_micromap", promoted: None },
Extension { name: c"VK_NV_display_stereo", instance: true, revision: 1, depends: "VK_KHR_display+VK_KHR_get_display_properties2", promoted: None },
Extension { name: c"VK_NV_extended_sparse_address_space", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_external_compute_queue", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_NV_external_memory", instance: false, revision: 1, depends: "VK_NV_external_memory_capabilities", promoted: None },
Extension { name: c"VK_NV_external_memory_capabilities", instance: true, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_NV_external_memory_rdma", instance: false, revision: 1, depends: "VK_KHR_external_memory,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_external_memory_win32", instance: false, revision: 1, depends: "VK_NV_external_memory", promoted: None },
Extension { name: c"VK_NV_fill_rectangle", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_NV_fragment_coverage_to_color", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_NV_fragment_shader_barycentric", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_fragment_shading_rate_enums", instance: false, revision: 1, depends: "VK_KHR_fragment_shading_rate", promoted: None },
Extension { name: c"VK_NV_framebuffer_mixed_samples", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_NV_geometry_shader_passthrough", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_NV_glsl_shader", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_NV_inherited_viewport_scissor", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_linear_color_attachment", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_low_latency", instance: false, revision: 2, depends: "", promoted: None },
Extension { name: c"VK_NV_low_latency2", instance: false, revision: 2, depends: "(VK_VERSION_1_2,VK_KHR_timeline_semaphore)+(VK_KHR_present_id,VK_KHR_present_id2)", promoted: None },
Extension { name: c"VK_NV_memory_decompression", instance: false, revision: 1, depends: "((VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_buffer_device_address),VK_VERSION_1_2", promoted: None },
Extension { name: c"VK_NV_mesh_shader", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_optical_flow", instance: false, revision: 1, depends: "((VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_format_feature_flags2+VK_KHR_synchronization2),VK_VERSION_1_3", promoted: None },
Extension { name: c"VK_NV_partitioned_acceleration_structure", instance: false, revision: 1, depends: "VK_KHR_acceleration_structure", promoted: None },
Extension { name: c"VK_NV_per_stage_descriptor_set", instance: false, revision: 1, depends: "VK_KHR_maintenance6,VK_VERSION_1_4", promoted: None },
Extension { name: c"VK_NV_present_barrier", instance: false, revision: 1, depends: "(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_KHR_surface+VK_KHR_get_surface_capabilities2+VK_KHR_swapchain", promoted: None },
Extension { name: c"VK_NV_present_metering", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_push_constant_bank", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_NV_raw_access_chains", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_ray_tracing", instance: false, revision: 3, depends: "(VK_KHR_get_physical_device_properties2+VK_KHR_get_memory_requirements2),VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_ray_tracing_invocation_reorder", instance: false, revision: 1, depends: "VK_KHR_ray_tracing_pipeline", promoted: None },
Extension { name: c"VK_NV_ray_tracing_linear_swept_spheres", instance: false, revision: 1, depends: "VK_KHR_ray_tracing_pipeline", promoted: None },
Extension { name: c"VK_NV_ray_tracing_motion_blur", instance: false, revision: 1, depends: "VK_KHR_ray_tracing_pipeline", promoted: None },
Extension { name: c"VK_NV_ray_tracing_validation", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_representative_fragment_test", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_sample_mask_override_coverage", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_NV_scissor_exclusive", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_shader_atomic_float16_vector", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_shader_image_footprint", instance: false, revision: 2, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_shader_sm_builtins", instance: false, revision: 1, depends: "VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_shader_subgroup_partitioned", instance: false, revision: 1, depends: "VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_shading_rate_image", instance: false, revision: 3, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_NV_viewport_array2", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_NV_viewport_swizzle", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_NV_win32_keyed_mutex", instance: false, revision: 2, depends: "VK_NV_external_memory_win32", promoted: None },
Extension { name: c"VK_OHOS_external_memory", instance: false, revision: 1, depends: "((VK_KHR_sampler_ycbcr_conversion+VK_KHR_external_memory+VK_KHR_dedicated_allocation),VK_VERSION_1_1)+VK_EXT_queue_family_foreign", promoted: None },
Extension { name: c"VK_OHOS_surface", instance: true, revision: 1, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_QCOM_cooperative_matrix_conversion", instance: false, revision: 1, depends: "VK_KHR_cooperative_matrix", promoted: None },
Extension { name: c"VK_QCOM_data_graph_model", instance: false, revision: 1, depends: "VK_ARM_data_graph", promoted: None },
Extension { name: c"VK_QCOM_elapsed_timer_query", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_QCOM_filter_cubic_clamp", instance: false, revision: 1, depends: "(VK_EXT_filter_cubic)+(VK_VERSION_1_2,VK_EXT_sampler_filter_minmax)", promoted: None },
Extension { name: c"VK_QCOM_filter_cubic_weights", instance: false, revision: 1, depends: "VK_EXT_filter_cubic", promoted: None },
Extension { name: c"VK_QCOM_fragment_density_map_offset", instance: false, revision: 3, depends: "(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+VK_EXT_fragment_density_map", promoted: None },
Extension { name: c"VK_QCOM_image_processing", instance: false, revision: 1, depends: "VK_KHR_format_feature_flags2,VK_VERSION_1_3", promoted: None },
Extension { name: c"VK_QCOM_image_processing2", instance: false, revision: 1, depends: "VK_QCOM_image_processing", promoted: None },
Extension { name: c"VK_QCOM_image_processing3", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_QCOM_multiview_per_view_render_areas", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_QCOM_multiview_per_view_viewports", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_QCOM_queue_perf_hint", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_QCOM_render_pass_shader_resolve", instance: false, revision: 4, depends: "", promoted: None },
Extension { name: c"VK_QCOM_render_pass_store_ops", instance: false, revision: 2, depends: "", promoted: None },
Extension { name: c"VK_QCOM_render_pass_transform", instance: false, revision: 5, depends: "", promoted: None },
Extension { name: c"VK_QCOM_rotated_copy_commands", instance: false, revision: 2, depends: "VK_KHR_copy_commands2,VK_VERSION_1_3", promoted: None },
Extension { name: c"VK_QCOM_shader_multiple_wait_queues", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_QCOM_tile_memory_heap", instance: false, revision: 1, depends: "(VK_KHR_get_memory_requirements2+VK_KHR_get_physical_device_properties2),VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_QCOM_tile_properties", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_QCOM_tile_shading", instance: false, revision: 2, depends: "VK_QCOM_tile_properties", promoted: None },
Extension { name: c"VK_QCOM_ycbcr_degamma", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_QNX_external_memory_screen_buffer", instance: false, revision: 1, depends: "((VK_KHR_sampler_ycbcr_conversion+VK_KHR_external_memory+VK_KHR_dedicated_allocation),VK_VERSION_1_1)+VK_EXT_queue_family_foreign", promoted: None },
Extension { name: c"VK_QNX_screen_surface", instance: true, revision: 1, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_SEC_amigo_profiling", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_SEC_pipeline_cache_incremental_mode", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_SEC_throttle_hint", instance: false, revision: 1, depends: "", promoted: None },
Extension { name: c"VK_SEC_ubm_surface", instance: true, revision: 1, depends: "VK_KHR_surface", promoted: None },
Extension { name: c"VK_VALVE_descriptor_set_host_mapping", instance: false, revision: 1, depends: "VK_KHR_get_physical_device_properties2,VK_VERSION_1_1", promoted: None },
Extension { name: c"VK_VALVE_fragment_density_map_layered", instance: false, revision: 1, depends: "(VK_VERSION_1_4,VK_KHR_extended_flags,VK_KHR_maintenance5)+VK_EXT_fragment_density_map", promoted: None },
Extension { name: c"VK_VALVE_mutable_descriptor_type", instance: false, revision: 1, depends: "VK_KHR_maintenance3", promoted: None },
Extension { name: c"VK_VALVE_shader_mixed_float_dot_product", instance: false, revision: 1, depends: "(VK_KHR_get_physical_device_properties2,VK_VERSION_1_1)+(VK_KHR_shader_float16_int8,VK_VERSION_1_2)", promoted: None },
Extension { name: c"VK_VALVE_video_encode_rgb_conversion", instance: false, revision: 1, depends: "VK_KHR_video_encode_queue+(VK_KHR_sampler_ycbcr_conversion,VK_VERSION_1_1)", promoted: None },
];

/// A constant for each extension.
pub mod id {
    use crate::physical::registry::ExtensionId;
    /// `VK_AMDX_dense_geometry_format`.
    pub const AMDX_DENSE_GEOMETRY_FORMAT: ExtensionId = ExtensionId(0);
    /// `VK_AMDX_shader_enqueue`.
    pub const AMDX_SHADER_ENQUEUE: ExtensionId = ExtensionId(1);
    /// `VK_AMD_anti_lag`.
    pub const AMD_ANTI_LAG: ExtensionId = ExtensionId(2);
    /// `VK_AMD_buffer_marker`.
    pub const AMD_BUFFER_MARKER: ExtensionId = ExtensionId(3);
    /// `VK_AMD_device_coherent_memory`.
    pub const AMD_DEVICE_COHERENT_MEMORY: ExtensionId = ExtensionId(4);
    /// `VK_AMD_display_native_hdr`.
    pub const AMD_DISPLAY_NATIVE_HDR: ExtensionId = ExtensionId(5);
    /// `VK_AMD_draw_indirect_count`.
    pub const AMD_DRAW_INDIRECT_COUNT: ExtensionId = ExtensionId(6);
    /// `VK_AMD_gcn_shader`.
    pub const AMD_GCN_SHADER: ExtensionId = ExtensionId(7);
    /// `VK_AMD_gpa_interface`.
    pub const AMD_GPA_INTERFACE: ExtensionId = ExtensionId(8);
    /// `VK_AMD_gpu_shader_half_float`.
    pub const AMD_GPU_SHADER_HALF_FLOAT: ExtensionId = ExtensionId(9);
    /// `VK_AMD_gpu_shader_int16`.
    pub const AMD_GPU_SHADER_INT16: ExtensionId = ExtensionId(10);
    /// `VK_AMD_memory_overallocation_behavior`.
    pub const AMD_MEMORY_OVERALLOCATION_BEHAVIOR: ExtensionId = ExtensionId(11);
    /// `VK_AMD_mixed_attachment_samples`.
    pub const AMD_MIXED_ATTACHMENT_SAMPLES: ExtensionId = ExtensionId(12);
    /// `VK_AMD_negative_viewport_height`.
    pub const AMD_NEGATIVE_VIEWPORT_HEIGHT: ExtensionId = ExtensionId(13);
    /// `VK_AMD_pipeline_compiler_control`.
    pub const AMD_PIPELINE_COMPILER_CONTROL: ExtensionId = ExtensionId(14);
    /// `VK_AMD_rasterization_order`.
    pub const AMD_RASTERIZATION_ORDER: ExtensionId = ExtensionId(15);
    /// `VK_AMD_shader_ballot`.
    pub const AMD_SHADER_BALLOT: ExtensionId = ExtensionId(16);
    /// `VK_AMD_shader_core_properties`.
    pub const AMD_SHADER_CORE_PROPERTIES: ExtensionId = ExtensionId(17);
    /// `VK_AMD_shader_core_properties2`.
    pub const AMD_SHADER_CORE_PROPERTIES2: ExtensionId = ExtensionId(18);
    /// `VK_AMD_shader_early_and_late_fragment_tests`.
    pub const AMD_SHADER_EARLY_AND_LATE_FRAGMENT_TESTS: ExtensionId = ExtensionId(19);
    /// `VK_AMD_shader_explicit_vertex_parameter`.
    pub const AMD_SHADER_EXPLICIT_VERTEX_PARAMETER: ExtensionId = ExtensionId(20);
    /// `VK_AMD_shader_fragment_mask`.
    pub const AMD_SHADER_FRAGMENT_MASK: ExtensionId = ExtensionId(21);
    /// `VK_AMD_shader_image_load_store_lod`.
    pub const AMD_SHADER_IMAGE_LOAD_STORE_LOD: ExtensionId = ExtensionId(22);
    /// `VK_AMD_shader_info`.
    pub const AMD_SHADER_INFO: ExtensionId = ExtensionId(23);
    /// `VK_AMD_shader_trinary_minmax`.
    pub const AMD_SHADER_TRINARY_MINMAX: ExtensionId = ExtensionId(24);
    /// `VK_AMD_texture_gather_bias_lod`.
    pub const AMD_TEXTURE_GATHER_BIAS_LOD: ExtensionId = ExtensionId(25);
    /// `VK_ANDROID_external_format_resolve`.
    pub const ANDROID_EXTERNAL_FORMAT_RESOLVE: ExtensionId = ExtensionId(26);
    /// `VK_ANDROID_external_memory_android_hardware_buffer`.
    pub const ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER: ExtensionId = ExtensionId(27);
    /// `VK_ARM_data_graph`.
    pub const ARM_DATA_GRAPH: ExtensionId = ExtensionId(28);
    /// `VK_ARM_data_graph_instruction_set_tosa`.
    pub const ARM_DATA_GRAPH_INSTRUCTION_SET_TOSA: ExtensionId = ExtensionId(29);
    /// `VK_ARM_data_graph_neural_accelerator_statistics`.
    pub const ARM_DATA_GRAPH_NEURAL_ACCELERATOR_STATISTICS: ExtensionId = ExtensionId(30);
    /// `VK_ARM_data_graph_optical_flow`.
    pub const ARM_DATA_GRAPH_OPTICAL_FLOW: ExtensionId = ExtensionId(31);
    /// `VK_ARM_format_pack`.
    pub const ARM_FORMAT_PACK: ExtensionId = ExtensionId(32);
    /// `VK_ARM_performance_counters_by_region`.
    pub const ARM_PERFORMANCE_COUNTERS_BY_REGION: ExtensionId = ExtensionId(33);
    /// `VK_ARM_pipeline_opacity_micromap`.
    pub const ARM_PIPELINE_OPACITY_MICROMAP: ExtensionId = ExtensionId(34);
    /// `VK_ARM_rasterization_order_attachment_access`.
    pub const ARM_RASTERIZATION_ORDER_ATTACHMENT_ACCESS: ExtensionId = ExtensionId(35);
    /// `VK_ARM_render_pass_striped`.
    pub const ARM_RENDER_PASS_STRIPED: ExtensionId = ExtensionId(36);
    /// `VK_ARM_scheduling_controls`.
    pub const ARM_SCHEDULING_CONTROLS: ExtensionId = ExtensionId(37);
    /// `VK_ARM_shader_core_builtins`.
    pub const ARM_SHADER_CORE_BUILTINS: ExtensionId = ExtensionId(38);
    /// `VK_ARM_shader_core_properties`.
    pub const ARM_SHADER_CORE_PROPERTIES: ExtensionId = ExtensionId(39);
    /// `VK_ARM_shader_instrumentation`.
    pub const ARM_SHADER_INSTRUMENTATION: ExtensionId = ExtensionId(40);
    /// `VK_ARM_tensor_controls`.
    pub const ARM_TENSOR_CONTROLS: ExtensionId = ExtensionId(41);
    /// `VK_ARM_tensors`.
    pub const ARM_TENSORS: ExtensionId = ExtensionId(42);
    /// `VK_EXT_4444_formats`.
    pub const EXT_4444_FORMATS: ExtensionId = ExtensionId(43);
    /// `VK_EXT_acquire_drm_display`.
    pub const EXT_ACQUIRE_DRM_DISPLAY: ExtensionId = ExtensionId(44);
    /// `VK_EXT_acquire_xlib_display`.
    pub const EXT_ACQUIRE_XLIB_DISPLAY: ExtensionId = ExtensionId(45);
    /// `VK_EXT_astc_decode_mode`.
    pub const EXT_ASTC_DECODE_MODE: ExtensionId = ExtensionId(46);
    /// `VK_EXT_attachment_feedback_loop_dynamic_state`.
    pub const EXT_ATTACHMENT_FEEDBACK_LOOP_DYNAMIC_STATE: ExtensionId = ExtensionId(47);
    /// `VK_EXT_attachment_feedback_loop_layout`.
    pub const EXT_ATTACHMENT_FEEDBACK_LOOP_LAYOUT: ExtensionId = ExtensionId(48);
    /// `VK_EXT_blend_operation_advanced`.
    pub const EXT_BLEND_OPERATION_ADVANCED: ExtensionId = ExtensionId(49);
    /// `VK_EXT_border_color_swizzle`.
    pub const EXT_BORDER_COLOR_SWIZZLE: ExtensionId = ExtensionId(50);
    /// `VK_EXT_buffer_device_address`.
    pub const EXT_BUFFER_DEVICE_ADDRESS: ExtensionId = ExtensionId(51);
    /// `VK_EXT_calibrated_timestamps`.
    pub const EXT_CALIBRATED_TIMESTAMPS: ExtensionId = ExtensionId(52);
    /// `VK_EXT_color_write_enable`.
    pub const EXT_COLOR_WRITE_ENABLE: ExtensionId = ExtensionId(53);
    /// `VK_EXT_conditional_rendering`.
    pub const EXT_CONDITIONAL_RENDERING: ExtensionId = ExtensionId(54);
    /// `VK_EXT_conservative_rasterization`.
    pub const EXT_CONSERVATIVE_RASTERIZATION: ExtensionId = ExtensionId(55);
    /// `VK_EXT_cooperative_matrix_maintenance1`.
    pub const EXT_COOPERATIVE_MATRIX_MAINTENANCE1: ExtensionId = ExtensionId(56);
    /// `VK_EXT_custom_border_color`.
    pub const EXT_CUSTOM_BORDER_COLOR: ExtensionId = ExtensionId(57);
    /// `VK_EXT_custom_resolve`.
    pub const EXT_CUSTOM_RESOLVE: ExtensionId = ExtensionId(58);
    /// `VK_EXT_debug_marker`.
    pub const EXT_DEBUG_MARKER: ExtensionId = ExtensionId(59);
    /// `VK_EXT_debug_report`.
    pub const EXT_DEBUG_REPORT: ExtensionId = ExtensionId(60);
    /// `VK_EXT_debug_utils`.
    pub const EXT_DEBUG_UTILS: ExtensionId = ExtensionId(61);
    /// `VK_EXT_depth_bias_control`.
    pub const EXT_DEPTH_BIAS_CONTROL: ExtensionId = ExtensionId(62);
    /// `VK_EXT_depth_clamp_control`.
    pub const EXT_DEPTH_CLAMP_CONTROL: ExtensionId = ExtensionId(63);
    /// `VK_EXT_depth_clamp_zero_one`.
    pub const EXT_DEPTH_CLAMP_ZERO_ONE: ExtensionId = ExtensionId(64);
    /// `VK_EXT_depth_clip_control`.
    pub const EXT_DEPTH_CLIP_CONTROL: ExtensionId = ExtensionId(65);
    /// `VK_EXT_depth_clip_enable`.
    pub const EXT_DEPTH_CLIP_ENABLE: ExtensionId = ExtensionId(66);
    /// `VK_EXT_depth_range_unrestricted`.
    pub const EXT_DEPTH_RANGE_UNRESTRICTED: ExtensionId = ExtensionId(67);
    /// `VK_EXT_descriptor_buffer`.
    pub const EXT_DESCRIPTOR_BUFFER: ExtensionId = ExtensionId(68);
    /// `VK_EXT_descriptor_heap`.
    pub const EXT_DESCRIPTOR_HEAP: ExtensionId = ExtensionId(69);
    /// `VK_EXT_descriptor_indexing`.
    pub const EXT_DESCRIPTOR_INDEXING: ExtensionId = ExtensionId(70);
    /// `VK_EXT_device_address_binding_report`.
    pub const EXT_DEVICE_ADDRESS_BINDING_REPORT: ExtensionId = ExtensionId(71);
    /// `VK_EXT_device_fault`.
    pub const EXT_DEVICE_FAULT: ExtensionId = ExtensionId(72);
    /// `VK_EXT_device_generated_commands`.
    pub const EXT_DEVICE_GENERATED_COMMANDS: ExtensionId = ExtensionId(73);
    /// `VK_EXT_device_memory_report`.
    pub const EXT_DEVICE_MEMORY_REPORT: ExtensionId = ExtensionId(74);
    /// `VK_EXT_direct_mode_display`.
    pub const EXT_DIRECT_MODE_DISPLAY: ExtensionId = ExtensionId(75);
    /// `VK_EXT_directfb_surface`.
    pub const EXT_DIRECTFB_SURFACE: ExtensionId = ExtensionId(76);
    /// `VK_EXT_discard_rectangles`.
    pub const EXT_DISCARD_RECTANGLES: ExtensionId = ExtensionId(77);
    /// `VK_EXT_display_control`.
    pub const EXT_DISPLAY_CONTROL: ExtensionId = ExtensionId(78);
    /// `VK_EXT_display_surface_counter`.
    pub const EXT_DISPLAY_SURFACE_COUNTER: ExtensionId = ExtensionId(79);
    /// `VK_EXT_dynamic_rendering_unused_attachments`.
    pub const EXT_DYNAMIC_RENDERING_UNUSED_ATTACHMENTS: ExtensionId = ExtensionId(80);
    /// `VK_EXT_extended_dynamic_state`.
    pub const EXT_EXTENDED_DYNAMIC_STATE: ExtensionId = ExtensionId(81);
    /// `VK_EXT_extended_dynamic_state2`.
    pub const EXT_EXTENDED_DYNAMIC_STATE2: ExtensionId = ExtensionId(82);
    /// `VK_EXT_extended_dynamic_state3`.
    pub const EXT_EXTENDED_DYNAMIC_STATE3: ExtensionId = ExtensionId(83);
    /// `VK_EXT_external_memory_acquire_unmodified`.
    pub const EXT_EXTERNAL_MEMORY_ACQUIRE_UNMODIFIED: ExtensionId = ExtensionId(84);
    /// `VK_EXT_external_memory_dma_buf`.
    pub const EXT_EXTERNAL_MEMORY_DMA_BUF: ExtensionId = ExtensionId(85);
    /// `VK_EXT_external_memory_host`.
    pub const EXT_EXTERNAL_MEMORY_HOST: ExtensionId = ExtensionId(86);
    /// `VK_EXT_external_memory_metal`.
    pub const EXT_EXTERNAL_MEMORY_METAL: ExtensionId = ExtensionId(87);
    /// `VK_EXT_filter_cubic`.
    pub const EXT_FILTER_CUBIC: ExtensionId = ExtensionId(88);
    /// `VK_EXT_fragment_density_map`.
    pub const EXT_FRAGMENT_DENSITY_MAP: ExtensionId = ExtensionId(89);
    /// `VK_EXT_fragment_density_map2`.
    pub const EXT_FRAGMENT_DENSITY_MAP2: ExtensionId = ExtensionId(90);
    /// `VK_EXT_fragment_density_map_offset`.
    pub const EXT_FRAGMENT_DENSITY_MAP_OFFSET: ExtensionId = ExtensionId(91);
    /// `VK_EXT_fragment_shader_interlock`.
    pub const EXT_FRAGMENT_SHADER_INTERLOCK: ExtensionId = ExtensionId(92);
    /// `VK_EXT_frame_boundary`.
    pub const EXT_FRAME_BOUNDARY: ExtensionId = ExtensionId(93);
    /// `VK_EXT_full_screen_exclusive`.
    pub const EXT_FULL_SCREEN_EXCLUSIVE: ExtensionId = ExtensionId(94);
    /// `VK_EXT_global_priority`.
    pub const EXT_GLOBAL_PRIORITY: ExtensionId = ExtensionId(95);
    /// `VK_EXT_global_priority_query`.
    pub const EXT_GLOBAL_PRIORITY_QUERY: ExtensionId = ExtensionId(96);
    /// `VK_EXT_graphics_pipeline_library`.
    pub const EXT_GRAPHICS_PIPELINE_LIBRARY: ExtensionId = ExtensionId(97);
    /// `VK_EXT_hdr_metadata`.
    pub const EXT_HDR_METADATA: ExtensionId = ExtensionId(98);
    /// `VK_EXT_headless_surface`.
    pub const EXT_HEADLESS_SURFACE: ExtensionId = ExtensionId(99);
    /// `VK_EXT_host_image_copy`.
    pub const EXT_HOST_IMAGE_COPY: ExtensionId = ExtensionId(100);
    /// `VK_EXT_host_query_reset`.
    pub const EXT_HOST_QUERY_RESET: ExtensionId = ExtensionId(101);
    /// `VK_EXT_image_2d_view_of_3d`.
    pub const EXT_IMAGE_2D_VIEW_OF_3D: ExtensionId = ExtensionId(102);
    /// `VK_EXT_image_compression_control`.
    pub const EXT_IMAGE_COMPRESSION_CONTROL: ExtensionId = ExtensionId(103);
    /// `VK_EXT_image_compression_control_swapchain`.
    pub const EXT_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN: ExtensionId = ExtensionId(104);
    /// `VK_EXT_image_drm_format_modifier`.
    pub const EXT_IMAGE_DRM_FORMAT_MODIFIER: ExtensionId = ExtensionId(105);
    /// `VK_EXT_image_robustness`.
    pub const EXT_IMAGE_ROBUSTNESS: ExtensionId = ExtensionId(106);
    /// `VK_EXT_image_sliced_view_of_3d`.
    pub const EXT_IMAGE_SLICED_VIEW_OF_3D: ExtensionId = ExtensionId(107);
    /// `VK_EXT_image_tiling_control`.
    pub const EXT_IMAGE_TILING_CONTROL: ExtensionId = ExtensionId(108);
    /// `VK_EXT_image_view_min_lod`.
    pub const EXT_IMAGE_VIEW_MIN_LOD: ExtensionId = ExtensionId(109);
    /// `VK_EXT_index_type_uint8`.
    pub const EXT_INDEX_TYPE_UINT8: ExtensionId = ExtensionId(110);
    /// `VK_EXT_inline_uniform_block`.
    pub const EXT_INLINE_UNIFORM_BLOCK: ExtensionId = ExtensionId(111);
    /// `VK_EXT_layer_settings`.
    pub const EXT_LAYER_SETTINGS: ExtensionId = ExtensionId(112);
    /// `VK_EXT_legacy_dithering`.
    pub const EXT_LEGACY_DITHERING: ExtensionId = ExtensionId(113);
    /// `VK_EXT_legacy_vertex_attributes`.
    pub const EXT_LEGACY_VERTEX_ATTRIBUTES: ExtensionId = ExtensionId(114);
    /// `VK_EXT_line_rasterization`.
    pub const EXT_LINE_RASTERIZATION: ExtensionId = ExtensionId(115);
    /// `VK_EXT_load_store_op_none`.
    pub const EXT_LOAD_STORE_OP_NONE: ExtensionId = ExtensionId(116);
    /// `VK_EXT_map_memory_placed`.
    pub const EXT_MAP_MEMORY_PLACED: ExtensionId = ExtensionId(117);
    /// `VK_EXT_memory_budget`.
    pub const EXT_MEMORY_BUDGET: ExtensionId = ExtensionId(118);
    /// `VK_EXT_memory_decompression`.
    pub const EXT_MEMORY_DECOMPRESSION: ExtensionId = ExtensionId(119);
    /// `VK_EXT_memory_priority`.
    pub const EXT_MEMORY_PRIORITY: ExtensionId = ExtensionId(120);
    /// `VK_EXT_mesh_shader`.
    pub const EXT_MESH_SHADER: ExtensionId = ExtensionId(121);
    /// `VK_EXT_metal_objects`.
    pub const EXT_METAL_OBJECTS: ExtensionId = ExtensionId(122);
    /// `VK_EXT_metal_surface`.
    pub const EXT_METAL_SURFACE: ExtensionId = ExtensionId(123);
    /// `VK_EXT_multi_draw`.
    pub const EXT_MULTI_DRAW: ExtensionId = ExtensionId(124);
    /// `VK_EXT_multisampled_render_to_single_sampled`.
    pub const EXT_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED: ExtensionId = ExtensionId(125);
    /// `VK_EXT_multisampled_render_to_swapchain`.
    pub const EXT_MULTISAMPLED_RENDER_TO_SWAPCHAIN: ExtensionId = ExtensionId(126);
    /// `VK_EXT_mutable_descriptor_type`.
    pub const EXT_MUTABLE_DESCRIPTOR_TYPE: ExtensionId = ExtensionId(127);
    /// `VK_EXT_nested_command_buffer`.
    pub const EXT_NESTED_COMMAND_BUFFER: ExtensionId = ExtensionId(128);
    /// `VK_EXT_non_seamless_cube_map`.
    pub const EXT_NON_SEAMLESS_CUBE_MAP: ExtensionId = ExtensionId(129);
    /// `VK_EXT_opacity_micromap`.
    pub const EXT_OPACITY_MICROMAP: ExtensionId = ExtensionId(130);
    /// `VK_EXT_pageable_device_local_memory`.
    pub const EXT_PAGEABLE_DEVICE_LOCAL_MEMORY: ExtensionId = ExtensionId(131);
    /// `VK_EXT_pci_bus_info`.
    pub const EXT_PCI_BUS_INFO: ExtensionId = ExtensionId(132);
    /// `VK_EXT_physical_device_drm`.
    pub const EXT_PHYSICAL_DEVICE_DRM: ExtensionId = ExtensionId(133);
    /// `VK_EXT_pipeline_creation_cache_control`.
    pub const EXT_PIPELINE_CREATION_CACHE_CONTROL: ExtensionId = ExtensionId(134);
    /// `VK_EXT_pipeline_creation_feedback`.
    pub const EXT_PIPELINE_CREATION_FEEDBACK: ExtensionId = ExtensionId(135);
    /// `VK_EXT_pipeline_library_group_handles`.
    pub const EXT_PIPELINE_LIBRARY_GROUP_HANDLES: ExtensionId = ExtensionId(136);
    /// `VK_EXT_pipeline_properties`.
    pub const EXT_PIPELINE_PROPERTIES: ExtensionId = ExtensionId(137);
    /// `VK_EXT_pipeline_protected_access`.
    pub const EXT_PIPELINE_PROTECTED_ACCESS: ExtensionId = ExtensionId(138);
    /// `VK_EXT_pipeline_robustness`.
    pub const EXT_PIPELINE_ROBUSTNESS: ExtensionId = ExtensionId(139);
    /// `VK_EXT_post_depth_coverage`.
    pub const EXT_POST_DEPTH_COVERAGE: ExtensionId = ExtensionId(140);
    /// `VK_EXT_present_mode_fifo_latest_ready`.
    pub const EXT_PRESENT_MODE_FIFO_LATEST_READY: ExtensionId = ExtensionId(141);
    /// `VK_EXT_present_timing`.
    pub const EXT_PRESENT_TIMING: ExtensionId = ExtensionId(142);
    /// `VK_EXT_primitive_restart_index`.
    pub const EXT_PRIMITIVE_RESTART_INDEX: ExtensionId = ExtensionId(143);
    /// `VK_EXT_primitive_topology_list_restart`.
    pub const EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART: ExtensionId = ExtensionId(144);
    /// `VK_EXT_primitives_generated_query`.
    pub const EXT_PRIMITIVES_GENERATED_QUERY: ExtensionId = ExtensionId(145);
    /// `VK_EXT_private_data`.
    pub const EXT_PRIVATE_DATA: ExtensionId = ExtensionId(146);
    /// `VK_EXT_provoking_vertex`.
    pub const EXT_PROVOKING_VERTEX: ExtensionId = ExtensionId(147);
    /// `VK_EXT_queue_family_foreign`.
    pub const EXT_QUEUE_FAMILY_FOREIGN: ExtensionId = ExtensionId(148);
    /// `VK_EXT_rasterization_order_attachment_access`.
    pub const EXT_RASTERIZATION_ORDER_ATTACHMENT_ACCESS: ExtensionId = ExtensionId(149);
    /// `VK_EXT_ray_tracing_invocation_reorder`.
    pub const EXT_RAY_TRACING_INVOCATION_REORDER: ExtensionId = ExtensionId(150);
    /// `VK_EXT_rgba10x6_formats`.
    pub const EXT_RGBA10X6_FORMATS: ExtensionId = ExtensionId(151);
    /// `VK_EXT_robustness2`.
    pub const EXT_ROBUSTNESS2: ExtensionId = ExtensionId(152);
    /// `VK_EXT_sample_locations`.
    pub const EXT_SAMPLE_LOCATIONS: ExtensionId = ExtensionId(153);
    /// `VK_EXT_sampler_filter_minmax`.
    pub const EXT_SAMPLER_FILTER_MINMAX: ExtensionId = ExtensionId(154);
    /// `VK_EXT_scalar_block_layout`.
    pub const EXT_SCALAR_BLOCK_LAYOUT: ExtensionId = ExtensionId(155);
    /// `VK_EXT_separate_stencil_usage`.
    pub const EXT_SEPARATE_STENCIL_USAGE: ExtensionId = ExtensionId(156);
    /// `VK_EXT_shader_64bit_indexing`.
    pub const EXT_SHADER_64BIT_INDEXING: ExtensionId = ExtensionId(157);
    /// `VK_EXT_shader_atomic_float`.
    pub const EXT_SHADER_ATOMIC_FLOAT: ExtensionId = ExtensionId(158);
    /// `VK_EXT_shader_atomic_float2`.
    pub const EXT_SHADER_ATOMIC_FLOAT2: ExtensionId = ExtensionId(159);
    /// `VK_EXT_shader_demote_to_helper_invocation`.
    pub const EXT_SHADER_DEMOTE_TO_HELPER_INVOCATION: ExtensionId = ExtensionId(160);
    /// `VK_EXT_shader_float8`.
    pub const EXT_SHADER_FLOAT8: ExtensionId = ExtensionId(161);
    /// `VK_EXT_shader_image_atomic_int64`.
    pub const EXT_SHADER_IMAGE_ATOMIC_INT64: ExtensionId = ExtensionId(162);
    /// `VK_EXT_shader_long_vector`.
    pub const EXT_SHADER_LONG_VECTOR: ExtensionId = ExtensionId(163);
    /// `VK_EXT_shader_module_identifier`.
    pub const EXT_SHADER_MODULE_IDENTIFIER: ExtensionId = ExtensionId(164);
    /// `VK_EXT_shader_object`.
    pub const EXT_SHADER_OBJECT: ExtensionId = ExtensionId(165);
    /// `VK_EXT_shader_ocp_microscaling_types`.
    pub const EXT_SHADER_OCP_MICROSCALING_TYPES: ExtensionId = ExtensionId(166);
    /// `VK_EXT_shader_replicated_composites`.
    pub const EXT_SHADER_REPLICATED_COMPOSITES: ExtensionId = ExtensionId(167);
    /// `VK_EXT_shader_split_barrier`.
    pub const EXT_SHADER_SPLIT_BARRIER: ExtensionId = ExtensionId(168);
    /// `VK_EXT_shader_stencil_export`.
    pub const EXT_SHADER_STENCIL_EXPORT: ExtensionId = ExtensionId(169);
    /// `VK_EXT_shader_subgroup_ballot`.
    pub const EXT_SHADER_SUBGROUP_BALLOT: ExtensionId = ExtensionId(170);
    /// `VK_EXT_shader_subgroup_partitioned`.
    pub const EXT_SHADER_SUBGROUP_PARTITIONED: ExtensionId = ExtensionId(171);
    /// `VK_EXT_shader_subgroup_vote`.
    pub const EXT_SHADER_SUBGROUP_VOTE: ExtensionId = ExtensionId(172);
    /// `VK_EXT_shader_tile_image`.
    pub const EXT_SHADER_TILE_IMAGE: ExtensionId = ExtensionId(173);
    /// `VK_EXT_shader_uniform_buffer_unsized_array`.
    pub const EXT_SHADER_UNIFORM_BUFFER_UNSIZED_ARRAY: ExtensionId = ExtensionId(174);
    /// `VK_EXT_shader_viewport_index_layer`.
    pub const EXT_SHADER_VIEWPORT_INDEX_LAYER: ExtensionId = ExtensionId(175);
    /// `VK_EXT_subgroup_size_control`.
    pub const EXT_SUBGROUP_SIZE_CONTROL: ExtensionId = ExtensionId(176);
    /// `VK_EXT_subpass_merge_feedback`.
    pub const EXT_SUBPASS_MERGE_FEEDBACK: ExtensionId = ExtensionId(177);
    /// `VK_EXT_surface_maintenance1`.
    pub const EXT_SURFACE_MAINTENANCE1: ExtensionId = ExtensionId(178);
    /// `VK_EXT_swapchain_colorspace`.
    pub const EXT_SWAPCHAIN_COLORSPACE: ExtensionId = ExtensionId(179);
    /// `VK_EXT_swapchain_maintenance1`.
    pub const EXT_SWAPCHAIN_MAINTENANCE1: ExtensionId = ExtensionId(180);
    /// `VK_EXT_texel_buffer_alignment`.
    pub const EXT_TEXEL_BUFFER_ALIGNMENT: ExtensionId = ExtensionId(181);
    /// `VK_EXT_texture_compression_astc_3d`.
    pub const EXT_TEXTURE_COMPRESSION_ASTC_3D: ExtensionId = ExtensionId(182);
    /// `VK_EXT_texture_compression_astc_hdr`.
    pub const EXT_TEXTURE_COMPRESSION_ASTC_HDR: ExtensionId = ExtensionId(183);
    /// `VK_EXT_tooling_info`.
    pub const EXT_TOOLING_INFO: ExtensionId = ExtensionId(184);
    /// `VK_EXT_transform_feedback`.
    pub const EXT_TRANSFORM_FEEDBACK: ExtensionId = ExtensionId(185);
    /// `VK_EXT_validation_cache`.
    pub const EXT_VALIDATION_CACHE: ExtensionId = ExtensionId(186);
    /// `VK_EXT_validation_features`.
    pub const EXT_VALIDATION_FEATURES: ExtensionId = ExtensionId(187);
    /// `VK_EXT_validation_flags`.
    pub const EXT_VALIDATION_FLAGS: ExtensionId = ExtensionId(188);
    /// `VK_EXT_vertex_attribute_divisor`.
    pub const EXT_VERTEX_ATTRIBUTE_DIVISOR: ExtensionId = ExtensionId(189);
    /// `VK_EXT_vertex_attribute_robustness`.
    pub const EXT_VERTEX_ATTRIBUTE_ROBUSTNESS: ExtensionId = ExtensionId(190);
    /// `VK_EXT_vertex_input_dynamic_state`.
    pub const EXT_VERTEX_INPUT_DYNAMIC_STATE: ExtensionId = ExtensionId(191);
    /// `VK_EXT_ycbcr_2plane_444_formats`.
    pub const EXT_YCBCR_2PLANE_444_FORMATS: ExtensionId = ExtensionId(192);
    /// `VK_EXT_ycbcr_image_arrays`.
    pub const EXT_YCBCR_IMAGE_ARRAYS: ExtensionId = ExtensionId(193);
    /// `VK_EXT_zero_initialize_device_memory`.
    pub const EXT_ZERO_INITIALIZE_DEVICE_MEMORY: ExtensionId = ExtensionId(194);
    /// `VK_FUCHSIA_buffer_collection`.
    pub const FUCHSIA_BUFFER_COLLECTION: ExtensionId = ExtensionId(195);
    /// `VK_FUCHSIA_external_memory`.
    pub const FUCHSIA_EXTERNAL_MEMORY: ExtensionId = ExtensionId(196);
    /// `VK_FUCHSIA_external_semaphore`.
    pub const FUCHSIA_EXTERNAL_SEMAPHORE: ExtensionId = ExtensionId(197);
    /// `VK_FUCHSIA_imagepipe_surface`.
    pub const FUCHSIA_IMAGEPIPE_SURFACE: ExtensionId = ExtensionId(198);
    /// `VK_GGP_frame_token`.
    pub const GGP_FRAME_TOKEN: ExtensionId = ExtensionId(199);
    /// `VK_GGP_stream_descriptor_surface`.
    pub const GGP_STREAM_DESCRIPTOR_SURFACE: ExtensionId = ExtensionId(200);
    /// `VK_GOOGLE_decorate_string`.
    pub const GOOGLE_DECORATE_STRING: ExtensionId = ExtensionId(201);
    /// `VK_GOOGLE_display_timing`.
    pub const GOOGLE_DISPLAY_TIMING: ExtensionId = ExtensionId(202);
    /// `VK_GOOGLE_hlsl_functionality1`.
    pub const GOOGLE_HLSL_FUNCTIONALITY1: ExtensionId = ExtensionId(203);
    /// `VK_GOOGLE_surfaceless_query`.
    pub const GOOGLE_SURFACELESS_QUERY: ExtensionId = ExtensionId(204);
    /// `VK_GOOGLE_user_type`.
    pub const GOOGLE_USER_TYPE: ExtensionId = ExtensionId(205);
    /// `VK_HUAWEI_cluster_culling_shader`.
    pub const HUAWEI_CLUSTER_CULLING_SHADER: ExtensionId = ExtensionId(206);
    /// `VK_HUAWEI_hdr_vivid`.
    pub const HUAWEI_HDR_VIVID: ExtensionId = ExtensionId(207);
    /// `VK_HUAWEI_invocation_mask`.
    pub const HUAWEI_INVOCATION_MASK: ExtensionId = ExtensionId(208);
    /// `VK_HUAWEI_subpass_shading`.
    pub const HUAWEI_SUBPASS_SHADING: ExtensionId = ExtensionId(209);
    /// `VK_IMG_filter_cubic`.
    pub const IMG_FILTER_CUBIC: ExtensionId = ExtensionId(210);
    /// `VK_IMG_filter_linear_2d`.
    pub const IMG_FILTER_LINEAR_2D: ExtensionId = ExtensionId(211);
    /// `VK_IMG_format_pvrtc`.
    pub const IMG_FORMAT_PVRTC: ExtensionId = ExtensionId(212);
    /// `VK_IMG_relaxed_line_rasterization`.
    pub const IMG_RELAXED_LINE_RASTERIZATION: ExtensionId = ExtensionId(213);
    /// `VK_INTEL_performance_query`.
    pub const INTEL_PERFORMANCE_QUERY: ExtensionId = ExtensionId(214);
    /// `VK_INTEL_shader_integer_functions2`.
    pub const INTEL_SHADER_INTEGER_FUNCTIONS2: ExtensionId = ExtensionId(215);
    /// `VK_KHR_16bit_storage`.
    pub const KHR_16BIT_STORAGE: ExtensionId = ExtensionId(216);
    /// `VK_KHR_8bit_storage`.
    pub const KHR_8BIT_STORAGE: ExtensionId = ExtensionId(217);
    /// `VK_KHR_acceleration_structure`.
    pub const KHR_ACCELERATION_STRUCTURE: ExtensionId = ExtensionId(218);
    /// `VK_KHR_android_surface`.
    pub const KHR_ANDROID_SURFACE: ExtensionId = ExtensionId(219);
    /// `VK_KHR_bind_memory2`.
    pub const KHR_BIND_MEMORY2: ExtensionId = ExtensionId(220);
    /// `VK_KHR_buffer_device_address`.
    pub const KHR_BUFFER_DEVICE_ADDRESS: ExtensionId = ExtensionId(221);
    /// `VK_KHR_calibrated_timestamps`.
    pub const KHR_CALIBRATED_TIMESTAMPS: ExtensionId = ExtensionId(222);
    /// `VK_KHR_compute_shader_derivatives`.
    pub const KHR_COMPUTE_SHADER_DERIVATIVES: ExtensionId = ExtensionId(223);
    /// `VK_KHR_cooperative_matrix`.
    pub const KHR_COOPERATIVE_MATRIX: ExtensionId = ExtensionId(224);
    /// `VK_KHR_copy_commands2`.
    pub const KHR_COPY_COMMANDS2: ExtensionId = ExtensionId(225);
    /// `VK_KHR_copy_memory_indirect`.
    pub const KHR_COPY_MEMORY_INDIRECT: ExtensionId = ExtensionId(226);
    /// `VK_KHR_create_renderpass2`.
    pub const KHR_CREATE_RENDERPASS2: ExtensionId = ExtensionId(227);
    /// `VK_KHR_dedicated_allocation`.
    pub const KHR_DEDICATED_ALLOCATION: ExtensionId = ExtensionId(228);
    /// `VK_KHR_deferred_host_operations`.
    pub const KHR_DEFERRED_HOST_OPERATIONS: ExtensionId = ExtensionId(229);
    /// `VK_KHR_depth_clamp_zero_one`.
    pub const KHR_DEPTH_CLAMP_ZERO_ONE: ExtensionId = ExtensionId(230);
    /// `VK_KHR_depth_stencil_resolve`.
    pub const KHR_DEPTH_STENCIL_RESOLVE: ExtensionId = ExtensionId(231);
    /// `VK_KHR_descriptor_update_template`.
    pub const KHR_DESCRIPTOR_UPDATE_TEMPLATE: ExtensionId = ExtensionId(232);
    /// `VK_KHR_device_address_commands`.
    pub const KHR_DEVICE_ADDRESS_COMMANDS: ExtensionId = ExtensionId(233);
    /// `VK_KHR_device_fault`.
    pub const KHR_DEVICE_FAULT: ExtensionId = ExtensionId(234);
    /// `VK_KHR_device_group`.
    pub const KHR_DEVICE_GROUP: ExtensionId = ExtensionId(235);
    /// `VK_KHR_device_group_creation`.
    pub const KHR_DEVICE_GROUP_CREATION: ExtensionId = ExtensionId(236);
    /// `VK_KHR_display`.
    pub const KHR_DISPLAY: ExtensionId = ExtensionId(237);
    /// `VK_KHR_display_swapchain`.
    pub const KHR_DISPLAY_SWAPCHAIN: ExtensionId = ExtensionId(238);
    /// `VK_KHR_draw_indirect_count`.
    pub const KHR_DRAW_INDIRECT_COUNT: ExtensionId = ExtensionId(239);
    /// `VK_KHR_driver_properties`.
    pub const KHR_DRIVER_PROPERTIES: ExtensionId = ExtensionId(240);
    /// `VK_KHR_dynamic_rendering`.
    pub const KHR_DYNAMIC_RENDERING: ExtensionId = ExtensionId(241);
    /// `VK_KHR_dynamic_rendering_local_read`.
    pub const KHR_DYNAMIC_RENDERING_LOCAL_READ: ExtensionId = ExtensionId(242);
    /// `VK_KHR_extended_flags`.
    pub const KHR_EXTENDED_FLAGS: ExtensionId = ExtensionId(243);
    /// `VK_KHR_external_fence`.
    pub const KHR_EXTERNAL_FENCE: ExtensionId = ExtensionId(244);
    /// `VK_KHR_external_fence_capabilities`.
    pub const KHR_EXTERNAL_FENCE_CAPABILITIES: ExtensionId = ExtensionId(245);
    /// `VK_KHR_external_fence_fd`.
    pub const KHR_EXTERNAL_FENCE_FD: ExtensionId = ExtensionId(246);
    /// `VK_KHR_external_fence_win32`.
    pub const KHR_EXTERNAL_FENCE_WIN32: ExtensionId = ExtensionId(247);
    /// `VK_KHR_external_memory`.
    pub const KHR_EXTERNAL_MEMORY: ExtensionId = ExtensionId(248);
    /// `VK_KHR_external_memory_capabilities`.
    pub const KHR_EXTERNAL_MEMORY_CAPABILITIES: ExtensionId = ExtensionId(249);
    /// `VK_KHR_external_memory_fd`.
    pub const KHR_EXTERNAL_MEMORY_FD: ExtensionId = ExtensionId(250);
    /// `VK_KHR_external_memory_win32`.
    pub const KHR_EXTERNAL_MEMORY_WIN32: ExtensionId = ExtensionId(251);
    /// `VK_KHR_external_semaphore`.
    pub const KHR_EXTERNAL_SEMAPHORE: ExtensionId = ExtensionId(252);
    /// `VK_KHR_external_semaphore_capabilities`.
    pub const KHR_EXTERNAL_SEMAPHORE_CAPABILITIES: ExtensionId = ExtensionId(253);
    /// `VK_KHR_external_semaphore_fd`.
    pub const KHR_EXTERNAL_SEMAPHORE_FD: ExtensionId = ExtensionId(254);
    /// `VK_KHR_external_semaphore_win32`.
    pub const KHR_EXTERNAL_SEMAPHORE_WIN32: ExtensionId = ExtensionId(255);
    /// `VK_KHR_format_feature_flags2`.
    pub const KHR_FORMAT_FEATURE_FLAGS2: ExtensionId = ExtensionId(256);
    /// `VK_KHR_fragment_shader_barycentric`.
    pub const KHR_FRAGMENT_SHADER_BARYCENTRIC: ExtensionId = ExtensionId(257);
    /// `VK_KHR_fragment_shading_rate`.
    pub const KHR_FRAGMENT_SHADING_RATE: ExtensionId = ExtensionId(258);
    /// `VK_KHR_get_display_properties2`.
    pub const KHR_GET_DISPLAY_PROPERTIES2: ExtensionId = ExtensionId(259);
    /// `VK_KHR_get_memory_requirements2`.
    pub const KHR_GET_MEMORY_REQUIREMENTS2: ExtensionId = ExtensionId(260);
    /// `VK_KHR_get_physical_device_properties2`.
    pub const KHR_GET_PHYSICAL_DEVICE_PROPERTIES2: ExtensionId = ExtensionId(261);
    /// `VK_KHR_get_surface_capabilities2`.
    pub const KHR_GET_SURFACE_CAPABILITIES2: ExtensionId = ExtensionId(262);
    /// `VK_KHR_global_priority`.
    pub const KHR_GLOBAL_PRIORITY: ExtensionId = ExtensionId(263);
    /// `VK_KHR_image_format_list`.
    pub const KHR_IMAGE_FORMAT_LIST: ExtensionId = ExtensionId(264);
    /// `VK_KHR_imageless_framebuffer`.
    pub const KHR_IMAGELESS_FRAMEBUFFER: ExtensionId = ExtensionId(265);
    /// `VK_KHR_incremental_present`.
    pub const KHR_INCREMENTAL_PRESENT: ExtensionId = ExtensionId(266);
    /// `VK_KHR_index_type_uint8`.
    pub const KHR_INDEX_TYPE_UINT8: ExtensionId = ExtensionId(267);
    /// `VK_KHR_internally_synchronized_queues`.
    pub const KHR_INTERNALLY_SYNCHRONIZED_QUEUES: ExtensionId = ExtensionId(268);
    /// `VK_KHR_line_rasterization`.
    pub const KHR_LINE_RASTERIZATION: ExtensionId = ExtensionId(269);
    /// `VK_KHR_load_store_op_none`.
    pub const KHR_LOAD_STORE_OP_NONE: ExtensionId = ExtensionId(270);
    /// `VK_KHR_maintenance1`.
    pub const KHR_MAINTENANCE1: ExtensionId = ExtensionId(271);
    /// `VK_KHR_maintenance10`.
    pub const KHR_MAINTENANCE10: ExtensionId = ExtensionId(272);
    /// `VK_KHR_maintenance11`.
    pub const KHR_MAINTENANCE11: ExtensionId = ExtensionId(273);
    /// `VK_KHR_maintenance2`.
    pub const KHR_MAINTENANCE2: ExtensionId = ExtensionId(274);
    /// `VK_KHR_maintenance3`.
    pub const KHR_MAINTENANCE3: ExtensionId = ExtensionId(275);
    /// `VK_KHR_maintenance4`.
    pub const KHR_MAINTENANCE4: ExtensionId = ExtensionId(276);
    /// `VK_KHR_maintenance5`.
    pub const KHR_MAINTENANCE5: ExtensionId = ExtensionId(277);
    /// `VK_KHR_maintenance6`.
    pub const KHR_MAINTENANCE6: ExtensionId = ExtensionId(278);
    /// `VK_KHR_maintenance7`.
    pub const KHR_MAINTENANCE7: ExtensionId = ExtensionId(279);
    /// `VK_KHR_maintenance8`.
    pub const KHR_MAINTENANCE8: ExtensionId = ExtensionId(280);
    /// `VK_KHR_maintenance9`.
    pub const KHR_MAINTENANCE9: ExtensionId = ExtensionId(281);
    /// `VK_KHR_map_memory2`.
    pub const KHR_MAP_MEMORY2: ExtensionId = ExtensionId(282);
    /// `VK_KHR_multiview`.
    pub const KHR_MULTIVIEW: ExtensionId = ExtensionId(283);
    /// `VK_KHR_opacity_micromap`.
    pub const KHR_OPACITY_MICROMAP: ExtensionId = ExtensionId(284);
    /// `VK_KHR_performance_query`.
    pub const KHR_PERFORMANCE_QUERY: ExtensionId = ExtensionId(285);
    /// `VK_KHR_pipeline_binary`.
    pub const KHR_PIPELINE_BINARY: ExtensionId = ExtensionId(286);
    /// `VK_KHR_pipeline_executable_properties`.
    pub const KHR_PIPELINE_EXECUTABLE_PROPERTIES: ExtensionId = ExtensionId(287);
    /// `VK_KHR_pipeline_library`.
    pub const KHR_PIPELINE_LIBRARY: ExtensionId = ExtensionId(288);
    /// `VK_KHR_portability_enumeration`.
    pub const KHR_PORTABILITY_ENUMERATION: ExtensionId = ExtensionId(289);
    /// `VK_KHR_portability_subset`.
    pub const KHR_PORTABILITY_SUBSET: ExtensionId = ExtensionId(290);
    /// `VK_KHR_present_id`.
    pub const KHR_PRESENT_ID: ExtensionId = ExtensionId(291);
    /// `VK_KHR_present_id2`.
    pub const KHR_PRESENT_ID2: ExtensionId = ExtensionId(292);
    /// `VK_KHR_present_mode_fifo_latest_ready`.
    pub const KHR_PRESENT_MODE_FIFO_LATEST_READY: ExtensionId = ExtensionId(293);
    /// `VK_KHR_present_wait`.
    pub const KHR_PRESENT_WAIT: ExtensionId = ExtensionId(294);
    /// `VK_KHR_present_wait2`.
    pub const KHR_PRESENT_WAIT2: ExtensionId = ExtensionId(295);
    /// `VK_KHR_push_descriptor`.
    pub const KHR_PUSH_DESCRIPTOR: ExtensionId = ExtensionId(296);
    /// `VK_KHR_ray_query`.
    pub const KHR_RAY_QUERY: ExtensionId = ExtensionId(297);
    /// `VK_KHR_ray_tracing_maintenance1`.
    pub const KHR_RAY_TRACING_MAINTENANCE1: ExtensionId = ExtensionId(298);
    /// `VK_KHR_ray_tracing_pipeline`.
    pub const KHR_RAY_TRACING_PIPELINE: ExtensionId = ExtensionId(299);
    /// `VK_KHR_ray_tracing_position_fetch`.
    pub const KHR_RAY_TRACING_POSITION_FETCH: ExtensionId = ExtensionId(300);
    /// `VK_KHR_relaxed_block_layout`.
    pub const KHR_RELAXED_BLOCK_LAYOUT: ExtensionId = ExtensionId(301);
    /// `VK_KHR_robustness2`.
    pub const KHR_ROBUSTNESS2: ExtensionId = ExtensionId(302);
    /// `VK_KHR_sampler_mirror_clamp_to_edge`.
    pub const KHR_SAMPLER_MIRROR_CLAMP_TO_EDGE: ExtensionId = ExtensionId(303);
    /// `VK_KHR_sampler_ycbcr_conversion`.
    pub const KHR_SAMPLER_YCBCR_CONVERSION: ExtensionId = ExtensionId(304);
    /// `VK_KHR_separate_depth_stencil_layouts`.
    pub const KHR_SEPARATE_DEPTH_STENCIL_LAYOUTS: ExtensionId = ExtensionId(305);
    /// `VK_KHR_shader_abort`.
    pub const KHR_SHADER_ABORT: ExtensionId = ExtensionId(306);
    /// `VK_KHR_shader_atomic_int64`.
    pub const KHR_SHADER_ATOMIC_INT64: ExtensionId = ExtensionId(307);
    /// `VK_KHR_shader_bfloat16`.
    pub const KHR_SHADER_BFLOAT16: ExtensionId = ExtensionId(308);
    /// `VK_KHR_shader_clock`.
    pub const KHR_SHADER_CLOCK: ExtensionId = ExtensionId(309);
    /// `VK_KHR_shader_constant_data`.
    pub const KHR_SHADER_CONSTANT_DATA: ExtensionId = ExtensionId(310);
    /// `VK_KHR_shader_draw_parameters`.
    pub const KHR_SHADER_DRAW_PARAMETERS: ExtensionId = ExtensionId(311);
    /// `VK_KHR_shader_expect_assume`.
    pub const KHR_SHADER_EXPECT_ASSUME: ExtensionId = ExtensionId(312);
    /// `VK_KHR_shader_float16_int8`.
    pub const KHR_SHADER_FLOAT16_INT8: ExtensionId = ExtensionId(313);
    /// `VK_KHR_shader_float_controls`.
    pub const KHR_SHADER_FLOAT_CONTROLS: ExtensionId = ExtensionId(314);
    /// `VK_KHR_shader_float_controls2`.
    pub const KHR_SHADER_FLOAT_CONTROLS2: ExtensionId = ExtensionId(315);
    /// `VK_KHR_shader_fma`.
    pub const KHR_SHADER_FMA: ExtensionId = ExtensionId(316);
    /// `VK_KHR_shader_integer_dot_product`.
    pub const KHR_SHADER_INTEGER_DOT_PRODUCT: ExtensionId = ExtensionId(317);
    /// `VK_KHR_shader_maximal_reconvergence`.
    pub const KHR_SHADER_MAXIMAL_RECONVERGENCE: ExtensionId = ExtensionId(318);
    /// `VK_KHR_shader_non_semantic_info`.
    pub const KHR_SHADER_NON_SEMANTIC_INFO: ExtensionId = ExtensionId(319);
    /// `VK_KHR_shader_quad_control`.
    pub const KHR_SHADER_QUAD_CONTROL: ExtensionId = ExtensionId(320);
    /// `VK_KHR_shader_relaxed_extended_instruction`.
    pub const KHR_SHADER_RELAXED_EXTENDED_INSTRUCTION: ExtensionId = ExtensionId(321);
    /// `VK_KHR_shader_subgroup_extended_types`.
    pub const KHR_SHADER_SUBGROUP_EXTENDED_TYPES: ExtensionId = ExtensionId(322);
    /// `VK_KHR_shader_subgroup_rotate`.
    pub const KHR_SHADER_SUBGROUP_ROTATE: ExtensionId = ExtensionId(323);
    /// `VK_KHR_shader_subgroup_uniform_control_flow`.
    pub const KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW: ExtensionId = ExtensionId(324);
    /// `VK_KHR_shader_terminate_invocation`.
    pub const KHR_SHADER_TERMINATE_INVOCATION: ExtensionId = ExtensionId(325);
    /// `VK_KHR_shader_untyped_pointers`.
    pub const KHR_SHADER_UNTYPED_POINTERS: ExtensionId = ExtensionId(326);
    /// `VK_KHR_shared_presentable_image`.
    pub const KHR_SHARED_PRESENTABLE_IMAGE: ExtensionId = ExtensionId(327);
    /// `VK_KHR_spirv_1_4`.
    pub const KHR_SPIRV_1_4: ExtensionId = ExtensionId(328);
    /// `VK_KHR_storage_buffer_storage_class`.
    pub const KHR_STORAGE_BUFFER_STORAGE_CLASS: ExtensionId = ExtensionId(329);
    /// `VK_KHR_surface`.
    pub const KHR_SURFACE: ExtensionId = ExtensionId(330);
    /// `VK_KHR_surface_maintenance1`.
    pub const KHR_SURFACE_MAINTENANCE1: ExtensionId = ExtensionId(331);
    /// `VK_KHR_surface_protected_capabilities`.
    pub const KHR_SURFACE_PROTECTED_CAPABILITIES: ExtensionId = ExtensionId(332);
    /// `VK_KHR_swapchain`.
    pub const KHR_SWAPCHAIN: ExtensionId = ExtensionId(333);
    /// `VK_KHR_swapchain_maintenance1`.
    pub const KHR_SWAPCHAIN_MAINTENANCE1: ExtensionId = ExtensionId(334);
    /// `VK_KHR_swapchain_mutable_format`.
    pub const KHR_SWAPCHAIN_MUTABLE_FORMAT: ExtensionId = ExtensionId(335);
    /// `VK_KHR_synchronization2`.
    pub const KHR_SYNCHRONIZATION2: ExtensionId = ExtensionId(336);
    /// `VK_KHR_timeline_semaphore`.
    pub const KHR_TIMELINE_SEMAPHORE: ExtensionId = ExtensionId(337);
    /// `VK_KHR_unified_image_layouts`.
    pub const KHR_UNIFIED_IMAGE_LAYOUTS: ExtensionId = ExtensionId(338);
    /// `VK_KHR_uniform_buffer_standard_layout`.
    pub const KHR_UNIFORM_BUFFER_STANDARD_LAYOUT: ExtensionId = ExtensionId(339);
    /// `VK_KHR_variable_pointers`.
    pub const KHR_VARIABLE_POINTERS: ExtensionId = ExtensionId(340);
    /// `VK_KHR_vertex_attribute_divisor`.
    pub const KHR_VERTEX_ATTRIBUTE_DIVISOR: ExtensionId = ExtensionId(341);
    /// `VK_KHR_video_decode_av1`.
    pub const KHR_VIDEO_DECODE_AV1: ExtensionId = ExtensionId(342);
    /// `VK_KHR_video_decode_h264`.
    pub const KHR_VIDEO_DECODE_H264: ExtensionId = ExtensionId(343);
    /// `VK_KHR_video_decode_h265`.
    pub const KHR_VIDEO_DECODE_H265: ExtensionId = ExtensionId(344);
    /// `VK_KHR_video_decode_queue`.
    pub const KHR_VIDEO_DECODE_QUEUE: ExtensionId = ExtensionId(345);
    /// `VK_KHR_video_decode_vp9`.
    pub const KHR_VIDEO_DECODE_VP9: ExtensionId = ExtensionId(346);
    /// `VK_KHR_video_encode_av1`.
    pub const KHR_VIDEO_ENCODE_AV1: ExtensionId = ExtensionId(347);
    /// `VK_KHR_video_encode_feedback2`.
    pub const KHR_VIDEO_ENCODE_FEEDBACK2: ExtensionId = ExtensionId(348);
    /// `VK_KHR_video_encode_h264`.
    pub const KHR_VIDEO_ENCODE_H264: ExtensionId = ExtensionId(349);
    /// `VK_KHR_video_encode_h265`.
    pub const KHR_VIDEO_ENCODE_H265: ExtensionId = ExtensionId(350);
    /// `VK_KHR_video_encode_intra_refresh`.
    pub const KHR_VIDEO_ENCODE_INTRA_REFRESH: ExtensionId = ExtensionId(351);
    /// `VK_KHR_video_encode_quantization_map`.
    pub const KHR_VIDEO_ENCODE_QUANTIZATION_MAP: ExtensionId = ExtensionId(352);
    /// `VK_KHR_video_encode_queue`.
    pub const KHR_VIDEO_ENCODE_QUEUE: ExtensionId = ExtensionId(353);
    /// `VK_KHR_video_maintenance1`.
    pub const KHR_VIDEO_MAINTENANCE1: ExtensionId = ExtensionId(354);
    /// `VK_KHR_video_maintenance2`.
    pub const KHR_VIDEO_MAINTENANCE2: ExtensionId = ExtensionId(355);
    /// `VK_KHR_video_queue`.
    pub const KHR_VIDEO_QUEUE: ExtensionId = ExtensionId(356);
    /// `VK_KHR_vulkan_memory_model`.
    pub const KHR_VULKAN_MEMORY_MODEL: ExtensionId = ExtensionId(357);
    /// `VK_KHR_wayland_surface`.
    pub const KHR_WAYLAND_SURFACE: ExtensionId = ExtensionId(358);
    /// `VK_KHR_win32_keyed_mutex`.
    pub const KHR_WIN32_KEYED_MUTEX: ExtensionId = ExtensionId(359);
    /// `VK_KHR_win32_surface`.
    pub const KHR_WIN32_SURFACE: ExtensionId = ExtensionId(360);
    /// `VK_KHR_workgroup_memory_explicit_layout`.
    pub const KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT: ExtensionId = ExtensionId(361);
    /// `VK_KHR_xcb_surface`.
    pub const KHR_XCB_SURFACE: ExtensionId = ExtensionId(362);
    /// `VK_KHR_xlib_surface`.
    pub const KHR_XLIB_SURFACE: ExtensionId = ExtensionId(363);
    /// `VK_KHR_zero_initialize_workgroup_memory`.
    pub const KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY: ExtensionId = ExtensionId(364);
    /// `VK_LUNARG_direct_driver_loading`.
    pub const LUNARG_DIRECT_DRIVER_LOADING: ExtensionId = ExtensionId(365);
    /// `VK_MESA_image_alignment_control`.
    pub const MESA_IMAGE_ALIGNMENT_CONTROL: ExtensionId = ExtensionId(366);
    /// `VK_MSFT_layered_driver`.
    pub const MSFT_LAYERED_DRIVER: ExtensionId = ExtensionId(367);
    /// `VK_MVK_ios_surface`.
    pub const MVK_IOS_SURFACE: ExtensionId = ExtensionId(368);
    /// `VK_MVK_macos_surface`.
    pub const MVK_MACOS_SURFACE: ExtensionId = ExtensionId(369);
    /// `VK_NN_vi_surface`.
    pub const NN_VI_SURFACE: ExtensionId = ExtensionId(370);
    /// `VK_NVX_binary_import`.
    pub const NVX_BINARY_IMPORT: ExtensionId = ExtensionId(371);
    /// `VK_NVX_image_view_handle`.
    pub const NVX_IMAGE_VIEW_HANDLE: ExtensionId = ExtensionId(372);
    /// `VK_NVX_multiview_per_view_attributes`.
    pub const NVX_MULTIVIEW_PER_VIEW_ATTRIBUTES: ExtensionId = ExtensionId(373);
    /// `VK_NV_acquire_winrt_display`.
    pub const NV_ACQUIRE_WINRT_DISPLAY: ExtensionId = ExtensionId(374);
    /// `VK_NV_clip_space_w_scaling`.
    pub const NV_CLIP_SPACE_W_SCALING: ExtensionId = ExtensionId(375);
    /// `VK_NV_cluster_acceleration_structure`.
    pub const NV_CLUSTER_ACCELERATION_STRUCTURE: ExtensionId = ExtensionId(376);
    /// `VK_NV_command_buffer_inheritance`.
    pub const NV_COMMAND_BUFFER_INHERITANCE: ExtensionId = ExtensionId(377);
    /// `VK_NV_compute_occupancy_priority`.
    pub const NV_COMPUTE_OCCUPANCY_PRIORITY: ExtensionId = ExtensionId(378);
    /// `VK_NV_compute_shader_derivatives`.
    pub const NV_COMPUTE_SHADER_DERIVATIVES: ExtensionId = ExtensionId(379);
    /// `VK_NV_cooperative_matrix`.
    pub const NV_COOPERATIVE_MATRIX: ExtensionId = ExtensionId(380);
    /// `VK_NV_cooperative_matrix2`.
    pub const NV_COOPERATIVE_MATRIX2: ExtensionId = ExtensionId(381);
    /// `VK_NV_cooperative_matrix_decode_vector`.
    pub const NV_COOPERATIVE_MATRIX_DECODE_VECTOR: ExtensionId = ExtensionId(382);
    /// `VK_NV_cooperative_vector`.
    pub const NV_COOPERATIVE_VECTOR: ExtensionId = ExtensionId(383);
    /// `VK_NV_copy_memory_indirect`.
    pub const NV_COPY_MEMORY_INDIRECT: ExtensionId = ExtensionId(384);
    /// `VK_NV_corner_sampled_image`.
    pub const NV_CORNER_SAMPLED_IMAGE: ExtensionId = ExtensionId(385);
    /// `VK_NV_coverage_reduction_mode`.
    pub const NV_COVERAGE_REDUCTION_MODE: ExtensionId = ExtensionId(386);
    /// `VK_NV_cuda_kernel_launch`.
    pub const NV_CUDA_KERNEL_LAUNCH: ExtensionId = ExtensionId(387);
    /// `VK_NV_dedicated_allocation`.
    pub const NV_DEDICATED_ALLOCATION: ExtensionId = ExtensionId(388);
    /// `VK_NV_dedicated_allocation_image_aliasing`.
    pub const NV_DEDICATED_ALLOCATION_IMAGE_ALIASING: ExtensionId = ExtensionId(389);
    /// `VK_NV_descriptor_pool_overallocation`.
    pub const NV_DESCRIPTOR_POOL_OVERALLOCATION: ExtensionId = ExtensionId(390);
    /// `VK_NV_device_diagnostic_checkpoints`.
    pub const NV_DEVICE_DIAGNOSTIC_CHECKPOINTS: ExtensionId = ExtensionId(391);
    /// `VK_NV_device_diagnostics_config`.
    pub const NV_DEVICE_DIAGNOSTICS_CONFIG: ExtensionId = ExtensionId(392);
    /// `VK_NV_device_generated_commands`.
    pub const NV_DEVICE_GENERATED_COMMANDS: ExtensionId = ExtensionId(393);
    /// `VK_NV_device_generated_commands_compute`.
    pub const NV_DEVICE_GENERATED_COMMANDS_COMPUTE: ExtensionId = ExtensionId(394);
    /// `VK_NV_displacement_micromap`.
    pub const NV_DISPLACEMENT_MICROMAP: ExtensionId = ExtensionId(395);
    /// `VK_NV_display_stereo`.
    pub const NV_DISPLAY_STEREO: ExtensionId = ExtensionId(396);
    /// `VK_NV_extended_sparse_address_space`.
    pub const NV_EXTENDED_SPARSE_ADDRESS_SPACE: ExtensionId = ExtensionId(397);
    /// `VK_NV_external_compute_queue`.
    pub const NV_EXTERNAL_COMPUTE_QUEUE: ExtensionId = ExtensionId(398);
    /// `VK_NV_external_memory`.
    pub const NV_EXTERNAL_MEMORY: ExtensionId = ExtensionId(399);
    /// `VK_NV_external_memory_capabilities`.
    pub const NV_EXTERNAL_MEMORY_CAPABILITIES: ExtensionId = ExtensionId(400);
    /// `VK_NV_external_memory_rdma`.
    pub const NV_EXTERNAL_MEMORY_RDMA: ExtensionId = ExtensionId(401);
    /// `VK_NV_external_memory_win32`.
    pub const NV_EXTERNAL_MEMORY_WIN32: ExtensionId = ExtensionId(402);
    /// `VK_NV_fill_rectangle`.
    pub const NV_FILL_RECTANGLE: ExtensionId = ExtensionId(403);
    /// `VK_NV_fragment_coverage_to_color`.
    pub const NV_FRAGMENT_COVERAGE_TO_COLOR: ExtensionId = ExtensionId(404);
    /// `VK_NV_fragment_shader_barycentric`.
    pub const NV_FRAGMENT_SHADER_BARYCENTRIC: ExtensionId = ExtensionId(405);
    /// `VK_NV_fragment_shading_rate_enums`.
    pub const NV_FRAGMENT_SHADING_RATE_ENUMS: ExtensionId = ExtensionId(406);
    /// `VK_NV_framebuffer_mixed_samples`.
    pub const NV_FRAMEBUFFER_MIXED_SAMPLES: ExtensionId = ExtensionId(407);
    /// `VK_NV_geometry_shader_passthrough`.
    pub const NV_GEOMETRY_SHADER_PASSTHROUGH: ExtensionId = ExtensionId(408);
    /// `VK_NV_glsl_shader`.
    pub const NV_GLSL_SHADER: ExtensionId = ExtensionId(409);
    /// `VK_NV_inherited_viewport_scissor`.
    pub const NV_INHERITED_VIEWPORT_SCISSOR: ExtensionId = ExtensionId(410);
    /// `VK_NV_linear_color_attachment`.
    pub const NV_LINEAR_COLOR_ATTACHMENT: ExtensionId = ExtensionId(411);
    /// `VK_NV_low_latency`.
    pub const NV_LOW_LATENCY: ExtensionId = ExtensionId(412);
    /// `VK_NV_low_latency2`.
    pub const NV_LOW_LATENCY2: ExtensionId = ExtensionId(413);
    /// `VK_NV_memory_decompression`.
    pub const NV_MEMORY_DECOMPRESSION: ExtensionId = ExtensionId(414);
    /// `VK_NV_mesh_shader`.
    pub const NV_MESH_SHADER: ExtensionId = ExtensionId(415);
    /// `VK_NV_optical_flow`.
    pub const NV_OPTICAL_FLOW: ExtensionId = ExtensionId(416);
    /// `VK_NV_partitioned_acceleration_structure`.
    pub const NV_PARTITIONED_ACCELERATION_STRUCTURE: ExtensionId = ExtensionId(417);
    /// `VK_NV_per_stage_descriptor_set`.
    pub const NV_PER_STAGE_DESCRIPTOR_SET: ExtensionId = ExtensionId(418);
    /// `VK_NV_present_barrier`.
    pub const NV_PRESENT_BARRIER: ExtensionId = ExtensionId(419);
    /// `VK_NV_present_metering`.
    pub const NV_PRESENT_METERING: ExtensionId = ExtensionId(420);
    /// `VK_NV_push_constant_bank`.
    pub const NV_PUSH_CONSTANT_BANK: ExtensionId = ExtensionId(421);
    /// `VK_NV_raw_access_chains`.
    pub const NV_RAW_ACCESS_CHAINS: ExtensionId = ExtensionId(422);
    /// `VK_NV_ray_tracing`.
    pub const NV_RAY_TRACING: ExtensionId = ExtensionId(423);
    /// `VK_NV_ray_tracing_invocation_reorder`.
    pub const NV_RAY_TRACING_INVOCATION_REORDER: ExtensionId = ExtensionId(424);
    /// `VK_NV_ray_tracing_linear_swept_spheres`.
    pub const NV_RAY_TRACING_LINEAR_SWEPT_SPHERES: ExtensionId = ExtensionId(425);
    /// `VK_NV_ray_tracing_motion_blur`.
    pub const NV_RAY_TRACING_MOTION_BLUR: ExtensionId = ExtensionId(426);
    /// `VK_NV_ray_tracing_validation`.
    pub const NV_RAY_TRACING_VALIDATION: ExtensionId = ExtensionId(427);
    /// `VK_NV_representative_fragment_test`.
    pub const NV_REPRESENTATIVE_FRAGMENT_TEST: ExtensionId = ExtensionId(428);
    /// `VK_NV_sample_mask_override_coverage`.
    pub const NV_SAMPLE_MASK_OVERRIDE_COVERAGE: ExtensionId = ExtensionId(429);
    /// `VK_NV_scissor_exclusive`.
    pub const NV_SCISSOR_EXCLUSIVE: ExtensionId = ExtensionId(430);
    /// `VK_NV_shader_atomic_float16_vector`.
    pub const NV_SHADER_ATOMIC_FLOAT16_VECTOR: ExtensionId = ExtensionId(431);
    /// `VK_NV_shader_image_footprint`.
    pub const NV_SHADER_IMAGE_FOOTPRINT: ExtensionId = ExtensionId(432);
    /// `VK_NV_shader_sm_builtins`.
    pub const NV_SHADER_SM_BUILTINS: ExtensionId = ExtensionId(433);
    /// `VK_NV_shader_subgroup_partitioned`.
    pub const NV_SHADER_SUBGROUP_PARTITIONED: ExtensionId = ExtensionId(434);
    /// `VK_NV_shading_rate_image`.
    pub const NV_SHADING_RATE_IMAGE: ExtensionId = ExtensionId(435);
    /// `VK_NV_viewport_array2`.
    pub const NV_VIEWPORT_ARRAY2: ExtensionId = ExtensionId(436);
    /// `VK_NV_viewport_swizzle`.
    pub const NV_VIEWPORT_SWIZZLE: ExtensionId = ExtensionId(437);
    /// `VK_NV_win32_keyed_mutex`.
    pub const NV_WIN32_KEYED_MUTEX: ExtensionId = ExtensionId(438);
    /// `VK_OHOS_external_memory`.
    pub const OHOS_EXTERNAL_MEMORY: ExtensionId = ExtensionId(439);
    /// `VK_OHOS_surface`.
    pub const OHOS_SURFACE: ExtensionId = ExtensionId(440);
    /// `VK_QCOM_cooperative_matrix_conversion`.
    pub const QCOM_COOPERATIVE_MATRIX_CONVERSION: ExtensionId = ExtensionId(441);
    /// `VK_QCOM_data_graph_model`.
    pub const QCOM_DATA_GRAPH_MODEL: ExtensionId = ExtensionId(442);
    /// `VK_QCOM_elapsed_timer_query`.
    pub const QCOM_ELAPSED_TIMER_QUERY: ExtensionId = ExtensionId(443);
    /// `VK_QCOM_filter_cubic_clamp`.
    pub const QCOM_FILTER_CUBIC_CLAMP: ExtensionId = ExtensionId(444);
    /// `VK_QCOM_filter_cubic_weights`.
    pub const QCOM_FILTER_CUBIC_WEIGHTS: ExtensionId = ExtensionId(445);
    /// `VK_QCOM_fragment_density_map_offset`.
    pub const QCOM_FRAGMENT_DENSITY_MAP_OFFSET: ExtensionId = ExtensionId(446);
    /// `VK_QCOM_image_processing`.
    pub const QCOM_IMAGE_PROCESSING: ExtensionId = ExtensionId(447);
    /// `VK_QCOM_image_processing2`.
    pub const QCOM_IMAGE_PROCESSING2: ExtensionId = ExtensionId(448);
    /// `VK_QCOM_image_processing3`.
    pub const QCOM_IMAGE_PROCESSING3: ExtensionId = ExtensionId(449);
    /// `VK_QCOM_multiview_per_view_render_areas`.
    pub const QCOM_MULTIVIEW_PER_VIEW_RENDER_AREAS: ExtensionId = ExtensionId(450);
    /// `VK_QCOM_multiview_per_view_viewports`.
    pub const QCOM_MULTIVIEW_PER_VIEW_VIEWPORTS: ExtensionId = ExtensionId(451);
    /// `VK_QCOM_queue_perf_hint`.
    pub const QCOM_QUEUE_PERF_HINT: ExtensionId = ExtensionId(452);
    /// `VK_QCOM_render_pass_shader_resolve`.
    pub const QCOM_RENDER_PASS_SHADER_RESOLVE: ExtensionId = ExtensionId(453);
    /// `VK_QCOM_render_pass_store_ops`.
    pub const QCOM_RENDER_PASS_STORE_OPS: ExtensionId = ExtensionId(454);
    /// `VK_QCOM_render_pass_transform`.
    pub const QCOM_RENDER_PASS_TRANSFORM: ExtensionId = ExtensionId(455);
    /// `VK_QCOM_rotated_copy_commands`.
    pub const QCOM_ROTATED_COPY_COMMANDS: ExtensionId = ExtensionId(456);
    /// `VK_QCOM_shader_multiple_wait_queues`.
    pub const QCOM_SHADER_MULTIPLE_WAIT_QUEUES: ExtensionId = ExtensionId(457);
    /// `VK_QCOM_tile_memory_heap`.
    pub const QCOM_TILE_MEMORY_HEAP: ExtensionId = ExtensionId(458);
    /// `VK_QCOM_tile_properties`.
    pub const QCOM_TILE_PROPERTIES: ExtensionId = ExtensionId(459);
    /// `VK_QCOM_tile_shading`.
    pub const QCOM_TILE_SHADING: ExtensionId = ExtensionId(460);
    /// `VK_QCOM_ycbcr_degamma`.
    pub const QCOM_YCBCR_DEGAMMA: ExtensionId = ExtensionId(461);
    /// `VK_QNX_external_memory_screen_buffer`.
    pub const QNX_EXTERNAL_MEMORY_SCREEN_BUFFER: ExtensionId = ExtensionId(462);
    /// `VK_QNX_screen_surface`.
    pub const QNX_SCREEN_SURFACE: ExtensionId = ExtensionId(463);
    /// `VK_SEC_amigo_profiling`.
    pub const SEC_AMIGO_PROFILING: ExtensionId = ExtensionId(464);
    /// `VK_SEC_pipeline_cache_incremental_mode`.
    pub const SEC_PIPELINE_CACHE_INCREMENTAL_MODE: ExtensionId = ExtensionId(465);
    /// `VK_SEC_throttle_hint`.
    pub const SEC_THROTTLE_HINT: ExtensionId = ExtensionId(466);
    /// `VK_SEC_ubm_surface`.
    pub const SEC_UBM_SURFACE: ExtensionId = ExtensionId(467);
    /// `VK_VALVE_descriptor_set_host_mapping`.
    pub const VALVE_DESCRIPTOR_SET_HOST_MAPPING: ExtensionId = ExtensionId(468);
    /// `VK_VALVE_fragment_density_map_layered`.
    pub const VALVE_FRAGMENT_DENSITY_MAP_LAYERED: ExtensionId = ExtensionId(469);
    /// `VK_VALVE_mutable_descriptor_type`.
    pub const VALVE_MUTABLE_DESCRIPTOR_TYPE: ExtensionId = ExtensionId(470);
    /// `VK_VALVE_shader_mixed_float_dot_product`.
    pub const VALVE_SHADER_MIXED_FLOAT_DOT_PRODUCT: ExtensionId = ExtensionId(471);
    /// `VK_VALVE_video_encode_rgb_conversion`.
    pub const VALVE_VIDEO_ENCODE_RGB_CONVERSION: ExtensionId = ExtensionId(472);
}
