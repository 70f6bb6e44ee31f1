//! Index fetch, restart, and which vertices make up which primitive.

use super::{Draw, Indices};
use crate::memory::raw;
use crate::vk;

/// Kind of primitive and how consecutive ones share vertices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Topology {
    Points,
    LineList,
    LineStrip,
    TriangleList,
    TriangleStrip,
    TriangleFan,
}

impl Topology {
    /// `None` for topologies that need a stage Lahar does not have.
    pub(super) fn of(topology: vk::PrimitiveTopology) -> Option<Topology> {
        Some(match topology {
            vk::PrimitiveTopology::POINT_LIST => Topology::Points,
            vk::PrimitiveTopology::LINE_LIST => Topology::LineList,
            vk::PrimitiveTopology::LINE_STRIP => Topology::LineStrip,
            vk::PrimitiveTopology::TRIANGLE_LIST => Topology::TriangleList,
            vk::PrimitiveTopology::TRIANGLE_STRIP => Topology::TriangleStrip,
            vk::PrimitiveTopology::TRIANGLE_FAN => Topology::TriangleFan,
            _ => return None,
        })
    }

    /// Primitives that `n` vertices make.
    pub(super) fn primitives(self, n: u32) -> u32 {
        match self {
            Topology::Points => n,
            Topology::LineList => n / 2,
            Topology::LineStrip => n.saturating_sub(1),
            Topology::TriangleList => n / 3,
            Topology::TriangleStrip | Topology::TriangleFan => n.saturating_sub(2),
        }
    }

    /// Vertices from one primitive to the next.
    fn step(self) -> u32 {
        match self {
            Topology::LineList => 2,
            Topology::TriangleList => 3,
            _ => 1,
        }
    }

    /// Vertices of a primitive that follow each other.
    pub(super) fn corners(self) -> u32 {
        match self {
            Topology::Points => 1,
            Topology::LineList | Topology::LineStrip => 2,
            _ => 3,
        }
    }

    /// Vertices, in the order of the run, that primitives `first..first + count` need; a fan needs vertex 0 besides.
    pub(super) fn span(self, first: u32, count: u32) -> std::ops::Range<u32> {
        let start = first * self.step();
        match self {
            Topology::TriangleFan => start + 1..start + count + 2,
            _ => start..start + (count - 1) * self.step() + self.corners(),
        }
    }

    /// Corners of primitive `first + i` as places in the list that [`Topology::span`] (behind a fan's vertex 0)
    /// gives, provoking vertex first.
    #[inline]
    pub(super) fn corner_places(self, first: u32, i: u32) -> [usize; 3] {
        let at = (i * self.step()) as usize;
        match self {
            Topology::Points => [at, at, at],
            Topology::LineList | Topology::LineStrip => [at, at + 1, at],
            Topology::TriangleStrip if !(first + i).is_multiple_of(2) => [at, at + 2, at + 1],
            Topology::TriangleFan => [at + 1, at + 2, 0],
            _ => [at, at + 1, at + 2],
        }
    }

    /// Which of these corners comes last in the order of the vertices.
    pub(super) fn last_corner(self, first: u32, i: u32) -> usize {
        match self {
            Topology::Points => 0,
            Topology::LineList | Topology::LineStrip | Topology::TriangleFan => 1,
            Topology::TriangleStrip if !(first + i).is_multiple_of(2) => 1,
            _ => 2,
        }
    }
}

/// A run of vertices between two restarts: the whole draw if there are none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    /// First vertex, counted from the draw's first.
    pub start: u32,
    pub count: u32,
}

/// Bytes of an index and the value that restarts.
fn index_shape(ty: vk::IndexType) -> (u64, u32) {
    match ty {
        vk::IndexType::UINT16 => (2, 0xffff),
        vk::IndexType::UINT8_EXT => (1, 0xff),
        _ => (4, u32::MAX),
    }
}

/// The index at a place of the index buffer; 0 beyond its end.
fn fetch(address: u64, size: u64, bytes: u64, at: u64) -> u32 {
    let offset = at * bytes;
    if offset + bytes > size {
        return 0;
    }
    match bytes {
        1 => raw::load::<u8>(address + offset).into(),
        2 => raw::load::<u16>(address + offset).into(),
        _ => raw::load(address + offset),
    }
}

/// Appends the vertex indices of `range`, counted from the draw's first vertex.
pub(super) fn vertex_indices(draw: &Draw, range: std::ops::Range<u32>, out: &mut Vec<u32>) {
    match draw.indices {
        Indices::Sequence { first } => out.extend(range.map(|i| first.wrapping_add(i))),
        Indices::Buffer {
            address,
            size,
            index_type,
            first,
            vertex_offset,
        } => {
            let (bytes, _) = index_shape(index_type);
            let index = |i: u32| {
                let index = fetch(address, size, bytes, u64::from(first) + u64::from(i));
                index.wrapping_add_signed(vertex_offset)
            };
            out.extend(range.map(index));
        }
    }
}

/// The runs of a draw.
pub(super) fn runs(draw: &Draw, topology: Topology) -> Vec<Run> {
    let whole = Run {
        start: 0,
        count: draw.count,
    };
    let strip = topology.step() == 1 && topology != Topology::Points;
    let Indices::Buffer {
        address,
        size,
        index_type,
        first,
        ..
    } = draw.indices
    else {
        return vec![whole];
    };
    if !draw.state.primitive_restart || !strip {
        return vec![whole];
    }
    let (bytes, restart) = index_shape(index_type);
    let mut runs = Vec::new();
    let mut start = 0;
    for i in 0..draw.count {
        if fetch(address, size, bytes, u64::from(first) + u64::from(i)) == restart {
            runs.push(Run {
                start,
                count: i - start,
            });
            start = i + 1;
        }
    }
    runs.push(Run {
        start,
        count: draw.count - start,
    });
    runs.retain(|run| topology.primitives(run.count) > 0);
    runs
}

/// Gives equal vertices the same slot as long as a small table remembers them.
#[derive(Debug)]
pub(super) struct VertexCache {
    entries: Vec<(u32, u32, u32)>,
    epoch: u32,
}

const CACHE_SIZE: usize = 1024;

impl Default for VertexCache {
    fn default() -> VertexCache {
        VertexCache {
            entries: vec![(0, 0, 0); CACHE_SIZE],
            epoch: 0,
        }
    }
}

impl VertexCache {
    /// Replaces `vertices` by those that differ, and gives the slot of each old one in `slots`.
    pub(super) fn unify(&mut self, vertices: &mut Vec<u32>, slots: &mut Vec<u32>) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.entries.fill((0, 0, 0));
            self.epoch = 1;
        }
        slots.clear();
        let mut unique = 0;
        for i in 0..vertices.len() {
            let vertex = vertices[i];
            let entry = &mut self.entries[vertex as usize % CACHE_SIZE];
            if (entry.0, entry.1) != (self.epoch, vertex) {
                *entry = (self.epoch, vertex, unique);
                vertices[unique as usize] = vertex;
                unique += 1;
            }
            slots.push(entry.2);
        }
        vertices.truncate(unique as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_keep_winding_and_provoking_vertex() {
        let strip: Vec<_> = (0..3)
            .map(|i| Topology::TriangleStrip.corner_places(4, i))
            .collect();
        assert_eq!(strip, [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
        let odd = Topology::TriangleStrip.corner_places(3, 0);
        assert_eq!(odd, [0, 2, 1]);
        for (first, i) in [(0, 0), (0, 1), (3, 0)] {
            let places = Topology::TriangleStrip.corner_places(first, i);
            let last = Topology::TriangleStrip.last_corner(first, i);
            assert_eq!(places[last], i as usize + 2);
        }
        // The list is vertex 0, then 3, 4, 5.
        assert_eq!(Topology::TriangleFan.span(2, 2), 3..6);
        assert_eq!(Topology::TriangleFan.corner_places(2, 1), [2, 3, 0]);
        assert_eq!(Topology::TriangleList.span(2, 2), 6..12);
        assert_eq!(Topology::LineStrip.span(2, 2), 2..5);
    }

    #[test]
    fn the_cache_keeps_order_and_merges() {
        let mut cache = VertexCache::default();
        let (mut vertices, mut slots) = (vec![5, 6, 7, 6, 5, 5 + 1024, 5], Vec::new());
        cache.unify(&mut vertices, &mut slots);
        assert_eq!(vertices, [5, 6, 7, 1029, 5]);
        assert_eq!(slots, [0, 1, 2, 1, 0, 3, 4]);
    }
}
