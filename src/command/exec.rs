//! The executor: walks recorded commands on a queue's thread.
//!
//! Commands outside scopes run to their end before the next one begins. Draws are handed to the rasterizer,
//! which collects them until the scope ends or is flushed; what depends on their results (queries) is put off until then.

use super::attribute::Fault;
use super::list::{Bytes, Command, CommandList, CopyQueries, Indirect};
use super::live::{BadAccess, LiveMemory};
use super::masked::MaskedFaults;
use super::planned::Scheduled;
use super::state::{ActiveCounters, Bound};
use super::transfer::Region;
use super::{compute_transfer, transfer};
use crate::compute;
use crate::device::limit;
use crate::device::{Cause, CauseKind, Device, FaultAddress, Position, Queue, WaitFor, Waited};
use crate::exec::{Access, Counters, ExecError, MaskedSink, Problem};
use crate::fault::AddressType;
use crate::memory::raw;
use crate::query::{QueryPool, ResultFlags};
use crate::raster::{Indices, Rasterizer, Scope};
use std::sync::Arc;

/// A query that has been begun.
#[derive(Debug)]
struct OpenQuery {
    pool: Arc<QueryPool>,
    index: u32,
    counters: Arc<Counters>,
}

/// What is written to a query pool once the draws before it are done.
#[derive(Debug)]
struct EndedQuery {
    query: OpenQuery,
    views: u32,
}

/// Why execution stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// A kernel failed.
    Error(ExecError),
    /// A command was to touch memory that is not there.
    Access(BadAccess),
    /// A wait that nothing ends.
    Wait(Box<Cause>),
    /// The fault plan said so.
    Planned(Box<Cause>),
    /// The device is being lost for another reason; the rest is dropped.
    Dropped,
}

impl From<ExecError> for Stop {
    fn from(error: ExecError) -> Stop {
        Stop::Error(error)
    }
}

pub(super) type Done = Result<(), Stop>;

/// Runs command lists one after another.
#[derive(Debug)]
pub(super) struct Executor<'a> {
    pub(super) device: &'a Device,
    /// The queue's.
    lane: usize,
    raster: &'a mut Rasterizer,
    pub(super) position: &'a mut Position,
    /// What is planned at commands of the submission.
    pub(super) planned: &'a [Scheduled],
    /// What the open scope draws to, where anything is planned.
    pub(super) scope: Vec<Bytes>,
    bound: Bound,
    in_scope: bool,
    /// Whether a condition says that draws and dispatches are left out.
    skips: bool,
    /// The command of each draw of the open scope, to find the one that failed.
    pub(super) draws: Vec<u32>,
    open: Vec<OpenQuery>,
    active: ActiveCounters,
    ended: Vec<EndedQuery>,
    live: LiveMemory,
    /// Accesses that robustness makes harmless, where the device reports them.
    pub(super) masked: Option<Arc<MaskedSink>>,
    /// What there is to report of them.
    pub(super) reports: &'a mut MaskedFaults,
}

/// Why a command list was not run to its end.
#[derive(Debug)]
pub enum Halt {
    /// The device is being lost for another reason, or nothing will ever satisfy a wait.
    Dropped,
    /// What the device is to be lost for.
    Fault(Box<Fault>),
}

/// Runs a command list on a queue; `position` is moved on as commands are done.
///
/// # Errors
/// See [`Halt`].
pub fn execute(
    device: &Device,
    queue: &Queue,
    position: &mut Position,
    list: &CommandList,
    planned: &[Scheduled],
    reports: &mut MaskedFaults,
) -> Result<(), Halt> {
    if list.is_trivial() && list.commands.is_empty() {
        return Ok(());
    }
    queue.with_rasterizer(device, |raster| {
        let mut executor = Executor::new(device, queue.lane(), (raster, position), reports);
        executor.planned = planned;
        let stop = match executor.run(list) {
            Ok(()) => return Ok(()),
            Err(stop) => stop,
        };
        executor.take_masked_before(&stop);
        let fault = match stop {
            Stop::Dropped => return Err(Halt::Dropped),
            Stop::Error(error) => executor.fault(error),
            Stop::Access(bad) => bad.fault(*executor.position),
            Stop::Wait(cause) | Stop::Planned(cause) => Fault::of(*cause),
        };
        Err(Halt::Fault(Box::new(fault)))
    })
}

impl<'a> Executor<'a> {
    fn new(
        device: &'a Device,
        lane: usize,
        (raster, position): (&'a mut Rasterizer, &'a mut Position),
        reports: &'a mut MaskedFaults,
    ) -> Executor<'a> {
        let desc = device.fault().desc();
        let reported = desc.report_masked && !desc.lost_on_masked;
        Executor {
            device,
            lane,
            raster,
            position,
            planned: &[],
            scope: Vec::new(),
            bound: Bound::default(),
            in_scope: false,
            skips: false,
            draws: Vec::new(),
            open: Vec::new(),
            active: ActiveCounters::new(),
            ended: Vec::new(),
            live: LiveMemory::default(),
            masked: reported.then(Arc::default),
            reports,
        }
    }

    /// The fault for an error of the current command or of a draw before it.
    pub(super) fn fault(&self, mut error: ExecError) -> Fault {
        if let (ExecError::OutOfFuel(fault), Some(limit)) = (&mut error, limit::exceeded()) {
            fault.problem = Problem::Late(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
        }
        let kind = match error {
            ExecError::OutOfFuel(_) | ExecError::Late(_) => CauseKind::Watchdog,
            ExecError::Fault { .. } => CauseKind::Detected,
            ExecError::Abort(_) => CauseKind::Abort,
            ExecError::Panic(_) | ExecError::Compile(_) => CauseKind::Internal,
        };
        let mut position = *self.position;
        if let Some(fault) = error.fault() {
            position.invocation = u32::try_from(fault.order).unwrap_or(u32::MAX);
            let draw = usize::try_from(fault.item).ok();
            match draw.and_then(|item| self.draws.get(item)) {
                Some(&command) => position.command = command,
                None => position.item = fault.item,
            }
        }
        let mut cause = Cause::new(kind, position, error.to_string());
        let fault = error.fault().filter(|fault| fault.access != Access::None);
        if let Some(fault) = fault {
            let ty = match fault.access {
                Access::Write | Access::Atomic => AddressType::WriteInvalid,
                Access::Read | Access::None => AddressType::ReadInvalid,
            };
            cause.address = Some(FaultAddress {
                kind: ty as i32,
                address: fault.address,
                precision: fault.precision,
            });
        }
        let watched = fault.filter(|fault| fault.problem == Problem::Watched);
        if let Some(planned) = watched.and_then(|f| self.device.touched(f.address, f.access, position)) {
            cause = planned;
        }
        let shader = match error {
            ExecError::Abort(mut fault) => {
                cause.abort = std::mem::take(&mut fault.messages);
                Some(fault)
            }
            ExecError::OutOfFuel(fault) | ExecError::Fault(fault) => Some(fault),
            ExecError::Late(_) | ExecError::Panic(_) | ExecError::Compile(_) => None,
        };
        Fault {
            cause,
            shader,
            access: None,
        }
    }

    fn run(&mut self, list: &CommandList) -> Done {
        for command in &list.commands {
            if !self.device.loss().allows(self.position.submit) {
                return Err(Stop::Dropped);
            }
            self.step(list, command)?;
            self.position.command += 1;
        }
        Ok(())
    }

    /// One command, and what is planned at it.
    fn step(&mut self, list: &CommandList, command: &Command) -> Done {
        if self.planned.is_empty() {
            return self.command(list, command);
        }
        let at = self.position.command;
        if !self.planned(command, false)? {
            self.command(list, command)?;
        }
        // A secondary command buffer has moved on.
        let end = std::mem::replace(&mut self.position.command, at);
        let result = self.planned(command, true);
        self.position.command = end;
        result.map(drop)
    }

    fn command(&mut self, list: &CommandList, command: &Command) -> Done {
        if self.bound.apply(list, command) {
            return Ok(());
        }
        match command {
            Command::Execute(inner) => return self.nested(inner),
            Command::BeginConditional { address, inverted } => {
                self.flush()?;
                self.read(*address, 4)?;
                self.skips = (raw::load::<u32>(*address) == 0) != *inverted;
            }
            Command::EndConditional => self.skips = false,
            _ if self.skips && command.is_conditional() => {}
            Command::Checkpoint(marker) => {
                let (queue, oldest) = (&self.device.queues()[self.lane], self.device.loss().oldest());
                self.device
                    .trails()
                    .checkpoint(queue, oldest, *self.position, *marker);
            }
            Command::InsertLabel(name) => crate::fault::panic_if_asked(name),
            Command::BeginLabel(_) | Command::EndLabel => {}
            _ => return self.work(list, command),
        }
        Ok(())
    }

    /// A secondary command buffer. Its own commands count after the one that runs it.
    fn nested(&mut self, list: &CommandList) -> Done {
        self.position.command += 1;
        self.run(list)?;
        // The caller counts the command that ran it.
        self.position.command -= 1;
        Ok(())
    }

    fn work(&mut self, list: &CommandList, command: &Command) -> Done {
        match command {
            Command::Draw {
                vertices,
                instances,
                first_vertex,
                first_instance,
                draw_index,
            } => {
                let indices = Indices::Sequence { first: *first_vertex };
                self.draw(indices, *vertices, [*instances, *first_instance], *draw_index)
            }
            Command::DrawIndexed {
                indices,
                instances,
                first_index,
                vertex_offset,
                first_instance,
                draw_index,
            } => {
                self.read_indices(*first_index, *indices)?;
                let source = self.bound.indices(*first_index, *vertex_offset);
                self.draw(source, *indices, [*instances, *first_instance], *draw_index)
            }
            Command::DrawIndirect(indirect) => self.draw_indirect(indirect),
            Command::Dispatch { base, groups } => self.dispatch(*base, *groups),
            Command::DispatchIndirect { address } => {
                self.read(*address, 12)?;
                self.dispatch([0; 3], raw::load(*address))
            }
            Command::BeginScope(scope) => {
                self.draws.clear();
                self.check_targets(scope)?;
                self.in_scope = true;
                self.bound.begin_scope(scope);
                self.note_scope(Some(scope));
                Ok(self.raster.begin(scope)?)
            }
            Command::EndScope => {
                self.raster.end()?;
                self.take_masked(None);
                self.draws.clear();
                self.in_scope = false;
                self.note_scope(None);
                self.settle();
                Ok(())
            }
            Command::ClearAttachments(clear) => {
                self.draws.push(self.position.command);
                Ok(self.raster.clear_attachments(&clear.0, &clear.1)?)
            }
            Command::Barrier => self.flush(),
            Command::SetEvent(event) => {
                self.flush()?;
                event.set(self.device);
                Ok(())
            }
            Command::ResetEvent(event) => {
                self.flush()?;
                event.reset();
                Ok(())
            }
            Command::WaitEvents { events, host } => {
                let events = events.clone();
                self.flush()?;
                self.wait(&WaitFor::Events { events, host: *host })
            }
            Command::BeginQuery { pool, index } => {
                self.begin_query(pool, *index);
                Ok(())
            }
            Command::EndQuery { pool, index, views } => {
                self.end_query(pool, *index, *views);
                Ok(())
            }
            Command::ResetQueries { pool, first, count } => {
                pool.reset(*first, *count);
                Ok(())
            }
            Command::WriteTimestamp {
                pool,
                index,
                views,
                early,
            } => {
                if !early {
                    self.flush()?;
                }
                pool.publish(*index, *views, &[self.device.now()]);
                self.device.hub().notify();
                Ok(())
            }
            Command::CopyQueryResults(copy) => self.copy_query_results(copy),
            _ => self.transfer(list, command),
        }
    }

    fn transfer(&mut self, list: &CommandList, command: &Command) -> Done {
        let workers = self.device.workers();
        match command {
            Command::CopyBuffer(regions) => {
                for copy in regions {
                    self.read(copy.src, copy.size)?;
                    self.write(copy.dst, copy.size)?;
                    transfer::copy_buffer(copy, workers)?;
                }
            }
            Command::Poison(poison) => {
                for rows in &poison.1 {
                    self.write(rows.address, rows.span())?;
                    rows.fill(poison.0);
                }
            }
            Command::FillBuffer { bytes, word } => {
                self.write(bytes.address, bytes.size)?;
                transfer::fill(*bytes, *word, workers)?;
            }
            Command::WriteMarker { address, marker } => {
                // Not before the draws of an open scope: one of them may be the one that fails.
                self.flush()?;
                self.write(*address, 4)?;
                raw::write(*address, &marker.to_le_bytes());
                let (queue, oldest) = (&self.device.queues()[self.lane], self.device.loss().oldest());
                let trails = self.device.trails();
                trails.marker(queue, oldest, *self.position, *address, *marker);
            }
            Command::UpdateBuffer { address, data } => {
                self.write(*address, u64::from(data.len))?;
                raw::write(*address, list.bytes(*data));
            }
            Command::CopyImage(regions) => {
                for copy in regions {
                    self.read_region(&copy.src)?;
                    self.write_region(&copy.dst)?;
                    transfer::copy_image(copy, workers)?;
                }
            }
            Command::CopyBufferToImage(regions) => {
                for copy in regions {
                    self.read(copy.buffer.address, copy.buffer.span().size)?;
                    self.write_region(&copy.image)?;
                    transfer::copy_to_image(copy, workers)?;
                }
            }
            Command::CopyImageToBuffer(regions) => {
                for copy in regions {
                    self.read_region(&copy.image)?;
                    self.write(copy.buffer.address, copy.buffer.span().size)?;
                    transfer::copy_to_buffer(copy, workers)?;
                }
            }
            Command::ClearImage(ranges) => {
                for range in ranges {
                    self.write_region(&range.region)?;
                    compute_transfer::clear(range, self.device.transfers(), workers)?;
                }
            }
            Command::BlitImage(regions) => {
                for blit in regions {
                    self.read_region(&blit.src.whole())?;
                    self.write_region(&blit.dst.whole())?;
                    compute_transfer::blit(blit, self.device.transfers(), workers)?;
                }
            }
            Command::ResolveImage(regions) => {
                for resolve in regions {
                    self.read_region(&resolve.src)?;
                    self.write_region(&resolve.dst)?;
                    compute_transfer::resolve(resolve, self.device.transfers(), workers)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Stops if memory that is to be read is not there.
    fn read(&mut self, address: u64, size: u64) -> Done {
        self.live.check(self.device, address, size, false)
    }

    /// Stops if memory that is to be written is not there.
    pub(super) fn write(&mut self, address: u64, size: u64) -> Done {
        self.live.check(self.device, address, size, true)
    }

    /// Stops if the indices of a draw are not there.
    fn read_indices(&mut self, first: u32, count: u32) -> Done {
        let range = self.bound.index_range(first, count);
        if range.address == 0 {
            return Ok(());
        }
        self.read(range.address, range.size)
    }

    /// Stops if a target of a scope is not there.
    fn check_targets(&mut self, scope: &Scope) -> Done {
        let layers = match scope.view_mask {
            0 => scope.layers,
            mask => u32::BITS - mask.leading_zeros(),
        };
        let targets = scope
            .colors
            .iter()
            .flatten()
            .chain(&scope.depth)
            .chain(&scope.stencil);
        for target in targets {
            let resolve = target.resolve.iter().map(|(attachment, _)| attachment);
            for plane in std::iter::once(&target.attachment).chain(resolve) {
                self.write(plane.address, plane.span(layers))?;
            }
        }
        Ok(())
    }

    fn read_region(&mut self, region: &Region) -> Done {
        let span = region.span();
        self.live.check(self.device, span.address, span.size, false)
    }

    fn write_region(&mut self, region: &Region) -> Done {
        let span = region.span();
        self.live.check(self.device, span.address, span.size, true)
    }

    /// Completes what the rasterizer has collected.
    pub(super) fn flush(&mut self) -> Done {
        if self.in_scope {
            self.raster.flush()?;
            self.take_masked(None);
            self.settle();
        }
        Ok(())
    }

    fn draw(&mut self, indices: Indices, count: u32, instances: [u32; 2], draw_index: u32) -> Done {
        if self.bound.draws() {
            self.draws.push(self.position.command);
            self.masked_indices(indices, count)?;
        }
        if let Some((pipeline, mut draw)) =
            self.bound
                .draw(indices, count, instances, draw_index, &self.active)?
        {
            draw.masked.clone_from(&self.masked);
            self.raster.draw(pipeline, draw)?;
        }
        Ok(())
    }

    fn draw_indirect(&mut self, indirect: &Indirect) -> Done {
        let mut count = indirect.count;
        if indirect.count_address != 0 {
            self.read(indirect.count_address, 4)?;
            count = count.min(raw::load::<u32>(indirect.count_address));
        }
        let record = if indirect.indexed { 20 } else { 16 };
        if count > 0 {
            let size = u64::from(count - 1) * u64::from(indirect.stride) + record;
            self.read(indirect.params.address, size)?;
        }
        for i in 0..count {
            let at = indirect.params.address + u64::from(i) * u64::from(indirect.stride);
            if indirect.indexed {
                let [n, instances, first, offset, first_instance] = raw::load::<[u32; 5]>(at);
                self.read_indices(first, n)?;
                let indices = self.bound.indices(first, offset.cast_signed());
                self.draw(indices, n, [instances, first_instance], i)?;
            } else {
                let [n, instances, first, first_instance] = raw::load::<[u32; 4]>(at);
                self.draw(Indices::Sequence { first }, n, [instances, first_instance], i)?;
            }
        }
        Ok(())
    }

    fn dispatch(&mut self, base: [u32; 3], groups: [u32; 3]) -> Done {
        self.draws.clear();
        if let Some((pipeline, mut dispatch)) = self.bound.dispatch(base, groups, &self.active) {
            dispatch.masked.clone_from(&self.masked);
            dispatch.order = self.reordered();
            compute::dispatch(self.raster.workers(), pipeline, &dispatch)?;
            self.take_masked(None);
        }
        Ok(())
    }

    fn wait(&mut self, wait: &WaitFor) -> Done {
        match self.device.queue_wait(self.lane, wait, *self.position) {
            Waited::Ready => Ok(()),
            Waited::Dropped => Err(Stop::Dropped),
            Waited::Failed(cause) => Err(Stop::Wait(cause)),
        }
    }

    fn begin_query(&mut self, pool: &Arc<QueryPool>, index: u32) {
        let counters = Arc::new(Counters::default());
        self.active.push(counters.clone());
        self.open.push(OpenQuery {
            pool: pool.clone(),
            index,
            counters,
        });
    }

    fn end_query(&mut self, pool: &Arc<QueryPool>, index: u32, views: u32) {
        let found = self
            .open
            .iter()
            .position(|open| Arc::ptr_eq(&open.pool, pool) && open.index == index);
        let Some(found) = found else { return };
        let query = self.open.remove(found);
        self.active.remove(found);
        self.ended.push(EndedQuery { query, views });
        if !self.in_scope {
            self.settle();
        }
    }

    /// Publishes the queries that waited for draws.
    fn settle(&mut self) {
        if self.ended.is_empty() {
            return;
        }
        for EndedQuery { query, views } in self.ended.drain(..) {
            query.pool.publish_counters(query.index, views, &query.counters);
        }
        self.device.hub().notify();
    }

    fn copy_query_results(&mut self, copy: &CopyQueries) -> Done {
        if copy.count > 0 {
            let size = u64::from(copy.count - 1) * copy.stride + copy.pool.result_size(copy.flags);
            self.write(copy.dst.address, size)?;
        }
        let mut flags = copy.flags;
        if flags.contains(ResultFlags::WAIT) {
            let (pool, first, count) = (copy.pool.clone(), copy.first, copy.count);
            self.wait(&WaitFor::Queries { pool, first, count })?;
            flags &= !ResultFlags::WAIT;
        }
        let write = |offset: u64, bytes: &[u8]| raw::write(copy.dst.address + offset, bytes);
        copy.pool
            .results(self.device, copy.first, copy.count, copy.stride, flags, write);
        Ok(())
    }
}
