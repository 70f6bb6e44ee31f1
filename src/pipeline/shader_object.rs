//! Shader objects: shaders that are bound one by one, of which a draw makes a pipeline with the state of its time.

use super::template::COMPILED_STATES;
use super::{
    AttachmentFormats, ComputePipeline, GraphicsPipelineDesc, MultisampleDesc, PipelineError, RasterDesc,
    ResourceLayout, StageDesc, Template, load_shader,
};
use crate::memory::{Account, Footprint, bytes_of};
use crate::raster::DrawState;
use crate::shader::kernel::Target;
use crate::shader::stage::Shader;
use crate::vk;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use vk::DynamicState as D;

/// The dynamic states besides those that are compiled in.
const OTHER_STATES: &[D] = &[
    D::VIEWPORT_WITH_COUNT,
    D::SCISSOR_WITH_COUNT,
    D::LINE_WIDTH,
    D::DEPTH_BIAS,
    D::BLEND_CONSTANTS,
    D::DEPTH_BOUNDS,
    D::STENCIL_COMPARE_MASK,
    D::STENCIL_WRITE_MASK,
    D::STENCIL_REFERENCE,
    D::CULL_MODE,
    D::FRONT_FACE,
    D::PRIMITIVE_TOPOLOGY,
    D::VERTEX_INPUT_BINDING_STRIDE,
    D::DEPTH_TEST_ENABLE,
    D::DEPTH_WRITE_ENABLE,
    D::DEPTH_COMPARE_OP,
    D::DEPTH_BOUNDS_TEST_ENABLE,
    D::STENCIL_TEST_ENABLE,
    D::STENCIL_OP,
    D::RASTERIZER_DISCARD_ENABLE,
    D::DEPTH_BIAS_ENABLE,
    D::PRIMITIVE_RESTART_ENABLE,
    D::COLOR_WRITE_ENABLE_EXT,
];

/// A shader object.
#[derive(Debug)]
pub enum ShaderObject {
    /// Of a stage of draws.
    Graphics(Arc<GraphicsShader>),
    /// Of dispatches.
    Compute(Arc<ComputePipeline>),
}

/// A vertex or fragment shader that is an object of its own.
#[derive(Debug)]
pub struct GraphicsShader {
    desc: StageDesc,
    layout: Arc<ResourceLayout>,
    shader: Arc<dyn Shader>,
    target: Target,
    handle: AtomicU64,
    /// Of a vertex shader: what it makes with each fragment shader that it was bound with, by the latter's address.
    pairs: Mutex<FxHashMap<usize, (Weak<GraphicsShader>, Arc<Template>)>>,
    alone: Mutex<Option<Arc<Template>>>,
    /// Where what draws compile is counted.
    account: Arc<Account>,
}

impl GraphicsShader {
    /// Makes a vertex or fragment shader.
    ///
    /// # Errors
    /// See [`PipelineError`].
    pub fn new(
        desc: StageDesc,
        layout: Arc<ResourceLayout>,
        target: impl Into<Target>,
    ) -> Result<GraphicsShader, PipelineError> {
        if desc.stage != vk::ShaderStageFlags::VERTEX && desc.stage != vk::ShaderStageFlags::FRAGMENT {
            return Err(PipelineError::Unsupported(format!("{:?} stages", desc.stage)));
        }
        Ok(GraphicsShader {
            shader: Arc::new(load_shader(&desc, &layout)?),
            desc,
            layout,
            target: target.into(),
            handle: AtomicU64::new(0),
            pairs: Mutex::default(),
            alone: Mutex::default(),
            account: Arc::default(),
        })
    }

    /// What it was made from.
    #[must_use]
    pub fn desc(&self) -> &StageDesc {
        &self.desc
    }

    /// Tells it its raw handle.
    pub fn set_handle(&self, handle: u64) {
        self.handle.store(handle, Ordering::Relaxed);
    }

    /// Its raw handle.
    #[must_use]
    pub fn handle(&self) -> u64 {
        self.handle.load(Ordering::Relaxed)
    }

    /// What draws with this vertex shader and a fragment shader make their pipelines of.
    #[must_use]
    pub fn with(&self, fragment: Option<&Arc<GraphicsShader>>) -> Arc<Template> {
        let Some(fragment) = fragment else {
            let mut alone = self.alone.lock();
            return alone.get_or_insert_with(|| self.template(None)).clone();
        };
        let mut pairs = self.pairs.lock();
        let key = Arc::as_ptr(fragment) as usize;
        if let Some((known, template)) = pairs.get(&key)
            && known.strong_count() > 0
        {
            return template.clone();
        }
        // While its entry is here the address of a shader is no other's; those of shaders that are gone are of no use.
        pairs.retain(|_, (known, _)| known.strong_count() > 0);
        let template = self.template(Some(fragment));
        pairs.insert(key, (Arc::downgrade(fragment), template.clone()));
        template
    }

    fn template(&self, fragment: Option<&Arc<GraphicsShader>>) -> Arc<Template> {
        let stages = std::iter::once(self).chain(fragment.map(|f| &**f));
        let desc = GraphicsPipelineDesc {
            stages: stages.map(|shader| shader.desc.clone()).collect(),
            layout: self.layout.clone(),
            vertex_bindings: Vec::new(),
            vertex_attributes: Vec::new(),
            raster: RasterDesc::default(),
            multisample: MultisampleDesc::default(),
            blend: Vec::new(),
            logic_op: None,
            formats: AttachmentFormats::default(),
            view_mask: 0,
            state: DrawState::default(),
            dynamic: [COMPILED_STATES, OTHER_STATES].concat(),
        };
        let shader = fragment.map(|fragment| fragment.shader.clone());
        let template = Template::new(desc, self.shader.clone(), shader, self.target)
            .for_any_formats()
            .counting_in(&self.account);
        template.set_handle(self.handle());
        Arc::new(template)
    }
}

impl Footprint for ShaderObject {
    fn footprint(&self) -> u64 {
        bytes_of(self)
            + match self {
                ShaderObject::Graphics(shader) => bytes_of(&**shader) + shader.desc.bytes(),
                ShaderObject::Compute(pipeline) => pipeline.footprint(),
            }
    }

    fn account(&self) -> Option<&Arc<Account>> {
        match self {
            ShaderObject::Graphics(shader) => Some(&shader.account),
            ShaderObject::Compute(_) => None,
        }
    }
}
