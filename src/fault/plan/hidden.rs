//! What a device does not offer by plan: extensions, features, formats, and higher limits.

use super::error::{At, expected, nearest};
use super::model::{Fault, Pattern, Rule};
use crate::generated::{
    extensions::EXTENSIONS,
    features::{BASIC, FEATURE_STRUCTS},
};
use crate::vk;

type Limits = vk::PhysicalDeviceLimits;

/// Limits that can be lowered.
static LIMITS: &[(&str, fn(&mut Limits) -> &mut u32)] = &[
    ("maxImageDimension1D", |limits| &mut limits.max_image_dimension1_d),
    ("maxImageDimension2D", |limits| &mut limits.max_image_dimension2_d),
    ("maxImageDimension3D", |limits| &mut limits.max_image_dimension3_d),
    ("maxImageDimensionCube", |limits| {
        &mut limits.max_image_dimension_cube
    }),
    ("maxImageArrayLayers", |limits| &mut limits.max_image_array_layers),
    ("maxTexelBufferElements", |limits| {
        &mut limits.max_texel_buffer_elements
    }),
    ("maxUniformBufferRange", |limits| {
        &mut limits.max_uniform_buffer_range
    }),
    ("maxStorageBufferRange", |limits| {
        &mut limits.max_storage_buffer_range
    }),
    ("maxPushConstantsSize", |limits| {
        &mut limits.max_push_constants_size
    }),
    ("maxMemoryAllocationCount", |limits| {
        &mut limits.max_memory_allocation_count
    }),
    ("maxSamplerAllocationCount", |limits| {
        &mut limits.max_sampler_allocation_count
    }),
    ("maxBoundDescriptorSets", |limits| {
        &mut limits.max_bound_descriptor_sets
    }),
    ("maxPerStageDescriptorSamplers", |limits| {
        &mut limits.max_per_stage_descriptor_samplers
    }),
    ("maxPerStageDescriptorSampledImages", |limits| {
        &mut limits.max_per_stage_descriptor_sampled_images
    }),
    ("maxPerStageDescriptorStorageBuffers", |limits| {
        &mut limits.max_per_stage_descriptor_storage_buffers
    }),
    ("maxPerStageDescriptorStorageImages", |limits| {
        &mut limits.max_per_stage_descriptor_storage_images
    }),
    ("maxPerStageDescriptorUniformBuffers", |limits| {
        &mut limits.max_per_stage_descriptor_uniform_buffers
    }),
    ("maxPerStageResources", |limits| {
        &mut limits.max_per_stage_resources
    }),
    ("maxVertexInputAttributes", |limits| {
        &mut limits.max_vertex_input_attributes
    }),
    ("maxVertexInputBindings", |limits| {
        &mut limits.max_vertex_input_bindings
    }),
    ("maxColorAttachments", |limits| &mut limits.max_color_attachments),
    ("maxFramebufferWidth", |limits| &mut limits.max_framebuffer_width),
    ("maxFramebufferHeight", |limits| {
        &mut limits.max_framebuffer_height
    }),
    ("maxFramebufferLayers", |limits| {
        &mut limits.max_framebuffer_layers
    }),
    ("maxComputeSharedMemorySize", |limits| {
        &mut limits.max_compute_shared_memory_size
    }),
    ("maxComputeWorkGroupInvocations", |limits| {
        &mut limits.max_compute_work_group_invocations
    }),
    ("maxDrawIndexedIndexValue", |limits| {
        &mut limits.max_draw_indexed_index_value
    }),
    ("maxDrawIndirectCount", |limits| {
        &mut limits.max_draw_indirect_count
    }),
    ("maxViewports", |limits| &mut limits.max_viewports),
    ("maxClipDistances", |limits| &mut limits.max_clip_distances),
    ("maxCullDistances", |limits| &mut limits.max_cull_distances),
];

/// What is hidden.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Names of extensions.
    pub extensions: Vec<String>,
    /// Names of features.
    pub features: Vec<String>,
    /// Raw `VkFormat`s.
    pub formats: Vec<i32>,
    /// Limits by name, with what they are at most.
    pub limits: Vec<(String, u32)>,
}

impl Hidden {
    /// Whether an extension is.
    #[must_use]
    pub fn has_extension(&self, name: &std::ffi::CStr) -> bool {
        self.extensions
            .iter()
            .any(|hidden| hidden.as_bytes() == name.to_bytes())
    }

    /// Whether a feature is.
    #[must_use]
    pub fn has_feature(&self, name: &str) -> bool {
        self.features.iter().any(|hidden| hidden == name)
    }

    /// Whether a format is.
    #[must_use]
    pub fn has_format(&self, format: vk::Format) -> bool {
        self.formats.contains(&format.as_raw())
    }

    /// Lowers limits.
    pub fn lower(&self, limits: &mut Limits) {
        for (name, most) in &self.limits {
            if let Some((_, of)) = LIMITS.iter().find(|row| row.0 == name) {
                let limit = of(limits);
                *limit = (*limit).min(*most);
            }
        }
    }

    /// Whether nothing is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Hidden::default()
    }

    /// Adds what another rule hides.
    pub fn merge(&mut self, other: &Hidden) {
        self.extensions.extend_from_slice(&other.extensions);
        self.features.extend_from_slice(&other.features);
        self.formats.extend_from_slice(&other.formats);
        self.limits.extend_from_slice(&other.limits);
    }
}

/// What rules hide together.
pub(super) fn all<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> Hidden {
    let mut all = Hidden::default();
    for rule in rules {
        if let Fault::Hide(hidden) = &rule.fault {
            all.merge(hidden);
        }
    }
    all
}

/// All formats by name: what ash prints for a value that it knows is no number.
fn formats() -> impl Iterator<Item = (String, i32)> {
    let ranges = [
        0..=184,
        1_000_054_000..=1_000_054_007,
        1_000_066_000..=1_000_066_013,
        1_000_156_000..=1_000_156_033,
        1_000_330_000..=1_000_330_003,
        1_000_340_000..=1_000_340_001,
    ];
    ranges.into_iter().flatten().filter_map(|raw| {
        let name = format!("{:?}", vk::Format::from_raw(raw));
        name.starts_with(|c: char| c.is_ascii_uppercase())
            .then(|| (format!("VK_FORMAT_{name}"), raw))
    })
}

/// The names that a list means: names, patterns with `*` and `?`, and with `!` before them what stays all the same.
fn chosen<'a>(list: &[(usize, &str)], what: &str, names: &[&'a str]) -> Result<Vec<&'a str>, At> {
    let mut chosen: Vec<&str> = Vec::new();
    for &(at, text) in list {
        let (stays, text) = text.strip_prefix('!').map_or((false, text), |text| (true, text));
        let pattern = Pattern::new(text);
        let mut fitting = names.iter().copied().filter(|name| pattern.fits(name)).peekable();
        if fitting.peek().is_none() {
            let message = if text.contains(['*', '?']) {
                format!("nothing fits `{text}`: expected a pattern for names of {what}s in C")
            } else {
                let meant = nearest(text, names.iter().copied())
                    .map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
                format!("unknown {what} `{text}`: expected its name in C{meant}")
            };
            return Err(At::new(at, message));
        }
        if stays {
            chosen.retain(|name| !pattern.fits(name));
        } else {
            chosen.extend(fitting);
        }
    }
    Ok(chosen)
}

/// Reads the members of `hide`.
pub(super) fn read<'a>(list: impl Fn(&str) -> Vec<(usize, &'a str)>) -> Result<Hidden, At> {
    let mut hidden = Hidden::default();
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    let extensions: Vec<&str> = EXTENSIONS
        .iter()
        .filter(|extension| !extension.instance)
        .filter_map(|extension| extension.name.to_str().ok())
        .collect();
    hidden.extensions = owned(chosen(&list("extension"), "device extension", &extensions)?);
    let others = FEATURE_STRUCTS.iter().flat_map(|row| row.members.iter().copied());
    let features: Vec<&str> = BASIC.iter().copied().chain(others).collect();
    hidden.features = owned(chosen(&list("feature"), "feature", &features)?);
    let formats: Vec<(String, i32)> = formats().collect();
    let names: Vec<&str> = formats.iter().map(|row| row.0.as_str()).collect();
    for name in chosen(&list("format"), "format", &names)? {
        hidden
            .formats
            .extend(formats.iter().find(|row| row.0 == name).map(|row| row.1));
    }
    for (at, text) in list("limit") {
        let wrong = || At::new(at, format!("`limit`: \"{text}\" is not `name=number`"));
        let (name, most) = text.split_once('=').ok_or_else(wrong)?;
        let (name, most) = (name.trim(), most.trim().parse().map_err(|_| wrong())?);
        let names = LIMITS.iter().map(|row| row.0);
        if !names.clone().any(|known| known == name) {
            return Err(At::new(
                at,
                format!("unknown limit `{name}`: {}", expected(name, names)),
            ));
        }
        hidden.limits.push((name.to_owned(), most));
    }
    Ok(hidden)
}
