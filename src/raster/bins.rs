//! What the first phase of a batch leaves to the second: primitives, by tile.

use super::coverage::misses_tile;
use super::setup::PrimList;
use crate::shader::abi::TILE_SIZE;

/// The tiles of a scope.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TileGrid {
    /// Tiles a row and rows a layer.
    pub columns: u32,
    pub rows: u32,
    pub layers: u32,
}

impl TileGrid {
    /// Tiles that cover pixels from the origin to the far corner.
    pub(super) fn new(width: u32, height: u32, layers: u32) -> TileGrid {
        TileGrid {
            columns: width.div_ceil(TILE_SIZE),
            rows: height.div_ceil(TILE_SIZE),
            layers,
        }
    }

    /// Number of tiles.
    pub(super) fn count(&self) -> usize {
        self.columns as usize * self.rows as usize * self.layers as usize
    }

    /// Number of a tile.
    pub(super) fn index(&self, layer: u32, row: u32, column: u32) -> u32 {
        (layer * self.rows + row) * self.columns + column
    }

    /// Layer and first pixel of a tile.
    pub(super) fn place(&self, tile: usize) -> (u32, [i32; 2]) {
        let tile = tile as u32;
        let (column, row) = (tile % self.columns, tile / self.columns);
        let (row, layer) = (row % self.rows, row / self.rows);
        (layer, [(column * TILE_SIZE) as i32, (row * TILE_SIZE) as i32])
    }
}

/// Primitives of one chunk of a batch.
#[derive(Debug, Default)]
pub(super) struct ChunkOutput {
    pub list: PrimList,
    /// `(tile, primitive)`, by primitive.
    pairs: Vec<(u32, u32)>,
    /// First tile that `starts` has an entry for.
    first_tile: u32,
    /// Where each tile's primitives begin in `sorted`; one more at the end.
    starts: Vec<u32>,
    sorted: Vec<u32>,
}

impl ChunkOutput {
    /// Forgets everything but the memory.
    pub(super) fn clear(&mut self) {
        self.list.prims.clear();
        self.list.data.clear();
        self.pairs.clear();
        self.starts.clear();
        self.sorted.clear();
    }

    /// Bins the primitives from `from` on, which are all drawn to one layer.
    pub(super) fn bin(&mut self, from: usize, layer: u32, grid: &TileGrid) {
        let size = TILE_SIZE as i32;
        for (i, prim) in self.list.prims.iter().enumerate().skip(from) {
            let [x0, y0, x1, y1] = prim.bounds;
            let (left, top, right, bottom) = (x0 / size, y0 / size, (x1 - 1) / size, (y1 - 1) / size);
            if left == right && top == bottom {
                self.pairs
                    .push((grid.index(layer, top as u32, left as u32), i as u32));
                continue;
            }
            let edges = &prim.edges[..prim.edge_count as usize];
            for row in top..=bottom {
                for column in left..=right {
                    if !misses_tile(edges, column * size, row * size) {
                        self.pairs
                            .push((grid.index(layer, row as u32, column as u32), i as u32));
                    }
                }
            }
        }
    }

    /// Sorts by tile, keeping the order within each.
    pub(super) fn finish(&mut self) {
        let tiles = self.pairs.iter().map(|(tile, _)| *tile);
        let (Some(first), Some(last)) = (tiles.clone().min(), tiles.max()) else {
            return;
        };
        self.first_tile = first;
        self.starts.resize((last - first) as usize + 2, 0);
        for (tile, _) in &self.pairs {
            self.starts[(tile - first) as usize + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.sorted.resize(self.pairs.len(), 0);
        // Starts move on as entries are placed, and end up where the next tile begins.
        for &(tile, prim) in &self.pairs {
            let start = &mut self.starts[(tile - first) as usize];
            self.sorted[*start as usize] = prim;
            *start += 1;
        }
        self.starts.rotate_right(1);
        self.starts[0] = 0;
    }

    /// The primitives of a tile, in order.
    pub(super) fn tile(&self, tile: usize) -> &[u32] {
        let Some(at) = tile.checked_sub(self.first_tile as usize) else {
            return &[];
        };
        match self.starts.get(at..at + 2) {
            Some(range) => &self.sorted[range[0] as usize..range[1] as usize],
            None => &[],
        }
    }

    /// The tiles with primitives.
    pub(super) fn tiles(&self) -> impl Iterator<Item = usize> {
        let first = self.first_tile as usize;
        self.starts
            .windows(2)
            .enumerate()
            .filter(|(_, range)| range[0] < range[1])
            .map(move |(i, _)| first + i)
    }
}
