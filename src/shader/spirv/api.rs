//! What the translator takes from its caller and gives back.

use super::SpirvError;
use super::heap::HeapLayout;
use crate::shader::ir::{Builder, Value};
use crate::vk;
use ::spirv::BuiltIn;
use std::sync::Arc;

/// Values of specialization constants by `SpecId`; 64-bit ones in full, smaller ones in the low bits.
#[derive(Clone, Debug, Default)]
pub struct SpecInfo {
    /// `(SpecId, value)`.
    pub values: Vec<(u32, u64)>,
    /// `(SpecId, bytes)`, for constants that are data.
    pub data: Vec<(u32, Vec<u8>)>,
}

/// Where the bytes of each descriptor are.
#[derive(Clone, Debug, Default)]
pub struct ResourceLayout {
    /// Bindings by set.
    pub sets: Vec<Vec<BindingLayout>>,
    /// In place of sets: how bindings are mapped to descriptor heaps.
    pub heap: Option<Arc<HeapLayout>>,
}

impl ResourceLayout {
    /// The layout of one binding.
    #[must_use]
    pub fn find(&self, set: u32, binding: u32) -> Option<&BindingLayout> {
        self.sets
            .get(set as usize)?
            .iter()
            .find(|layout| layout.binding == binding)
    }
}

/// Where the descriptors of one binding are in the bytes of their set.
#[derive(Clone, Debug)]
pub struct BindingLayout {
    /// Binding number.
    pub binding: u32,
    /// Kind of descriptor; decides the encoding (see [`crate::descriptor`]).
    pub ty: vk::DescriptorType,
    /// Array elements; for inline uniform blocks, bytes. Indices beyond are clamped to the last.
    pub count: u32,
    /// First byte of element 0 in the set.
    pub offset: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Dynamic buffers: index in `Context::dynamic_offsets` of element 0.
    pub dynamic_index: Option<u32>,
}

/// Kind of resource variable, as the shader declares it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub enum Descriptor {
    UniformBuffer,
    StorageBuffer,
    Sampler,
    SampledImage,
    CombinedImageSampler,
    StorageImage,
    UniformTexelBuffer,
    StorageTexelBuffer,
    InputAttachment,
}

/// How a fragment input is interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Interpolation {
    /// Value of the provoking vertex.
    pub flat: bool,
    /// Linear in screen space.
    pub no_perspective: bool,
    /// At the centroid of the covered samples.
    pub centroid: bool,
    /// At each sample.
    pub sample: bool,
}

/// One scalar of a stage's user-defined inputs or outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Input {
    /// Location.
    pub location: u32,
    /// Component within the location.
    pub component: u32,
    /// Interpolation (fragment inputs).
    pub interpolation: Interpolation,
}

/// Where `interpolateAt…` wants an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interpolate {
    /// At the centroid.
    Centroid,
    /// At a sample number a lane (`V`).
    Sample(Value),
    /// At an offset from the pixel's centre in pixels (`V`, `V`).
    Offset(Value, Value),
}

/// Where the stage's inputs come from; implemented by the code that wraps the shader.
///
/// The methods append to the block the builder stands in and may be called anywhere in the shader, many times
/// for the same input: an implementation must not keep values from one call for another, because the block
/// of the first call need not dominate the second, and emitted blocks may be thrown away and emitted again.
pub trait StageIo {
    /// One 32-bit component (`V`) of a user-defined input, as raw bits.
    fn load_input(&mut self, b: &mut Builder, input: &Input) -> Value;

    /// One component of a built-in input: `S32` or `B` where uniform, `V` or `M` where varying; `None` where
    /// the stage does not have it. Not asked for: what follows from others (global invocation id, local
    /// invocation index, subgroup built-ins other than NumSubgroups, view and draw index, device index,
    /// helper invocation). Compute is asked for `WorkgroupId`, `NumWorkgroups` and `LocalInvocationId`, and
    /// `LocalInvocationIndex` of each lane.
    fn load_builtin(&mut self, b: &mut Builder, builtin: BuiltIn, component: u32) -> Option<Value>;

    /// A fragment input elsewhere than at its own place; `None` outside fragment shaders.
    fn interpolate_at(&mut self, b: &mut Builder, input: &Input, place: Interpolate) -> Option<Value> {
        let _ = (b, input, place);
        None
    }
}

/// What the shader starts with.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// `S64`, address of the [`Context`](crate::shader::abi::Context).
    pub ctx: Value,
    /// `M`, lanes that run (helper invocations included).
    pub exec: Value,
    /// `M`, lanes whose side effects count (equal to `exec` but in fragment shaders).
    pub coverage: Value,
}

/// Which output a value is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum OutputSlot {
    /// User-defined output.
    Location {
        /// Location.
        location: u32,
        /// Component within the location.
        component: u32,
        /// Second source of dual-source blending.
        index: u32,
    },
    /// A component of a built-in output (element for arrays such as ClipDistance and SampleMask).
    BuiltIn(BuiltIn, u32),
}

/// One component the shader wrote.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// Where it goes.
    pub slot: OutputSlot,
    /// `V`, raw bits.
    pub value: Value,
}

/// What the shader ends with; the builder stands in the block where these are available.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// Every output component that was ever written, in the order of [`OutputSlot`].
    pub values: Vec<Output>,
    /// `M`, lanes that reached the end.
    pub exec: Value,
    /// `M`, lanes that still cover something (not discarded, not demoted).
    pub coverage: Value,
}

impl From<std::num::TryFromIntError> for SpirvError {
    fn from(_: std::num::TryFromIntError) -> SpirvError {
        SpirvError::TooLarge("a number")
    }
}
