//! Which of the bound things name an address: descriptors, vertex and index buffers, parameters of indirect commands.

use super::attribute::point_of;
use super::list::{BindPoint, Command, CommandList};
use super::state::{Bound, Sets};
use crate::descriptor::{BufferDescriptor, ImageDescriptor, TexelBufferDescriptor};
use crate::device::Device;
use crate::fault::attribution::BindingRef;
use crate::memory::{Memory, Object, Place, raw};
use crate::pipeline::{LayoutBinding, ResourceLayout};
use crate::resource::MAX_IMAGE_SIZE;
use crate::shader::sampling;
use crate::vk;
use vk::DescriptorType as Ty;

mod heap;

/// Bindings that one address is explained with.
const MOST: usize = 8;

/// What the kind of a descriptor begins with that is itself at fault.
const OWN_BYTES: &str = "bytes of a ";

/// A range that something names.
#[derive(Clone, Copy)]
struct Range {
    address: u64,
    size: u64,
}

impl Range {
    fn holds(self, address: u64) -> bool {
        address >= self.address && address - self.address < self.size
    }
}

/// What is bound at `command` and names `address`; of texels also how many bytes one has, by the first of them.
pub(super) fn bindings(
    device: &Device,
    bound: &Bound,
    list: &CommandList,
    command: &Command,
    address: u64,
) -> (Vec<BindingRef>, Option<u64>) {
    let (mut out, mut texel) = (Vec::new(), None);
    let mut plain = |kind: &str, binding: Option<u32>, range: Range| {
        if range.holds(address) {
            out.push(BindingRef {
                kind: kind.to_owned(),
                binding,
                address: format!("{:#x}", range.address),
                size: range.size,
                ..BindingRef::default()
            });
        }
    };
    match command {
        Command::DrawIndirect(indirect) => {
            let (address, size) = (indirect.params.address, indirect.params.size);
            plain("indirect parameters", None, Range { address, size });
            let address = indirect.count_address;
            plain("draw count", None, Range { address, size: 4 });
        }
        &Command::DispatchIndirect { address } => {
            plain("indirect parameters", None, Range { address, size: 12 });
        }
        _ => {}
    }
    let Some(point) = point_of(command) else {
        return (out, None);
    };
    if point == BindPoint::Graphics {
        for (binding, buffer) in (0..).zip(bound.vertex_buffers()) {
            let (address, size) = (buffer.address, u64::from(buffer.size));
            plain("vertex buffer", Some(binding), Range { address, size });
        }
        let bytes = bound.index_buffer();
        plain(
            "index buffer",
            None,
            Range {
                address: bytes.address,
                size: bytes.size,
            },
        );
    }
    if let (Some((sets, layout)), Some(memory)) = (bound.sets(point), device.memory()) {
        let mut scan = Scan {
            memory,
            list,
            address,
            object: object_of(memory, address),
            texel: None,
        };
        let others = out.len();
        if layout.heaps {
            heap::scan(&mut scan, &bound.heaps, &mut out);
        } else {
            scan.sets(sets, layout, &mut out);
        }
        texel = scan.texel.filter(|_| others == 0);
    }
    out.truncate(MOST);
    (out, texel)
}

/// The smallest thing that lies or lay at an address, which an image's descriptor is recognized by.
fn object_of(memory: &Memory, address: u64) -> Option<Range> {
    let found = memory.history().at(address, memory.history().now());
    let all = found.resources.iter().chain(&found.former);
    let range = |object: &Object| Range {
        address: object.address,
        size: object.size,
    };
    let resource = all.min_by_key(|object| object.size);
    resource.or(found.freed.as_ref()).map(range)
}

struct Scan<'s> {
    memory: &'s Memory,
    list: &'s CommandList,
    address: u64,
    object: Option<Range>,
    /// Bytes of a texel of the first thing found.
    texel: Option<u64>,
}

impl Scan<'_> {
    fn sets(&mut self, sets: &Sets, layout: &ResourceLayout, out: &mut Vec<BindingRef>) {
        for (number, bindings) in layout.sets.iter().enumerate() {
            let (base, offsets) = sets.of(number);
            for binding in bindings {
                let own = if is_dynamic(binding) {
                    offsets
                        .get(dynamic_before(bindings, binding)..)
                        .unwrap_or_default()
                } else {
                    &[]
                };
                self.binding(number as u32, base, binding, own, out);
                if out.len() >= MOST {
                    return;
                }
            }
        }
    }

    fn binding(
        &mut self,
        set: u32,
        base: u64,
        binding: &LayoutBinding,
        offsets: &[u32],
        out: &mut Vec<BindingRef>,
    ) {
        for element in 0..binding.count {
            let at = base + u64::from(binding.offset) + u64::from(element) * u64::from(binding.stride);
            if base == 0 || out.len() >= MOST {
                return;
            }
            let dynamic_offset = offsets.get(element as usize).copied();
            let ty = binding.descriptor_type;
            // A descriptor whose bytes cannot be right is at fault itself.
            let own = Range {
                address: at,
                size: u64::from(binding.stride),
            };
            let (kind, range) = if own.holds(self.address) {
                // They need not be there any more.
                (format!("{OWN_BYTES}{}", kind(ty)), own)
            } else if !self.readable(at, own.size) {
                return;
            } else if let Some(range) = self.named(ty, at, dynamic_offset.unwrap_or(0)) {
                (kind(ty).to_owned(), range)
            } else {
                continue;
            };
            if out.is_empty() && !own.holds(self.address) {
                self.texel = texel_bytes(ty, at);
            }
            out.push(BindingRef {
                kind,
                set: Some(set),
                binding: Some(binding.binding),
                element: (binding.count > 1).then_some(element),
                dynamic_offset,
                address: format!("{:#x}", range.address),
                size: range.size,
            });
        }
    }

    /// Whether a descriptor's bytes can be read.
    fn readable(&self, at: u64, size: u64) -> bool {
        match self.memory.locate(at) {
            Place::Live(record) => at - record.address + size <= record.size,
            Place::Outside => self.list.has_set_bytes(at, size),
            _ => false,
        }
    }

    /// The range that the descriptor at `at` names, if the address belongs to it.
    fn named(&self, ty: Ty, at: u64, dynamic: u32) -> Option<Range> {
        match ty {
            Ty::UNIFORM_BUFFER
            | Ty::STORAGE_BUFFER
            | Ty::UNIFORM_BUFFER_DYNAMIC
            | Ty::STORAGE_BUFFER_DYNAMIC => {
                let buffer: BufferDescriptor = raw::load(at);
                let range = Range {
                    address: buffer.address.wrapping_add(u64::from(dynamic)),
                    size: u64::from(buffer.range),
                };
                (buffer.address != 0 && range.holds(self.address)).then_some(range)
            }
            Ty::UNIFORM_TEXEL_BUFFER | Ty::STORAGE_TEXEL_BUFFER => {
                let buffer: TexelBufferDescriptor = raw::load(at);
                let range = Range {
                    address: buffer.address,
                    size: u64::from(buffer.count) * u64::from(buffer.stride),
                };
                (buffer.address != 0 && range.holds(self.address)).then_some(range)
            }
            Ty::SAMPLED_IMAGE | Ty::STORAGE_IMAGE | Ty::INPUT_ATTACHMENT | Ty::COMBINED_IMAGE_SAMPLER => {
                self.image(raw::load(at))
            }
            _ => None,
        }
    }

    /// The range of an image, if the address belongs to it.
    fn image(&self, image: ImageDescriptor) -> Option<Range> {
        // Where nothing ever was, the image's size is not known.
        let size = match self.object {
            Some(object) if object.holds(image.address) => object.address + object.size - image.address,
            None if image.address != 0 => MAX_IMAGE_SIZE,
            _ => return None,
        };
        let range = Range {
            address: image.address,
            size,
        };
        range.holds(self.address).then_some(range)
    }
}

/// Bytes of a texel (of a block) of what the descriptor at `at` names, if it is read by texels.
fn texel_bytes(ty: Ty, at: u64) -> Option<u64> {
    let kind = match ty {
        Ty::UNIFORM_TEXEL_BUFFER | Ty::STORAGE_TEXEL_BUFFER => raw::load::<TexelBufferDescriptor>(at).kind,
        Ty::SAMPLED_IMAGE | Ty::STORAGE_IMAGE | Ty::INPUT_ATTACHMENT | Ty::COMBINED_IMAGE_SAMPLER => {
            raw::load::<ImageDescriptor>(at).kind
        }
        _ => return None,
    };
    sampling::texel_bytes(kind).map(u64::from)
}

fn is_dynamic(binding: &LayoutBinding) -> bool {
    matches!(
        binding.descriptor_type,
        Ty::UNIFORM_BUFFER_DYNAMIC | Ty::STORAGE_BUFFER_DYNAMIC
    )
}

/// Dynamic descriptors of a set before those of `binding`.
fn dynamic_before(bindings: &[LayoutBinding], binding: &LayoutBinding) -> usize {
    let before = bindings
        .iter()
        .filter(|other| is_dynamic(other) && other.binding < binding.binding);
    before.map(|other| other.count as usize).sum()
}

/// The address of a descriptor that is itself at fault.
pub(super) fn own_bytes(binding: &BindingRef) -> Option<u64> {
    let address = binding
        .address
        .strip_prefix("0x")
        .filter(|_| binding.kind.starts_with(OWN_BYTES))?;
    u64::from_str_radix(address, 16).ok()
}

/// Whether a binding is read texel by texel.
pub(super) fn is_of_texels(binding: &BindingRef) -> bool {
    ["image", "texel", "attachment"]
        .iter()
        .any(|word| binding.kind.contains(word))
}

fn kind(ty: Ty) -> &'static str {
    match ty {
        Ty::UNIFORM_BUFFER => "uniform buffer",
        Ty::STORAGE_BUFFER => "storage buffer",
        Ty::UNIFORM_BUFFER_DYNAMIC => "dynamic uniform buffer",
        Ty::STORAGE_BUFFER_DYNAMIC => "dynamic storage buffer",
        Ty::UNIFORM_TEXEL_BUFFER => "uniform texel buffer",
        Ty::STORAGE_TEXEL_BUFFER => "storage texel buffer",
        Ty::SAMPLED_IMAGE => "sampled image",
        Ty::STORAGE_IMAGE => "storage image",
        Ty::INPUT_ATTACHMENT => "input attachment",
        Ty::COMBINED_IMAGE_SAMPLER => "combined image sampler",
        Ty::SAMPLER => "sampler",
        _ => "descriptor",
    }
}
