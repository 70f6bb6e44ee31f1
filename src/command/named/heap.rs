//! Which descriptors in heaps name an address: any of them, since shaders compute where they are.

use super::{BindingRef, MOST, OWN_BYTES, Range, Scan, texel_bytes};
use crate::command::list::Bytes;
use crate::descriptor::{BufferDescriptor, ImageDescriptor, KIND_MARK, TexelBufferDescriptor};
use crate::memory::{Place, raw};
use crate::vk::DescriptorType as Ty;

/// Bytes of a heap that are looked at.
const LOOKED_AT: u64 = 16 << 20;
/// Where descriptors can begin.
const STEP: u64 = 16;

/// Adds what the resource and the sampler heap have for the address.
pub(super) fn scan(scan: &mut Scan<'_>, heaps: &[Bytes; 2], out: &mut Vec<BindingRef>) {
    for (name, heap) in ["resource heap", "sampler heap"].into_iter().zip(heaps) {
        let whole = Range {
            address: heap.address,
            size: heap.size,
        };
        if whole.holds(scan.address) {
            // Bytes that should have been a descriptor; they need not be there any more.
            let offset = scan.address - heap.address;
            out.push(BindingRef {
                kind: format!("{OWN_BYTES}descriptor in the {name} at offset {offset:#x}"),
                address: format!("{:#x}", scan.address),
                size: heap.size - offset,
                ..BindingRef::default()
            });
        }
    }
    let heap = heaps[0];
    let Place::Live(record) = scan.memory.locate(heap.address) else {
        return;
    };
    let end = (record.address + record.size).min(heap.address + heap.size.min(LOOKED_AT));
    let mut at = heap.address;
    while at + STEP <= end && out.len() < MOST {
        let Some((kind, ty, range)) = found(scan, at, end - at) else {
            at += STEP;
            continue;
        };
        if out.is_empty() {
            scan.texel = texel_bytes(ty, at);
        }
        let offset = at - heap.address;
        out.push(BindingRef {
            kind: format!("{kind} in the resource heap at offset {offset:#x}"),
            address: format!("{:#x}", range.address),
            size: range.size,
            ..BindingRef::default()
        });
        at += STEP;
    }
}

/// The descriptor at `at`, of which `room` bytes can be read, if it names the address.
fn found(scan: &Scan<'_>, at: u64, room: u64) -> Option<(&'static str, Ty, Range)> {
    let fits = |size: usize| size as u64 <= room;
    let buffer: BufferDescriptor = raw::load(at);
    if buffer.mark == BufferDescriptor::MARK {
        let (address, size) = (buffer.address, u64::from(buffer.range));
        let range = Range { address, size };
        return range
            .holds(scan.address)
            .then_some(("buffer", Ty::STORAGE_BUFFER, range));
    }
    let marked = |kind: u64| kind >> 48 == KIND_MARK >> 48;
    if fits(size_of::<TexelBufferDescriptor>()) {
        let texels: TexelBufferDescriptor = raw::load(at);
        if marked(texels.kind) {
            let range = Range {
                address: texels.address,
                size: u64::from(texels.count) * u64::from(texels.stride),
            };
            let holds = range.holds(scan.address);
            return holds.then_some(("texel buffer", Ty::STORAGE_TEXEL_BUFFER, range));
        }
    }
    if fits(size_of::<ImageDescriptor>()) {
        let image: ImageDescriptor = raw::load(at);
        if marked(image.kind) {
            let range = scan.image(image)?;
            return Some(("image", Ty::SAMPLED_IMAGE, range));
        }
    }
    None
}
