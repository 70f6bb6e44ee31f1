//! Render passes, framebuffers and dynamic rendering, and how they become scopes.

use super::list::Command;
use crate::memory::{Footprint, bytes_in, bytes_of};
use crate::raster::{Attachment, Load, Scope, Target};
use crate::resource::ImageView;
use crate::vk;
use std::sync::Arc;
use vk::ImageAspectFlags as Aspect;

/// An image view as an attachment: the planes it shows.
#[derive(Clone, Debug, Default)]
pub struct AttachmentView {
    /// Colour plane.
    pub color: Option<Attachment>,
    /// Depth plane.
    pub depth: Option<Attachment>,
    /// Stencil plane.
    pub stencil: Option<Attachment>,
}

impl AttachmentView {
    /// The planes of a view. An attachment has both depth and stencil of its image, whatever aspects the view names.
    #[must_use]
    pub fn of(view: &ImageView) -> AttachmentView {
        let image = view.image();
        let range = &view.info().range;
        let depth_stencil = |aspect| {
            let plane = image.subresource(aspect, range.base_mip_level, range.base_array_layer)?;
            Some(Attachment {
                format: plane.format.vk,
                address: plane.address,
                row_pitch: plane.row_pitch,
                layer_pitch: plane.layer_pitch,
                sample_pitch: plane.sample_pitch,
                samples: image.info().samples,
                width: plane.extent[0],
                height: plane.extent[1],
            })
        };
        let color = range.aspect_mask.contains(Aspect::COLOR);
        AttachmentView {
            color: if color {
                view.attachment(Aspect::COLOR).cloned()
            } else {
                None
            },
            depth: depth_stencil(Aspect::DEPTH),
            stencil: depth_stencil(Aspect::STENCIL),
        }
    }
}

/// One attachment of a render pass.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct AttachmentDesc {
    pub format: vk::Format,
    pub samples: u32,
    pub load: vk::AttachmentLoadOp,
    pub store: vk::AttachmentStoreOp,
    pub stencil_load: vk::AttachmentLoadOp,
    pub stencil_store: vk::AttachmentStoreOp,
}

/// One subpass; numbers are indices of attachments.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct Subpass {
    pub colors: Vec<Option<u32>>,
    pub resolves: Vec<Option<u32>>,
    pub depth_stencil: Option<u32>,
    pub depth_stencil_resolve: Option<u32>,
    pub depth_resolve_mode: vk::ResolveModeFlags,
    pub stencil_resolve_mode: vk::ResolveModeFlags,
    pub inputs: Vec<Option<u32>>,
    pub view_mask: u32,
}

impl Subpass {
    /// Attachments that are drawn to or read; not those only resolved to, unless one of their aspects is not: that
    /// shows what it was loaded with.
    fn uses(&self, attachment: u32) -> bool {
        let partly = self.depth_resolve_mode.is_empty() || self.stencil_resolve_mode.is_empty();
        let resolved = self.depth_stencil_resolve.filter(|_| partly);
        let mut all = self
            .colors
            .iter()
            .chain(&self.inputs)
            .chain([&self.depth_stencil, &resolved]);
        all.any(|&used| used == Some(attachment))
    }

    /// Whether the attachment is a target of the scope itself.
    fn draws_to(&self, attachment: u32) -> bool {
        let mut targets = self.colors.iter().chain(std::iter::once(&self.depth_stencil));
        targets.any(|&used| used == Some(attachment))
    }
}

/// A render pass.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub struct RenderPass {
    pub attachments: Vec<AttachmentDesc>,
    pub subpasses: Vec<Subpass>,
}

/// A framebuffer; without views where it is imageless.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Framebuffer {
    pub views: Vec<AttachmentView>,
    pub width: u32,
    pub height: u32,
    pub layers: u32,
}

/// One attachment of dynamic rendering.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct RenderingAttachment {
    pub view: AttachmentView,
    pub resolve: Option<(AttachmentView, vk::ResolveModeFlags)>,
    pub load: vk::AttachmentLoadOp,
    pub store: vk::AttachmentStoreOp,
    /// The words of the clear value.
    pub clear: [u32; 4],
    /// Whether shaders may read it as an input: what it is cleared to has to be in memory.
    pub is_read: bool,
}

impl RenderingAttachment {
    /// Whether it is cleared before the scope rather than by it.
    fn is_cleared_before(&self) -> bool {
        self.is_read && self.load == vk::AttachmentLoadOp::CLEAR
    }
}

/// The arguments of `vkCmdBeginRendering`.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct Rendering {
    pub flags: vk::RenderingFlags,
    pub area: vk::Rect2D,
    pub layers: u32,
    pub view_mask: u32,
    pub colors: Vec<Option<RenderingAttachment>>,
    pub depth: Option<RenderingAttachment>,
    pub stencil: Option<RenderingAttachment>,
}

impl Rendering {
    /// A scope that only clears those attachments that shaders may read as inputs.
    #[must_use]
    pub fn clears(&self) -> Option<Scope> {
        let only = |a: &Option<RenderingAttachment>| {
            let cleared = a.as_ref().filter(|a| a.is_cleared_before())?;
            Some(RenderingAttachment {
                resolve: None,
                store: vk::AttachmentStoreOp::STORE,
                is_read: false,
                ..cleared.clone()
            })
        };
        let clears = Rendering {
            flags: vk::RenderingFlags::empty(),
            colors: self.colors.iter().map(only).collect(),
            depth: only(&self.depth),
            stencil: only(&self.stencil),
            ..self.clone()
        };
        let any =
            clears.colors.iter().any(Option::is_some) || clears.depth.is_some() || clears.stencil.is_some();
        (any && !self.flags.contains(vk::RenderingFlags::RESUMING)).then(|| clears.scope())
    }

    /// The scope it describes.
    #[must_use]
    pub fn scope(&self) -> Scope {
        let resuming = self.flags.contains(vk::RenderingFlags::RESUMING);
        let suspending = self.flags.contains(vk::RenderingFlags::SUSPENDING);
        let target = |a: &RenderingAttachment, pick: fn(&AttachmentView) -> Option<Attachment>, clear| {
            let resolve = a.resolve.as_ref().filter(|_| !suspending);
            Some(Target {
                attachment: pick(&a.view)?,
                load: load_of(
                    if resuming || a.is_cleared_before() {
                        vk::AttachmentLoadOp::LOAD
                    } else {
                        a.load
                    },
                    clear,
                ),
                store: suspending || a.store == vk::AttachmentStoreOp::STORE,
                resolve: resolve.and_then(|(view, mode)| Some((pick(view)?, *mode))),
            })
        };
        let color = |a: &Option<RenderingAttachment>| {
            a.as_ref()
                .and_then(|a| target(a, |view| view.color.clone(), a.clear))
        };
        Scope {
            colors: self.colors.iter().map(color).collect(),
            depth: self
                .depth
                .as_ref()
                .and_then(|a| target(a, |view| view.depth.clone(), a.clear)),
            stencil: self
                .stencil
                .as_ref()
                .and_then(|a| target(a, |view| view.stencil.clone(), stencil_value(a.clear))),
            area: self.area,
            layers: if self.view_mask == 0 { self.layers } else { 1 },
            view_mask: self.view_mask,
            samples: 1,
        }
    }
}

/// A clear value's stencil word, moved to where a stencil target has it.
fn stencil_value(clear: [u32; 4]) -> [u32; 4] {
    [clear[1], 0, 0, 0]
}

fn load_of(op: vk::AttachmentLoadOp, clear: [u32; 4]) -> Load {
    if op == vk::AttachmentLoadOp::CLEAR {
        Load::Clear(clear)
    } else {
        Load::Keep
    }
}

/// A render pass being recorded.
#[derive(Clone, Debug)]
pub struct PassInstance {
    pass: Arc<RenderPass>,
    views: Vec<AttachmentView>,
    area: vk::Rect2D,
    layers: u32,
    clears: Vec<[u32; 4]>,
    subpass: usize,
}

impl PassInstance {
    /// An instance of a pass, before its first subpass. `views` are those of an imageless framebuffer.
    #[must_use]
    pub fn new(
        pass: Arc<RenderPass>,
        framebuffer: &Framebuffer,
        views: Vec<AttachmentView>,
        area: vk::Rect2D,
        clears: Vec<[u32; 4]>,
    ) -> PassInstance {
        PassInstance {
            pass,
            views: if views.is_empty() {
                framebuffer.views.clone()
            } else {
                views
            },
            area,
            layers: framebuffer.layers,
            clears,
            subpass: 0,
        }
    }

    /// The attachments that some subpass uses, and the views that they are used with.
    pub(super) fn used(&self) -> impl Iterator<Item = (&AttachmentDesc, &AttachmentView, u32)> {
        let all = self.pass.attachments.iter().zip(&self.views).zip(0..);
        all.filter_map(|((desc, view), index)| {
            let users = self.pass.subpasses.iter().filter(|s| s.uses(index));
            let masks: Vec<u32> = users.map(|s| s.view_mask).collect();
            let view_mask = masks.iter().fold(0, |all, mask| all | mask);
            (!masks.is_empty()).then_some((desc, view, view_mask))
        })
    }

    pub(super) fn area(&self) -> vk::Rect2D {
        self.area
    }

    pub(super) fn layers(&self) -> u32 {
        self.layers
    }

    /// Moves to the next subpass.
    pub fn advance(&mut self) {
        self.subpass += 1;
    }

    /// The views of the current subpass.
    #[must_use]
    pub fn view_mask(&self) -> u32 {
        self.pass
            .subpasses
            .get(self.subpass)
            .map_or(0, |subpass| subpass.view_mask)
    }

    /// The commands that begin the current subpass: its scope, and before it scopes that only clear what the
    /// scope itself cannot (attachments first used as input, or with some of the views).
    #[must_use]
    pub fn begin(&self) -> Vec<Command> {
        let Some(subpass) = self.pass.subpasses.get(self.subpass) else {
            return Vec::new();
        };
        let mut commands = Vec::new();
        for attachment in 0..u32::try_from(self.pass.attachments.len()).unwrap_or(0) {
            let fresh = self.fresh_views(subpass, attachment);
            let whole = fresh == mask(subpass.view_mask) && subpass.draws_to(attachment);
            if fresh != 0 && !whole {
                let views = if subpass.view_mask == 0 { 0 } else { fresh };
                commands.extend(self.clear_scope(attachment, views).into_iter().flatten());
            }
        }
        commands.push(Command::BeginScope(Box::new(self.scope(subpass))));
        commands
    }

    /// Views of an attachment that this subpass is the first to use.
    fn fresh_views(&self, subpass: &Subpass, attachment: u32) -> u32 {
        if !subpass.uses(attachment) {
            return 0;
        }
        let earlier = self.pass.subpasses[..self.subpass]
            .iter()
            .filter(|s| s.uses(attachment));
        mask(subpass.view_mask) & !earlier.fold(0, |views, s| views | mask(s.view_mask))
    }

    fn used_later(&self, attachment: u32) -> bool {
        self.pass.subpasses[self.subpass + 1..]
            .iter()
            .any(|subpass| subpass.uses(attachment))
    }

    fn clear_value(&self, attachment: u32) -> [u32; 4] {
        self.clears.get(attachment as usize).copied().unwrap_or_default()
    }

    fn base_scope(&self, view_mask: u32) -> Scope {
        Scope {
            area: self.area,
            layers: if view_mask == 0 { self.layers } else { 1 },
            view_mask,
            samples: 1,
            ..Scope::default()
        }
    }

    fn scope(&self, subpass: &Subpass) -> Scope {
        let color = |n: usize, index: Option<u32>| {
            let index = index?;
            let resolve = subpass.resolves.get(n).copied().flatten();
            let to = resolve.and_then(|to| self.views.get(to as usize)?.color.clone());
            let mut target = self.target(subpass, index, Aspect::COLOR)?;
            let mode = if is_integer(target.attachment.format) {
                vk::ResolveModeFlags::SAMPLE_ZERO
            } else {
                vk::ResolveModeFlags::AVERAGE
            };
            target.resolve = to.map(|to| (to, mode));
            Some(target)
        };
        let mut scope = self.base_scope(subpass.view_mask);
        scope.colors = subpass
            .colors
            .iter()
            .enumerate()
            .map(|(n, &index)| color(n, index))
            .collect();
        if let Some(index) = subpass.depth_stencil {
            scope.depth = self.target(subpass, index, Aspect::DEPTH);
            scope.stencil = self.target(subpass, index, Aspect::STENCIL);
        }
        let view = subpass
            .depth_stencil_resolve
            .and_then(|to| self.views.get(to as usize));
        if let Some(view) = view {
            resolve_to(
                scope.depth.as_mut(),
                view.depth.clone(),
                subpass.depth_resolve_mode,
            );
            resolve_to(
                scope.stencil.as_mut(),
                view.stencil.clone(),
                subpass.stencil_resolve_mode,
            );
        }
        scope
    }

    fn target(&self, subpass: &Subpass, index: u32, aspect: Aspect) -> Option<Target> {
        let desc = self.pass.attachments.get(index as usize)?;
        let view = self.views.get(index as usize)?;
        let clear = self.clear_value(index);
        let stencil = aspect == Aspect::STENCIL;
        let (load, store) = if stencil {
            (desc.stencil_load, desc.stencil_store)
        } else {
            (desc.load, desc.store)
        };
        let attachment = match aspect {
            Aspect::COLOR => view.color.clone(),
            Aspect::DEPTH => view.depth.clone(),
            _ => view.stencil.clone(),
        }?;
        let first = self.fresh_views(subpass, index) == mask(subpass.view_mask);
        let load = if first { load } else { vk::AttachmentLoadOp::LOAD };
        Some(Target {
            attachment,
            load: load_of(load, if stencil { stencil_value(clear) } else { clear }),
            store: self.used_later(index) || store == vk::AttachmentStoreOp::STORE,
            resolve: None,
        })
    }

    /// A scope that does nothing but clear one attachment, if that is its load operation.
    fn clear_scope(&self, index: u32, view_mask: u32) -> Option<[Command; 2]> {
        let desc = self.pass.attachments.get(index as usize)?;
        let view = self.views.get(index as usize)?;
        let value = self.clear_value(index);
        let target = |attachment: Option<Attachment>, op: vk::AttachmentLoadOp, value| {
            let load = load_of(op, value);
            let clears = matches!(load, Load::Clear(_));
            attachment.filter(|_| clears).map(|attachment| Target {
                attachment,
                load,
                store: true,
                resolve: None,
            })
        };
        let mut scope = self.base_scope(view_mask);
        scope
            .colors
            .extend(target(view.color.clone(), desc.load, value).map(Some));
        scope.depth = target(view.depth.clone(), desc.load, value);
        scope.stencil = target(view.stencil.clone(), desc.stencil_load, stencil_value(value));
        let any = !scope.colors.is_empty() || scope.depth.is_some() || scope.stencil.is_some();
        any.then(|| [Command::BeginScope(Box::new(scope)), Command::EndScope])
    }
}

fn resolve_to(target: Option<&mut Target>, to: Option<Attachment>, mode: vk::ResolveModeFlags) {
    if let (Some(target), Some(to), false) = (target, to, mode.is_empty()) {
        target.resolve = Some((to, mode));
    }
}

/// The views of a mask; without multiview, one.
fn mask(view_mask: u32) -> u32 {
    view_mask.max(1)
}

/// Whether a format's texels are integers, which a resolve does not average.
fn is_integer(format: vk::Format) -> bool {
    use crate::resource::format::{Format, Numeric};
    Format::of(format).is_some_and(|format| format.numeric() != Numeric::Float)
}

impl Footprint for RenderPass {
    fn footprint(&self) -> u64 {
        let lists = self
            .subpasses
            .iter()
            .map(|s| bytes_in(&s.colors) + bytes_in(&s.resolves) + bytes_in(&s.inputs));
        bytes_of(self) + bytes_in(&self.attachments) + bytes_in(&self.subpasses) + lists.sum::<u64>()
    }
}

impl Footprint for Framebuffer {
    fn footprint(&self) -> u64 {
        bytes_of(self) + bytes_in(&self.views)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view() -> AttachmentView {
        AttachmentView {
            color: Some(Attachment {
                format: vk::Format::R8G8B8A8_UNORM,
                address: 0,
                row_pitch: 0,
                layer_pitch: 0,
                sample_pitch: 0,
                samples: 1,
                width: 1,
                height: 1,
            }),
            ..AttachmentView::default()
        }
    }

    #[test]
    fn what_shaders_may_read_is_cleared_before_the_scope() {
        let attachment = |is_read| RenderingAttachment {
            view: view(),
            resolve: None,
            load: vk::AttachmentLoadOp::CLEAR,
            store: vk::AttachmentStoreOp::DONT_CARE,
            clear: [1; 4],
            is_read,
        };
        let rendering = Rendering {
            colors: vec![Some(attachment(false)), Some(attachment(true))],
            ..Rendering::default()
        };
        let clears = |scope: &Scope| -> Vec<bool> {
            let target = |target: &Option<Target>| {
                target
                    .as_ref()
                    .is_some_and(|target| matches!(target.load, Load::Clear(_)))
            };
            scope.colors.iter().map(target).collect()
        };
        assert_eq!(clears(&rendering.clears().expect("one is read")), [false, true]);
        assert_eq!(clears(&rendering.scope()), [true, false]);
        let resuming = Rendering {
            flags: vk::RenderingFlags::RESUMING,
            ..rendering
        };
        assert!(resuming.clears().is_none());
    }

    fn pass(subpasses: Vec<Subpass>) -> PassInstance {
        let desc = AttachmentDesc {
            format: vk::Format::R8G8B8A8_UNORM,
            samples: 1,
            load: vk::AttachmentLoadOp::CLEAR,
            store: vk::AttachmentStoreOp::DONT_CARE,
            stencil_load: vk::AttachmentLoadOp::DONT_CARE,
            stencil_store: vk::AttachmentStoreOp::DONT_CARE,
        };
        let pass = RenderPass {
            attachments: vec![desc],
            subpasses,
        };
        let framebuffer = Framebuffer {
            views: vec![view()],
            layers: 1,
            ..Framebuffer::default()
        };
        PassInstance::new(
            Arc::new(pass),
            &framebuffer,
            Vec::new(),
            vk::Rect2D::default(),
            vec![[7; 4]],
        )
    }

    fn drawing(view_mask: u32) -> Subpass {
        Subpass {
            colors: vec![Some(0)],
            view_mask,
            ..Subpass::default()
        }
    }

    fn scopes(commands: &[Command]) -> Vec<(u32, Option<bool>, bool)> {
        let scope = |command: &Command| match command {
            Command::BeginScope(scope) => {
                let target = scope.colors.first().and_then(Option::as_ref);
                let clears = target.map(|target| matches!(target.load, Load::Clear(_)));
                Some((scope.view_mask, clears, target.is_some_and(|target| target.store)))
            }
            _ => None,
        };
        commands.iter().filter_map(scope).collect()
    }

    #[test]
    fn the_first_use_loads_and_the_last_stores() {
        let mut pass = pass(vec![drawing(0), drawing(0)]);
        assert_eq!(scopes(&pass.begin()), [(0, Some(true), true)]);
        pass.advance();
        assert_eq!(scopes(&pass.begin()), [(0, Some(false), false)]);
    }

    #[test]
    fn an_attachment_that_is_first_read_is_cleared_before() {
        let input = Subpass {
            inputs: vec![Some(0)],
            ..Subpass::default()
        };
        assert_eq!(
            scopes(&pass(vec![input]).begin()),
            [(0, Some(true), true), (0, None, false)]
        );
    }

    #[test]
    fn views_are_cleared_at_their_own_first_use() {
        let mut pass = pass(vec![drawing(0b01), drawing(0b11)]);
        assert_eq!(scopes(&pass.begin()), [(0b01, Some(true), true)]);
        pass.advance();
        assert_eq!(
            scopes(&pass.begin()),
            [(0b10, Some(true), true), (0b11, Some(false), false)]
        );
    }
}
