//! A pattern where contents are undefined, to find missing initialization: attachments that are not loaded or not stored,
//! images that leave the undefined layout. Only recorded where it is asked for.

use super::list::Command;
use super::render_pass::{AttachmentView, PassInstance, Rendering, RenderingAttachment};
use crate::memory::raw;
use crate::raster::Attachment;
use crate::resource::Image;
use crate::resource::format::Format;
use crate::vk;

/// Bytes that become the pattern: rows at a pitch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undefined {
    pub(super) address: u64,
    pub(super) bytes: u64,
    pub(super) rows: u64,
    pub(super) pitch: u64,
}

impl Undefined {
    /// Bytes from the first to the last.
    pub(super) fn span(&self) -> u64 {
        self.rows.saturating_sub(1) * self.pitch + self.bytes
    }

    pub(super) fn fill(&self, byte: u8) {
        for row in 0..self.rows {
            raw::fill(self.address + row * self.pitch, byte, self.bytes as usize);
        }
    }
}

/// The command, if there is something to do.
pub(super) fn command(byte: u8, rows: Vec<Undefined>) -> Option<Command> {
    (!rows.is_empty()).then(|| Command::Poison(Box::new((byte, rows))))
}

/// What of a range of an image becomes undefined: all of it.
#[must_use]
pub fn of_image(image: &Image, range: &vk::ImageSubresourceRange) -> Vec<Undefined> {
    let (levels, layers) = image.resolve(range, false);
    let mut all = vec![];
    for plane in image
        .layout()
        .planes
        .iter()
        .filter(|p| p.is_of(range.aspect_mask))
    {
        for layer in range.base_array_layer..range.base_array_layer + layers {
            for level in range.base_mip_level..range.base_mip_level + levels {
                let Some(at) = image.subresource(plane.aspect, level, layer) else {
                    continue;
                };
                let bytes = at.slice_pitch * u64::from(at.extent[2]);
                all.push(Undefined {
                    address: at.address,
                    bytes,
                    rows: image.info().samples.into(),
                    pitch: at.sample_pitch,
                });
            }
        }
    }
    all
}

/// The part of an attachment in an area.
fn of_attachment(
    attachment: &Attachment,
    area: vk::Rect2D,
    layers: impl Iterator<Item = u32>,
    all: &mut Vec<Undefined>,
) {
    let Some(texel) = Format::of(attachment.format).map(|format| u64::from(format.bytes)) else {
        return;
    };
    let clip = |at: i32, size: u32, end: u32| {
        let first = i64::from(at).clamp(0, end.into());
        (
            first as u64,
            (i64::from(at) + i64::from(size)).clamp(first, end.into()) as u64,
        )
    };
    let (left, right) = clip(area.offset.x, area.extent.width, attachment.width);
    let (top, bottom) = clip(area.offset.y, area.extent.height, attachment.height);
    if left == right || top == bottom {
        return;
    }
    for layer in layers {
        for sample in 0..u64::from(attachment.samples) {
            all.push(Undefined {
                address: attachment.address
                    + u64::from(layer) * attachment.layer_pitch
                    + sample * attachment.sample_pitch
                    + top * attachment.row_pitch
                    + left * texel,
                bytes: (right - left) * texel,
                rows: bottom - top,
                pitch: attachment.row_pitch,
            });
        }
    }
}

/// Layers that are drawn to.
fn layers(view_mask: u32, layers: u32) -> impl Iterator<Item = u32> {
    let count = if view_mask == 0 { layers } else { u32::BITS };
    (0..count).filter(move |layer| view_mask == 0 || view_mask & 1 << layer != 0)
}

type Pick = fn(&AttachmentView) -> Option<&Attachment>;

/// What is undefined when rendering begins, and when it ends.
pub(super) fn of_rendering(rendering: &Rendering) -> [Vec<Undefined>; 2] {
    let has = |flag| rendering.flags.contains(flag);
    let (resuming, suspending) = (
        has(vk::RenderingFlags::RESUMING),
        has(vk::RenderingFlags::SUSPENDING),
    );
    let mut found = [vec![], vec![]];
    let mut add = |attachment: &RenderingAttachment, pick: Pick| {
        let Some(target) = pick(&attachment.view) else {
            return;
        };
        let undefined = [
            attachment.load == vk::AttachmentLoadOp::DONT_CARE && !resuming,
            attachment.store == vk::AttachmentStoreOp::DONT_CARE && !suspending,
        ];
        for (list, _) in found
            .iter_mut()
            .zip(undefined)
            .filter(|(_, undefined)| *undefined)
        {
            of_attachment(
                target,
                rendering.area,
                layers(rendering.view_mask, rendering.layers),
                list,
            );
        }
    };
    rendering
        .colors
        .iter()
        .flatten()
        .for_each(|a| add(a, |view| view.color.as_ref()));
    rendering
        .depth
        .iter()
        .for_each(|a| add(a, |view| view.depth.as_ref()));
    rendering
        .stencil
        .iter()
        .for_each(|a| add(a, |view| view.stencil.as_ref()));
    found
}

/// The same for a render pass.
pub(super) fn of_pass(pass: &PassInstance) -> [Vec<Undefined>; 2] {
    let mut found = [vec![], vec![]];
    for (desc, view, view_mask) in pass.used() {
        let stencil = view
            .stencil
            .as_ref()
            .map(|a| (a, desc.stencil_load, desc.stencil_store));
        let others = [&view.color, &view.depth].into_iter().flatten();
        for (target, load, store) in others.map(|a| (a, desc.load, desc.store)).chain(stencil) {
            let undefined = [
                load == vk::AttachmentLoadOp::DONT_CARE,
                store == vk::AttachmentStoreOp::DONT_CARE,
            ];
            for (list, _) in found
                .iter_mut()
                .zip(undefined)
                .filter(|(_, undefined)| *undefined)
            {
                of_attachment(target, pass.area(), layers(view_mask, pass.layers()), list);
            }
        }
    }
    found
}
