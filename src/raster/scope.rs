//! What tiles need to know of a scope, worked out once when it begins.

use super::bins::TileGrid;
use super::coverage::Rect;
use super::planes::{PLANE_WORDS, TilePlace};
use super::samples::SamplePattern;
use super::{Load, Scope, Target};
use crate::exec::ExecError;
use crate::resource::format::Format;
use crate::shader::abi::{MAX_COLORS, MAX_SAMPLES};
use crate::shader::kernel::Kernel;
use crate::vk;
use smallvec::SmallVec;

/// The words of a texel.
pub(super) type TexelWords = SmallVec<[u32; 4]>;

/// One attachment in the tiles of a scope.
#[derive(Debug)]
pub(super) struct Plane {
    pub target: Target,
    /// Format of the plane (of the aspect).
    pub format: &'static Format,
    /// Words of its clear value.
    pub clear: Option<TexelWords>,
    /// Runs at the end, if there is a resolve target.
    pub resolve: Option<Kernel>,
    /// First word within the tile's memory, and number of words.
    pub start: usize,
    pub len: usize,
}

impl Plane {
    /// The part of a tile that lies in `area`.
    pub(super) fn place(&self, layer: u32, first: [i32; 2], area: Rect) -> TilePlace {
        TilePlace::new(
            &self.target.attachment,
            self.format.bytes.into(),
            layer,
            first,
            area,
        )
    }
}

/// Which attachment of a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    Color(usize),
    Depth,
    Stencil,
}

/// A scope and how its tiles are laid out.
#[derive(Debug)]
pub(super) struct ScopeState {
    pub area: Rect,
    pub view_mask: u32,
    pub layers: u32,
    pub grid: TileGrid,
    pub pattern: SamplePattern,
    /// Coverage kernels for primitives of three and of four edges.
    pub coverage: [Kernel; 2],
    /// Colours, depth, stencil; `None` where there is no attachment.
    pub planes: Vec<Option<Plane>>,
    /// First word of memory that no attachment uses: what is written to attachments that are not there, and results
    /// of resolving.
    pub sink: usize,
    /// Words of a tile's memory.
    pub words: usize,
}

/// Where depth and stencil are in [`ScopeState::planes`].
const DEPTH: usize = MAX_COLORS;
const STENCIL: usize = MAX_COLORS + 1;

/// Makes what a plane needs besides memory.
pub(super) trait PlaneKernels {
    /// The words of a clear value.
    fn clear_words(&mut self, format: &'static Format, value: [u32; 4]) -> Result<TexelWords, ExecError>;
    /// A kernel that finds blocks.
    fn coverage(&mut self, pattern: &SamplePattern, edges: usize) -> Result<Kernel, ExecError>;
    /// A kernel that resolves a tile.
    fn resolve(
        &mut self,
        format: &'static Format,
        samples: u32,
        mode: vk::ResolveModeFlags,
    ) -> Result<Kernel, ExecError>;
}

impl ScopeState {
    pub(super) fn new(scope: &Scope, kernels: &mut impl PlaneKernels) -> Result<ScopeState, ExecError> {
        let mut planes: Vec<Option<Plane>> = (0..MAX_COLORS + 2).map(|_| None).collect();
        let colors = scope.colors.iter().take(MAX_COLORS).enumerate();
        let targets = colors
            .map(|(i, target)| (i, target.as_ref(), vk::ImageAspectFlags::COLOR))
            .chain([
                (DEPTH, scope.depth.as_ref(), vk::ImageAspectFlags::DEPTH),
                (STENCIL, scope.stencil.as_ref(), vk::ImageAspectFlags::STENCIL),
            ]);
        let mut start = 0;
        let mut samples = scope.samples.max(1);
        let mut extent = [u32::MAX; 2];
        for (i, target, aspect) in targets {
            let Some(target) = target else { continue };
            let plane = plane(target, aspect, start, kernels)?;
            start += plane.len;
            samples = target.attachment.samples;
            extent = [
                extent[0].min(target.attachment.width),
                extent[1].min(target.attachment.height),
            ];
            planes[i] = Some(plane);
        }
        let pattern = SamplePattern::standard(samples)
            .ok_or_else(|| ExecError::Compile(format!("{samples} samples")))?;
        let area = area(scope.area, extent);
        let layers = if scope.view_mask == 0 {
            scope.layers.max(1)
        } else {
            32 - scope.view_mask.leading_zeros()
        };
        Ok(ScopeState {
            area,
            view_mask: scope.view_mask,
            layers,
            grid: TileGrid::new(area.x1.max(0) as u32, area.y1.max(0) as u32, layers),
            coverage: [kernels.coverage(&pattern, 3)?, kernels.coverage(&pattern, 4)?],
            pattern,
            planes,
            sink: start,
            words: start + PLANE_WORDS * 4 * MAX_SAMPLES,
        })
    }

    /// The plane of an attachment.
    pub(super) fn plane(&self, slot: Slot) -> Option<&Plane> {
        let index = match slot {
            Slot::Color(i) if i < MAX_COLORS => i,
            Slot::Color(_) => return None,
            Slot::Depth => DEPTH,
            Slot::Stencil => STENCIL,
        };
        self.planes[index].as_ref()
    }

    /// Bit of a plane in sets of planes.
    pub(super) fn bit(slot: Slot) -> u32 {
        match slot {
            Slot::Color(i) => 1 << i,
            Slot::Depth => 1 << DEPTH,
            Slot::Stencil => 1 << STENCIL,
        }
    }

    /// Whether a layer is drawn to.
    pub(super) fn has_layer(&self, layer: u32) -> bool {
        self.view_mask == 0 || self.view_mask >> layer & 1 != 0
    }

    /// Whether any pixel of a tile is in the render area.
    pub(super) fn has_tile(&self, tile: usize) -> bool {
        let (layer, [x, y]) = self.grid.place(tile);
        let rect = Rect {
            x0: x,
            y0: y,
            x1: x + 64,
            y1: y + 64,
        };
        self.has_layer(layer) && !rect.intersect(self.area).is_empty()
    }
}

fn plane(
    target: &Target,
    aspect: vk::ImageAspectFlags,
    start: usize,
    kernels: &mut impl PlaneKernels,
) -> Result<Plane, ExecError> {
    let attachment = &target.attachment;
    let format = Format::of(attachment.format)
        .and_then(|format| format.aspect(aspect))
        .filter(|format| matches!(format.bytes, 1 | 2 | 4 | 8 | 16) && format.is_texel())
        .ok_or_else(|| ExecError::Compile(format!("attachments of format {:?}", attachment.format)))?;
    let clear = match target.load {
        Load::Keep => None,
        Load::Clear(value) => Some(kernels.clear_words(format, value)?),
    };
    let resolve = match &target.resolve {
        Some((_, mode)) => Some(kernels.resolve(format, attachment.samples, *mode)?),
        None => None,
    };
    let words = usize::from(format.bytes).div_ceil(4);
    let len = PLANE_WORDS * words * attachment.samples as usize;
    Ok(Plane {
        target: target.clone(),
        format,
        clear,
        resolve,
        start,
        len,
    })
}

fn area(area: vk::Rect2D, [width, height]: [u32; 2]) -> Rect {
    let limit = |v: u32| i32::try_from(v).unwrap_or(i32::MAX).min(1 << 14);
    let end = |offset: i32, extent: u32| offset.saturating_add(i32::try_from(extent).unwrap_or(i32::MAX));
    Rect {
        x0: area.offset.x.max(0),
        y0: area.offset.y.max(0),
        x1: end(area.offset.x, area.extent.width).min(limit(width)),
        y1: end(area.offset.y, area.extent.height).min(limit(height)),
    }
}
