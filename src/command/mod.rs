//! Recorded commands and their executor.
#![forbid(unsafe_code)]

mod attribute;
mod buffer;
mod compute_transfer;
mod describe;
mod dynamic;
mod exec;
mod host;
#[cfg(test)]
mod hostile;
mod list;
mod live;
mod masked;
mod named;
mod planned;
mod poison;
mod recorder;
mod regions;
mod render_pass;
mod state;
mod transfer;

pub use attribute::{Fault, Scene, attribute};
pub use buffer::{Begin, CommandBuffer};
pub use dynamic::StateValue;
pub use exec::{Halt, execute};
pub use host::{HostCopy, NoMemory, copy_on_host};
pub use list::{BindPoint, Bytes, Command, CommandList, CopyQueries, Indirect, Span};
pub use masked::MaskedFaults;
pub use planned::{Scheduled, pipeline_hash, schedule, shader_hash};
pub use poison::{Undefined, of_image as undefined_image};
pub use recorder::Recorder;
pub use render_pass::{
    AttachmentDesc, AttachmentView, Framebuffer, PassInstance, RenderPass, Rendering, RenderingAttachment,
    Subpass,
};
pub use transfer::{
    BufferCopy, BufferImageCopy, Clear, ImageBlit, ImageCopy, ImageLevel, ImageResolve, Region, Rows,
};

/// A label's name, cut to a sensible length.
fn fits(name: &str) -> Box<str> {
    const LONGEST: usize = 1024;
    let end = (0..=name.len().min(LONGEST))
        .rev()
        .find(|&end| name.is_char_boundary(end));
    name[..end.unwrap_or(0)].into()
}
