//! Commands for people: their names in Vulkan, and their parameters in short.

use super::dynamic::StateValue;
use super::list::{Command, CommandList, Indirect};
use super::transfer::{BufferCopy, BufferImageCopy, Region};
use crate::resource::format::Format;
use std::fmt::Write as _;

/// Regions of a copy that are written out.
const REGIONS: usize = 4;

impl Command {
    /// Its name in Vulkan; what several commands of Vulkan become has a name of its own.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Command::BindGraphics(..) | Command::BindCompute(..) => "vkCmdBindPipeline",
            Command::BindShader { .. } => "vkCmdBindShadersEXT",
            Command::BindSet { .. } => "vkCmdBindDescriptorSets",
            Command::BindHeap { sampler: false, .. } => "vkCmdBindResourceHeapEXT",
            Command::BindHeap { sampler: true, .. } => "vkCmdBindSamplerHeapEXT",
            Command::Push { .. } => "vkCmdPushConstants",
            Command::BindVertexBuffer { .. } => "vkCmdBindVertexBuffers",
            Command::BindIndexBuffer { .. } => "vkCmdBindIndexBuffer",
            Command::SetState(value) => state_name(value),
            Command::Draw { .. } => "vkCmdDraw",
            Command::DrawIndexed { .. } => "vkCmdDrawIndexed",
            Command::DrawIndirect(indirect) => match (indirect.indexed, indirect.count_address != 0) {
                (false, false) => "vkCmdDrawIndirect",
                (true, false) => "vkCmdDrawIndexedIndirect",
                (false, true) => "vkCmdDrawIndirectCount",
                (true, true) => "vkCmdDrawIndexedIndirectCount",
            },
            Command::Dispatch { base: [0, 0, 0], .. } => "vkCmdDispatch",
            Command::Dispatch { .. } => "vkCmdDispatchBase",
            Command::DispatchIndirect { .. } => "vkCmdDispatchIndirect",
            Command::BeginScope(_) => "begin rendering",
            Command::EndScope => "end rendering",
            Command::ClearAttachments(_) => "vkCmdClearAttachments",
            Command::Barrier => "vkCmdPipelineBarrier",
            Command::Poison(_) => "undefined contents",
            Command::CopyBuffer(_) => "vkCmdCopyBuffer",
            Command::FillBuffer { .. } => "vkCmdFillBuffer",
            Command::UpdateBuffer { .. } => "vkCmdUpdateBuffer",
            Command::CopyImage(_) => "vkCmdCopyImage",
            Command::CopyBufferToImage(_) => "vkCmdCopyBufferToImage",
            Command::CopyImageToBuffer(_) => "vkCmdCopyImageToBuffer",
            Command::BlitImage(_) => "vkCmdBlitImage",
            Command::ResolveImage(_) => "vkCmdResolveImage",
            Command::ClearImage(clears) => {
                let format = clears
                    .first()
                    .and_then(|clear| Format::of(clear.region.level.format));
                if format.is_some_and(Format::is_depth_stencil) {
                    "vkCmdClearDepthStencilImage"
                } else {
                    "vkCmdClearColorImage"
                }
            }
            Command::SetEvent(_) => "vkCmdSetEvent",
            Command::ResetEvent(_) => "vkCmdResetEvent",
            Command::WaitEvents { .. } => "vkCmdWaitEvents",
            Command::BeginQuery { .. } => "vkCmdBeginQuery",
            Command::EndQuery { .. } => "vkCmdEndQuery",
            Command::ResetQueries { .. } => "vkCmdResetQueryPool",
            Command::WriteTimestamp { .. } => "vkCmdWriteTimestamp",
            Command::CopyQueryResults(_) => "vkCmdCopyQueryPoolResults",
            Command::BeginConditional { .. } => "vkCmdBeginConditionalRenderingEXT",
            Command::EndConditional => "vkCmdEndConditionalRenderingEXT",
            Command::BeginLabel(_) => "vkCmdBeginDebugUtilsLabelEXT",
            Command::EndLabel => "vkCmdEndDebugUtilsLabelEXT",
            Command::InsertLabel(_) => "vkCmdInsertDebugUtilsLabelEXT",
            Command::Execute(_) => "vkCmdExecuteCommands",
            Command::Checkpoint(_) => "vkCmdSetCheckpointNV",
            Command::WriteMarker { .. } => "vkCmdWriteBufferMarkerAMD",
        }
    }

    /// Its parameters in short, or nothing.
    #[must_use]
    pub fn parameters(&self) -> String {
        match self {
            Command::Draw {
                vertices,
                instances,
                first_vertex,
                first_instance,
                ..
            } => format!(
                "vertices {vertices}, instances {instances}, first vertex {first_vertex}, \
                 first instance {first_instance}"
            ),
            Command::DrawIndexed {
                indices,
                instances,
                first_index,
                vertex_offset,
                first_instance,
                ..
            } => format!(
                "indices {indices}, instances {instances}, first index {first_index}, \
                 vertex offset {vertex_offset}, first instance {first_instance}"
            ),
            Command::DrawIndirect(indirect) => indirect_text(indirect),
            Command::Dispatch { base, groups } => match base {
                [0, 0, 0] => format!("groups {}", triple(*groups)),
                _ => format!("groups {} from {}", triple(*groups), triple(*base)),
            },
            Command::DispatchIndirect { address } => format!("parameters at {address:#x}"),
            Command::BeginScope(scope) => {
                let area = scope.area;
                format!(
                    "{}x{} from ({}, {}), {} color target(s), {} layer(s)",
                    area.extent.width,
                    area.extent.height,
                    area.offset.x,
                    area.offset.y,
                    scope.colors.iter().flatten().count(),
                    scope.layers
                )
            }
            Command::BindSet { index, address, .. } => format!("set {index} at {address:#x}"),
            Command::Push { offset, data } => format!("offset {offset}, bytes {}", data.len),
            Command::BindVertexBuffer { binding, bytes, .. } => {
                format!("binding {binding}: {} bytes at {:#x}", bytes.size, bytes.address)
            }
            Command::BindHeap { bytes, .. } => format!("{} bytes at {:#x}", bytes.size, bytes.address),
            Command::BindIndexBuffer { bytes, index_type } => {
                format!("{index_type:?}: {} bytes at {:#x}", bytes.size, bytes.address)
            }
            Command::BeginLabel(name) | Command::InsertLabel(name) => name.to_string(),
            Command::BeginQuery { index, .. }
            | Command::EndQuery { index, .. }
            | Command::WriteTimestamp { index, .. } => format!("query {index}"),
            Command::ResetQueries { first, count, .. } => format!("{count} from query {first}"),
            Command::WaitEvents { events, .. } => format!("{} event(s)", events.len()),
            Command::Execute(list) => format!("{} commands", list.total()),
            _ => self.transfer_parameters(),
        }
    }

    fn transfer_parameters(&self) -> String {
        match self {
            Command::CopyBuffer(copies) => regions(copies, |out, copy: &BufferCopy| {
                write!(out, "{} bytes {:#x} -> {:#x}", copy.size, copy.src, copy.dst)
            }),
            Command::FillBuffer { bytes, word } => {
                format!("{} bytes at {:#x} with {word:#x}", bytes.size, bytes.address)
            }
            Command::Checkpoint(marker) => format!("{marker:#x}"),
            Command::WriteMarker { address, marker } => format!("{marker:#x} at {address:#x}"),
            Command::UpdateBuffer { address, data } => format!("{} bytes at {address:#x}", data.len),
            Command::CopyImage(copies) => regions(copies, |out, copy| {
                write!(out, "{} -> {}", region(&copy.src), region(&copy.dst))
            }),
            Command::CopyBufferToImage(copies) => regions(copies, |out, copy: &BufferImageCopy| {
                write!(out, "{:#x} -> {}", copy.buffer.address, region(&copy.image))
            }),
            Command::CopyImageToBuffer(copies) => regions(copies, |out, copy: &BufferImageCopy| {
                write!(out, "{} -> {:#x}", region(&copy.image), copy.buffer.address)
            }),
            Command::BlitImage(blits) => regions(blits, |out, blit| {
                write!(
                    out,
                    "{} -> {}",
                    region(&blit.src.whole()),
                    region(&blit.dst.whole())
                )
            }),
            Command::ResolveImage(resolves) => regions(resolves, |out, resolve| {
                write!(out, "{} -> {}", region(&resolve.src), region(&resolve.dst))
            }),
            Command::ClearImage(clears) => {
                regions(clears, |out, clear| write!(out, "{}", region(&clear.region)))
            }
            Command::CopyQueryResults(copy) => {
                format!(
                    "{} from query {} to {:#x}",
                    copy.count, copy.first, copy.dst.address
                )
            }
            _ => String::new(),
        }
    }
}

impl CommandList {
    /// Which of the commands of its name the command at `index` is, from 1.
    #[must_use]
    pub fn nth(&self, index: usize) -> u32 {
        let Some(name) = self.commands.get(index).map(Command::name) else {
            return 0;
        };
        let same = self.commands[..=index]
            .iter()
            .filter(|command| command.name() == name);
        u32::try_from(same.count()).unwrap_or(u32::MAX)
    }
}

fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

fn region(region: &Region) -> String {
    format!(
        "{} texels {} from {} at {:#x}",
        format_args!("{:?}", region.level.format),
        triple(region.extent),
        triple(region.offset),
        region.level.address
    )
}

/// The first regions of a copy, and how many more there are.
fn regions<T>(all: &[T], mut one: impl FnMut(&mut String, &T) -> std::fmt::Result) -> String {
    let mut out = String::new();
    for (i, item) in all.iter().take(REGIONS).enumerate() {
        if i > 0 {
            out.push_str("; ");
        }
        // Writing to a string cannot fail.
        let _ = one(&mut out, item);
    }
    if all.len() > REGIONS {
        let _ = write!(out, "; and {} more", all.len() - REGIONS);
    }
    out
}

fn indirect_text(indirect: &Indirect) -> String {
    let Indirect {
        params,
        stride,
        count,
        count_address,
        ..
    } = indirect;
    let mut text = format!(
        "draws {count}, parameters at {:#x}, stride {stride}",
        params.address
    );
    if *count_address != 0 {
        let _ = write!(text, ", count at {count_address:#x}");
    }
    text
}

fn state_name(value: &StateValue) -> &'static str {
    match value {
        StateValue::Locations(_) => "vkCmdSetRenderingAttachmentLocationsKHR",
        StateValue::Viewport(_) => "vkCmdSetViewport",
        StateValue::Scissor(_) => "vkCmdSetScissor",
        StateValue::LineWidth(_) => "vkCmdSetLineWidth",
        StateValue::DepthBias(_) => "vkCmdSetDepthBias",
        StateValue::BlendConstants(_) => "vkCmdSetBlendConstants",
        _ => "vkCmdSet*",
    }
}
