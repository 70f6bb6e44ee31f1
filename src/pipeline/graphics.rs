//! Graphics pipelines: a vertex kernel, and fragment kernels by what of the dynamic state is compiled in.

use super::template::{COMPILED_STATES, Template};
use super::{GraphicsPipelineDesc, PipelineError, StageDesc, load_shader};
use crate::memory::{Account, Footprint, bytes_in, bytes_of};
use crate::raster::DrawState;
use crate::resource::format::Format;
use crate::shader::kernel::{self, Kernel, Target};
use crate::shader::rerun::{self, DebugKernel, WatchedShader};
use crate::shader::spirv::{BuiltIn, Input};
use crate::shader::stage::fragment::{self, DepthStencilKey, FragmentDesc, FragmentKey, StencilOps};
use crate::shader::stage::vertex::{self, VertexDesc};
use crate::shader::stage::{CLIP_DISTANCES, CULL_DISTANCES, Shader, written_elements};
use crate::vk;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A compiled graphics pipeline.
#[derive(Debug)]
pub struct GraphicsPipeline {
    handle: AtomicU64,
    desc: GraphicsPipelineDesc,
    target: Target,
    vertex: Kernel,
    fragment: Option<Arc<dyn Shader>>,
    /// What it is made from where something that is compiled in is dynamic.
    template: Option<Arc<Template>>,
    /// Inputs of the fragment shader, in the order of a primitive's data.
    varyings: Vec<Input>,
    clip_distances: u32,
    /// Whether each of them is flat.
    flat: Vec<bool>,
    colors: Vec<Option<&'static Format>>,
    depth: Option<&'static Format>,
    stencil: bool,
    variants: Mutex<FxHashMap<FragmentKey, Kernel>>,
    /// Where what draws compile is counted.
    account: Arc<Account>,
}

impl GraphicsPipeline {
    /// Compiles a pipeline.
    ///
    /// # Errors
    /// See [`PipelineError`].
    pub fn new(
        desc: GraphicsPipelineDesc,
        target: impl Into<Target>,
    ) -> Result<GraphicsPipeline, PipelineError> {
        let find = |stage| desc.stages.iter().find(|desc: &&StageDesc| desc.stage == stage);
        let known = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
        if let Some(other) = desc.stages.iter().find(|stage| !known.contains(stage.stage)) {
            return Err(PipelineError::Unsupported(format!("{:?} stages", other.stage)));
        }
        let Some(vertex) = find(vk::ShaderStageFlags::VERTEX) else {
            return Err(PipelineError::Unsupported(
                "pipelines without a vertex stage".to_owned(),
            ));
        };
        let vertex: Arc<dyn Shader> = Arc::new(load_shader(vertex, &desc.layout)?);
        let fragment: Option<Arc<dyn Shader>> = match find(vk::ShaderStageFlags::FRAGMENT) {
            Some(stage) => Some(Arc::new(load_shader(stage, &desc.layout)?)),
            None => None,
        };
        let target = target.into();
        let template = desc
            .dynamic
            .iter()
            .any(|state| COMPILED_STATES.contains(state))
            .then(|| Template::new(desc.clone(), vertex.clone(), fragment.clone(), target));
        let mut pipeline = GraphicsPipeline::with_shaders(desc, &*vertex, fragment, target)?;
        let template = template.map(|template| Arc::new(template.counting_in(&pipeline.account)));
        pipeline.template = template;
        Ok(pipeline)
    }

    /// Compiles a pipeline around any shaders; the stages of the description are not looked at.
    ///
    /// # Errors
    /// See [`PipelineError`].
    pub fn with_shaders(
        desc: GraphicsPipelineDesc,
        vertex: &dyn Shader,
        fragment: Option<Arc<dyn Shader>>,
        target: impl Into<Target>,
    ) -> Result<GraphicsPipeline, PipelineError> {
        let target = target.into();
        check(&desc)?;
        let clip_distances = written_elements(vertex.interface(), BuiltIn::ClipDistance);
        let cull_distances = written_elements(vertex.interface(), BuiltIn::CullDistance);
        let mut varyings = varyings(fragment.as_deref());
        add_distances(&mut varyings, CLIP_DISTANCES, clip_distances);
        let cull_wanted = fragment
            .as_ref()
            .is_some_and(|shader| shader.interface().input_builtins.contains(&BuiltIn::CullDistance));
        add_distances(
            &mut varyings,
            CULL_DISTANCES,
            if cull_wanted { cull_distances } else { 0 },
        );
        let locations = locations(&varyings);
        let vertex_desc = vertex_desc(&desc, &locations);
        let error = PipelineError::shader(vk::ShaderStageFlags::VERTEX);
        let func = vertex::build(vertex, &vertex_desc, target.backend.width()).map_err(error)?;
        let plane = |format, aspect| Format::of(format).and_then(|format| format.aspect(aspect));
        let pipeline = GraphicsPipeline {
            handle: AtomicU64::new(0),
            vertex: kernel::compile(func, target)?,
            target,
            fragment,
            template: None,
            clip_distances,
            flat: varyings.iter().map(|input| input.interpolation.flat).collect(),
            varyings,
            colors: desc
                .formats
                .colors
                .iter()
                .map(|&format| Format::of(format))
                .collect(),
            depth: plane(desc.formats.depth, vk::ImageAspectFlags::DEPTH),
            stencil: plane(desc.formats.stencil, vk::ImageAspectFlags::STENCIL).is_some(),
            variants: Mutex::default(),
            account: Arc::default(),
            desc,
        };
        // The likely variant now, so that errors of the shader show and draws do not wait.
        pipeline.fragment(&pipeline.fragment_key(&pipeline.desc.state, false))?;
        Ok(pipeline)
    }

    /// The static state; a draw replaces what is dynamic.
    #[must_use]
    pub fn state(&self) -> &DrawState {
        &self.desc.state
    }

    /// Whether a state is dynamic.
    #[must_use]
    pub fn is_dynamic(&self, state: vk::DynamicState) -> bool {
        self.desc.dynamic.contains(&state)
    }

    /// Tells it its raw handle, which its name is found with.
    pub fn set_handle(&self, handle: u64) {
        self.handle.store(handle, Ordering::Relaxed);
        if let Some(template) = &self.template {
            template.set_handle(handle);
        }
    }

    /// What it is made from, where something that is compiled in is dynamic.
    #[must_use]
    pub fn template(&self) -> Option<&Arc<Template>> {
        self.template.as_ref()
    }

    /// Its raw handle.
    #[must_use]
    pub fn handle(&self) -> u64 {
        self.handle.load(Ordering::Relaxed)
    }

    /// What it was made from.
    #[must_use]
    pub fn desc(&self) -> &GraphicsPipelineDesc {
        &self.desc
    }

    /// The vertex kernel as it is run once more to explain a fault; `None` for shaders that are no SPIR-V.
    #[must_use]
    pub fn debug_vertex(&self) -> Option<DebugKernel> {
        let shader = self.watched(vk::ShaderStageFlags::VERTEX)?;
        let locations = locations(&self.varyings);
        let func = vertex::build(&shader, &vertex_desc(&self.desc, &locations), rerun::WIDTH).ok()?;
        Some(DebugKernel::new(func, shader, self.target))
    }

    /// The fragment kernel without tests, as it is run once more to explain a fault.
    #[must_use]
    pub fn debug_fragment(&self) -> Option<DebugKernel> {
        let shader = self.watched(vk::ShaderStageFlags::FRAGMENT)?;
        let desc = self.fragment_desc(FragmentKey::default());
        let func = fragment::build(Some(&shader), &desc, rerun::WIDTH).ok()?;
        Some(DebugKernel::new(func, shader, self.target))
    }

    fn watched(&self, stage: vk::ShaderStageFlags) -> Option<WatchedShader> {
        let desc = self.desc.stages.iter().find(|desc| desc.stage == stage)?;
        Some(WatchedShader::new(load_shader(desc, &self.desc.layout).ok()?))
    }

    /// The vertex kernel.
    #[must_use]
    pub fn vertex(&self) -> &Kernel {
        &self.vertex
    }

    /// Inputs of the fragment shader, in the order of the vertex kernel's user outputs and of a primitive's data.
    #[must_use]
    pub fn varyings(&self) -> &[Input] {
        &self.varyings
    }

    /// Where clip distances begin in [`GraphicsPipeline::varyings`], and how many there are.
    #[must_use]
    pub fn clip_distances(&self) -> (usize, usize) {
        let first = self
            .varyings
            .iter()
            .position(|input| input.location == CLIP_DISTANCES);
        (first.unwrap_or(0), self.clip_distances as usize)
    }

    /// Whether each of [`GraphicsPipeline::varyings`] is flat.
    #[must_use]
    pub fn flat(&self) -> &[bool] {
        &self.flat
    }

    /// Formats of the colour attachments it is for.
    #[must_use]
    pub fn colors(&self) -> &[Option<&'static Format>] {
        &self.colors
    }

    /// Format of the depth plane it is for.
    #[must_use]
    pub fn depth(&self) -> Option<&'static Format> {
        self.depth
    }

    /// What of the state is compiled into fragment kernels.
    #[must_use]
    pub fn fragment_key(&self, state: &DrawState, count: bool) -> FragmentKey {
        let has_depth = self.depth.is_some();
        let depth = (state.depth_test && has_depth).then_some(state.depth_compare);
        let depth_write = depth.is_some() && state.depth_write;
        let face = |face: &vk::StencilOpState| StencilOps {
            fail: face.fail_op,
            pass: face.pass_op,
            depth_fail: face.depth_fail_op,
            compare: face.compare_op,
        };
        FragmentKey {
            tests: DepthStencilKey {
                depth: depth.filter(|&op| depth_write || op != vk::CompareOp::ALWAYS),
                depth_write,
                bounds: state.depth_bounds.is_some() && has_depth,
                stencil: (state.stencil_test && self.stencil)
                    .then(|| [face(&state.stencil_front), face(&state.stencil_back)]),
            },
            count,
            masked: !state.color_write & self.written(),
        }
    }

    /// A bit for each colour attachment that it can write to.
    fn written(&self) -> u8 {
        let count = self.colors.len().min(8);
        ((1u32 << count) - 1) as u8
    }

    /// What a fragment kernel for a key is made for.
    fn fragment_desc(&self, key: FragmentKey) -> FragmentDesc<'_> {
        FragmentDesc {
            key,
            multisample: self.desc.multisample,
            depth_clamp: self.desc.raster.depth_clamp_enable,
            blend: &self.desc.blend,
            logic_op: self.desc.logic_op,
            colors: &self.colors,
            locations: &self.desc.formats.locations,
            depth: self.depth,
            stencil: self.stencil,
            varyings: &self.varyings,
        }
    }

    /// Whether the fragment shader runs once a sample.
    #[must_use]
    pub fn per_sample(&self) -> bool {
        self.fragment_desc(FragmentKey::default())
            .per_sample(self.fragment.as_deref())
    }

    /// Lanes of a wave.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.target.backend.width()
    }

    /// The fragment kernel for a key, compiled at first use.
    ///
    /// # Errors
    /// See [`PipelineError`].
    pub fn fragment(&self, key: &FragmentKey) -> Result<Kernel, PipelineError> {
        let mut variants = self.variants.lock();
        if let Some(kernel) = variants.get(key) {
            return Ok(kernel.clone());
        }
        let desc = self.fragment_desc(*key);
        let error = PipelineError::shader(vk::ShaderStageFlags::FRAGMENT);
        let func =
            fragment::build(self.fragment.as_deref(), &desc, self.target.backend.width()).map_err(error)?;
        let kernel = kernel::compile(func, self.target)?;
        variants.insert(*key, kernel.clone());
        // An application hears of it: without the lock.
        drop(variants);
        self.account.add(kernel.bytes());
        Ok(kernel)
    }

    /// Has what it compiles from now on counted as part of an object; the bytes until now.
    pub(super) fn count_in(&mut self, account: &Arc<Account>) -> u64 {
        self.account = account.clone();
        self.own_bytes()
    }

    /// Bytes of it without the code that it was made from.
    fn own_bytes(&self) -> u64 {
        let desc = &self.desc;
        let lists = bytes_in(&desc.stages)
            + bytes_in(&desc.vertex_bindings)
            + bytes_in(&desc.vertex_attributes)
            + bytes_in(&desc.blend)
            + bytes_in(&desc.dynamic)
            + bytes_in(&self.varyings)
            + bytes_in(&self.flat)
            + bytes_in(&self.colors);
        bytes_of(self) + lists + self.vertex.bytes() + self.variant_bytes()
    }
}

impl GraphicsPipeline {
    /// Bytes of the fragment kernels that were compiled so far.
    #[must_use]
    pub fn variant_bytes(&self) -> u64 {
        self.variants.lock().values().map(Kernel::bytes).sum()
    }

    /// Bytes of executable code so far.
    #[must_use]
    pub fn code_bytes(&self) -> u64 {
        self.vertex.code_bytes() + self.variants.lock().values().map(Kernel::code_bytes).sum::<u64>()
    }
}

impl Footprint for GraphicsPipeline {
    fn footprint(&self) -> u64 {
        self.own_bytes() + self.desc.stages.iter().map(StageDesc::bytes).sum::<u64>()
    }

    fn account(&self) -> Option<&Arc<Account>> {
        Some(&self.account)
    }
}

/// Location and component of each input.
fn locations(varyings: &[Input]) -> Vec<(u32, u32)> {
    let place = |input: &Input| (input.location, input.component);
    varyings.iter().map(place).collect()
}

fn vertex_desc<'d>(desc: &'d GraphicsPipelineDesc, locations: &'d [(u32, u32)]) -> VertexDesc<'d> {
    VertexDesc {
        bindings: &desc.vertex_bindings,
        attributes: &desc.vertex_attributes,
        varyings: locations,
        negative_one_to_one: desc.raster.negative_one_to_one,
    }
}

/// What no code exists for.
fn check(desc: &GraphicsPipelineDesc) -> Result<(), PipelineError> {
    let unsupported = |what: String| Err(PipelineError::Unsupported(what));
    let mode = desc.raster.polygon_mode;
    if !matches!(
        mode,
        vk::PolygonMode::FILL | vk::PolygonMode::LINE | vk::PolygonMode::POINT
    ) {
        return unsupported(format!("polygon mode {mode:?}"));
    }
    if !matches!(desc.multisample.samples, 1 | 2 | 4 | 8) {
        return unsupported(format!("{} samples", desc.multisample.samples));
    }
    let color = desc
        .formats
        .colors
        .iter()
        .copied()
        .filter(|&format| format != vk::Format::UNDEFINED);
    for format in color {
        if !Format::of(format).is_some_and(|f| f.is_texel() && !f.is_depth_stencil() && f.bytes <= 16) {
            return unsupported(format!("colour attachments of format {format:?}"));
        }
    }
    Ok(())
}

/// Inputs of a fragment shader, each component once.
fn varyings(fragment: Option<&dyn Shader>) -> Vec<Input> {
    let mut varyings: Vec<Input> = Vec::new();
    for input in fragment.map_or(&[][..], |shader| &shader.interface().inputs) {
        let known = |other: &Input| (other.location, other.component) == (input.location, input.component);
        if !varyings.iter().any(known) {
            varyings.push(Input {
                location: input.location,
                component: input.component,
                interpolation: input.interpolation,
            });
        }
    }
    varyings
}

/// Adds the distances that clipping or the fragment shader needs.
fn add_distances(varyings: &mut Vec<Input>, location: u32, count: u32) {
    varyings.extend((0..count).map(|component| Input {
        location,
        component,
        ..Input::default()
    }));
}
