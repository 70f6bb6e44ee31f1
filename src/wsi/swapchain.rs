//! Swapchains.
//!
//! Images go round in the order of the calls: `acquire` gives the image that was presented longest ago, at once, even
//! while its presentation is still to come, and the semaphore or fence is signaled when that is over. So which image comes
//! next never depends on the speed of anything.

use super::{Error, Frame, Surface};
use crate::{
    device::{Device, Work},
    fault::plan::SwapchainState,
    memory::{Allocation, Footprint, Memory, bytes_in, bytes_of},
    resource::{Image, ImageInfo},
    sync::{Deadline, Fence, Outcome, Semaphore},
    vk,
};
use parking_lot::Mutex;
use std::{collections::VecDeque, sync::Arc};

/// What a swapchain is created from.
#[derive(Clone, Debug)]
pub struct SwapchainDesc {
    /// Number of images.
    pub count: u32,
    /// Format, and flags of views, of the images.
    pub format: vk::Format,
    /// Width and height.
    pub extent: [u32; 2],
    /// What the images are used for.
    pub usage: vk::ImageUsageFlags,
    /// Flags that the images are created with.
    pub flags: vk::ImageCreateFlags,
    /// How they are presented.
    pub mode: vk::PresentModeKHR,
}

/// What an application says of one presentation.
#[derive(Clone, Debug, Default)]
pub struct Presentation {
    /// How this and later images are presented, if that changes.
    pub mode: Option<vk::PresentModeKHR>,
    /// The identifier to wait for; 0 is none.
    pub id: u64,
    /// What is signaled when the image was shown.
    pub fence: Option<Arc<Fence>>,
}

/// What is signaled when an acquired image may be used.
#[derive(Clone, Debug, Default)]
pub struct Ready {
    /// A binary semaphore.
    pub semaphore: Option<Arc<Semaphore>>,
    /// A fence.
    pub fence: Option<Arc<Fence>>,
}

impl Ready {
    fn signal(self, device: &Device) {
        if let Some(semaphore) = self.semaphore {
            semaphore.signal(device, 0);
        }
        if let Some(fence) = self.fence {
            fence.signal(device);
        }
    }
}

struct Slot {
    image: Arc<Image>,
    memory: Arc<Allocation>,
    /// Whether the application has it.
    acquired: bool,
    /// One for each presentation to come, in order: who acquired the image after it.
    pending: VecDeque<Option<Ready>>,
}

struct State {
    slots: Vec<Slot>,
    /// Images that can be acquired, in order.
    order: VecDeque<u32>,
    retired: bool,
    /// What is wrong for good.
    broken: Option<Error>,
    /// Works, but not well, by plan.
    suboptimal: bool,
    /// How images are presented now.
    mode: vk::PresentModeKHR,
    /// The highest identifier of an image that was shown.
    shown: u64,
}

/// A swapchain.
pub struct Swapchain {
    surface: Arc<Surface>,
    desc: SwapchainDesc,
    state: Mutex<State>,
}

impl std::fmt::Debug for Swapchain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Swapchain")
            .field("desc", &self.desc)
            .finish_non_exhaustive()
    }
}

impl Swapchain {
    /// A swapchain on a surface, in place of `old`, which is retired whatever happens.
    ///
    /// # Errors
    /// [`Error::WindowInUse`], [`Error::SurfaceLost`], [`Error::Unsupported`], [`Error::OutOfMemory`].
    pub fn new(
        surface: &Arc<Surface>,
        memory: &Arc<Memory>,
        desc: SwapchainDesc,
        old: Option<&Arc<Self>>,
    ) -> Result<Arc<Self>, Error> {
        surface.vacate(old)?;
        let target = surface.target();
        surface.extent()?;
        if !target.formats().contains(&desc.format) || desc.extent.contains(&0) {
            return Err(Error::Unsupported);
        }
        let slots = (0..desc.count)
            .map(|_| slot(memory, &desc))
            .collect::<Result<Vec<_>, _>>()?;
        let state = State {
            slots,
            order: (0..desc.count).collect(),
            retired: false,
            broken: None,
            suboptimal: false,
            mode: desc.mode,
            shown: 0,
        };
        let swapchain = Arc::new(Self {
            surface: surface.clone(),
            desc,
            state: Mutex::new(state),
        });
        surface.occupy(&swapchain);
        Ok(swapchain)
    }

    /// Its images.
    #[must_use]
    pub fn images(&self) -> Vec<Arc<Image>> {
        self.state
            .lock()
            .slots
            .iter()
            .map(|slot| slot.image.clone())
            .collect()
    }

    /// Reports the memory of an image, now that it has a handle.
    pub fn announce(&self, index: usize, handle: u64) {
        if let Some(slot) = self.state.lock().slots.get(index) {
            let memory = slot.memory.clone();
            memory.announce(handle);
        }
    }

    /// Another swapchain takes its place: it gives no more images.
    pub fn retire(&self) {
        self.state.lock().retired = true;
    }

    /// Whether another has taken its place.
    #[must_use]
    pub fn is_retired(&self) -> bool {
        self.state.lock().retired
    }

    /// Whether it still fits its surface; once it does not, it never will.
    ///
    /// # Errors
    /// [`Error::OutOfDate`], [`Error::SurfaceLost`].
    pub fn status(&self) -> Result<(), Error> {
        let window = self.surface.extent();
        let mut state = self.state.lock();
        if let Some(error) = state.broken {
            return Err(error);
        }
        let error = match window {
            Ok(Some(extent)) if extent != self.desc.extent => Error::OutOfDate,
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        state.broken = Some(error);
        Err(error)
    }

    /// Takes the next image, or by plan another that is free, as `choice` says; `ready` is signaled when it may be used.
    ///
    /// # Errors
    /// As [`Swapchain::status`]; [`Error::Timeout`] and [`Error::NotReady`] while the application has all images;
    /// [`Error::DeviceLost`].
    pub fn acquire(
        &self,
        device: &Device,
        deadline: Deadline,
        ready: Ready,
        choice: u64,
    ) -> Result<u32, Error> {
        if device.is_lost() {
            return Err(Error::DeviceLost);
        }
        if self.is_retired() {
            return Err(Error::OutOfDate);
        }
        self.status()?;
        let mut taken = None;
        let outcome = device.wait(deadline, || {
            taken = self.take(choice);
            taken.is_some()
        });
        let index = match (taken, outcome) {
            (Some(index), _) => index,
            (None, Outcome::Lost) => return Err(Error::DeviceLost),
            (None, _) if deadline == Deadline::Now => return Err(Error::NotReady),
            (None, _) => return Err(Error::Timeout),
        };
        let mut state = self.state.lock();
        let slot = &mut state.slots[index as usize];
        slot.acquired = true;
        if let Some(semaphore) = &ready.semaphore {
            semaphore.promise();
        }
        if let Some(last) = slot.pending.back_mut() {
            *last = Some(ready);
        } else {
            drop(state);
            ready.signal(device);
        }
        Ok(index)
    }

    fn take(&self, choice: u64) -> Option<u32> {
        let order = &mut self.state.lock().order;
        let free = order.len().max(1) as u64;
        order.remove((choice % free) as usize)
    }

    /// What a plan makes of it.
    pub fn change(&self, to: SwapchainState) {
        let broken = match to {
            SwapchainState::OutOfDate => Error::OutOfDate,
            SwapchainState::Suboptimal { once } => {
                self.state.lock().suboptimal |= !once;
                return;
            }
            SwapchainState::SurfaceLost => {
                self.surface.change(Err(Error::SurfaceLost));
                Error::SurfaceLost
            }
            SwapchainState::Resized(extent) => {
                self.surface.change(Ok(extent));
                Error::OutOfDate
            }
        };
        self.state.lock().broken.get_or_insert(broken);
    }

    /// Whether it works, but not well.
    #[must_use]
    pub fn is_suboptimal(&self) -> bool {
        self.state.lock().suboptimal
    }

    /// Gives an image back, to be shown by the returned work. An image that is not the application's is not shown.
    #[must_use]
    pub fn present(self: &Arc<Self>, index: u32, how: Presentation) -> Work {
        let frame = self.take_back(index, how.mode);
        let swapchain = self.clone();
        Work::Call(Box::new(move |device| {
            if let Some(frame) = frame {
                swapchain.show(device, index, &frame);
            }
            swapchain.finish(device, &how);
        }))
    }

    fn take_back(&self, index: u32, mode: Option<vk::PresentModeKHR>) -> Option<Frame> {
        let mut state = self.state.lock();
        state.mode = mode.unwrap_or(state.mode);
        let paced = state.mode == vk::PresentModeKHR::FIFO;
        let slot = state.slots.get_mut(index as usize)?;
        if !std::mem::take(&mut slot.acquired) {
            return None;
        }
        slot.pending.push_back(None);
        let rows = slot.image.subresource(vk::ImageAspectFlags::COLOR, 0, 0)?;
        state.order.push_back(index);
        Some(Frame {
            address: rows.address,
            row_pitch: rows.row_pitch,
            extent: self.desc.extent,
            paced,
        })
    }

    /// Takes images back that are not to be shown.
    pub fn release(&self, device: &Device, indices: &[u32]) {
        let mut state = self.state.lock();
        for index in indices {
            let slot = state.slots.get_mut(*index as usize);
            if slot.is_some_and(|slot| std::mem::take(&mut slot.acquired)) {
                state.order.push_back(*index);
            }
        }
        drop(state);
        device.hub().notify();
    }

    /// Waits until an image of this identifier, or of a later one, was shown.
    ///
    /// # Errors
    /// [`Error::Timeout`], [`Error::DeviceLost`], or what is wrong with the swapchain for good.
    pub fn wait_shown(&self, device: &Device, id: u64, deadline: Deadline) -> Result<(), Error> {
        let mut found = Ok(());
        let outcome = device.wait(deadline, || {
            let state = self.state.lock();
            let shown = state.shown >= id;
            found = state.broken.filter(|_| !shown).map_or(Ok(()), Err);
            shown || found.is_err()
        });
        match outcome {
            Outcome::Ready => found,
            Outcome::Lost => Err(Error::DeviceLost),
            Outcome::Timeout => Err(Error::Timeout),
        }
    }

    /// On the queue: shows an image and gives it to whoever waits for it.
    fn show(&self, device: &Device, index: u32, frame: &Frame) {
        let result = if self.state.lock().broken.is_none() {
            self.surface.target().show(frame)
        } else {
            Ok(())
        };
        let mut state = self.state.lock();
        if let Err(error) = result {
            state.broken.get_or_insert(error);
        }
        let waiting = state.slots[index as usize].pending.pop_front().flatten();
        drop(state);
        match waiting {
            Some(ready) => ready.signal(device),
            None => device.hub().notify(),
        }
    }

    /// On the queue: a presentation is over.
    fn finish(&self, device: &Device, how: &Presentation) {
        {
            let mut state = self.state.lock();
            state.shown = state.shown.max(how.id);
        }
        match &how.fence {
            Some(fence) => fence.signal(device),
            None => device.hub().notify(),
        }
    }
}

fn slot(memory: &Arc<Memory>, desc: &SwapchainDesc) -> Result<Slot, Error> {
    let info = ImageInfo {
        flags: desc.flags,
        image_type: vk::ImageType::TYPE_2D,
        format: desc.format,
        extent: [desc.extent[0], desc.extent[1], 1],
        levels: 1,
        layers: 1,
        samples: 1,
        tiling: vk::ImageTiling::OPTIMAL,
        usage: desc.usage,
    };
    let image = Image::new(info).map_err(|_| Error::Unsupported)?;
    let size = image.requirements(memory.properties().all_types()).size;
    let allocation = memory
        .allocate_internal(size, vk::ObjectType::IMAGE)
        .map_err(|_| Error::OutOfMemory)?;
    image.bind(allocation.address());
    Ok(Slot {
        image: Arc::new(image),
        memory: allocation,
        acquired: false,
        pending: VecDeque::new(),
    })
}

impl Footprint for Swapchain {
    /// Without the images' memory, which is reported on its own.
    fn footprint(&self) -> u64 {
        let state = self.state.lock();
        bytes_of(self) + bytes_in(&state.slots) + state.order.capacity() as u64 * size_of::<u32>() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Headless, Target};
    use super::*;
    use crate::{
        device::{DeviceDesc, Submission},
        memory::{Profile, Properties},
    };
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A window whose width the test sets; 0 is a window that is gone.
    #[derive(Clone)]
    struct Window(Arc<AtomicU32>);

    impl Target for Window {
        fn extent(&self) -> Result<Option<[u32; 2]>, Error> {
            match self.0.load(Ordering::SeqCst) {
                0 => Err(Error::SurfaceLost),
                width => Ok(Some([width, 8])),
            }
        }
        fn formats(&self) -> &'static [vk::Format] {
            Headless.formats()
        }
        fn show(&self, _frame: &Frame) -> Result<(), Error> {
            self.extent().map(drop)
        }
    }

    fn desc() -> SwapchainDesc {
        SwapchainDesc {
            count: 2,
            format: vk::Format::B8G8R8A8_UNORM,
            extent: [8, 8],
            usage: vk::ImageUsageFlags::COLOR_ATTACHMENT,
            flags: vk::ImageCreateFlags::empty(),
            mode: vk::PresentModeKHR::FIFO,
        }
    }

    fn device() -> (Arc<Device>, Arc<Memory>) {
        let properties = Properties::new(Profile::Unified, 1 << 30);
        let device = Device::new(DeviceDesc::default()).expect("a device");
        (
            device,
            Memory::new(properties, Arc::default(), Vec::new()).expect("memory"),
        )
    }

    fn present(device: &Arc<Device>, swapchain: &Arc<Swapchain>, index: u32) {
        let work = swapchain.present(index, Presentation::default());
        device.queues()[0].submit(
            device,
            vec![Submission {
                work: vec![work],
                ..Submission::default()
            }],
        );
    }

    #[test]
    fn images_come_in_the_order_of_the_calls() {
        let (device, memory) = device();
        let surface = Arc::new(Surface::new(Headless));
        let swapchain = Swapchain::new(&surface, &memory, desc(), None).expect("a swapchain");
        let acquire = || swapchain.acquire(&device, Deadline::Now, Ready::default(), 0);
        assert_eq!((acquire(), acquire()), (Ok(0), Ok(1)));
        assert_eq!(acquire(), Err(Error::NotReady));
        present(&device, &swapchain, 1);
        present(&device, &swapchain, 0);
        present(&device, &swapchain, 0);
        assert_eq!((acquire(), acquire()), (Ok(1), Ok(0)));
        device.shut_down();
    }

    #[test]
    fn an_acquired_image_is_ready_when_its_presentation_is_over() {
        let (device, memory) = device();
        let surface = Arc::new(Surface::new(Headless));
        let swapchain = Swapchain::new(&surface, &memory, desc(), None).expect("a swapchain");
        let fence = Arc::new(Fence::default());
        let ready = || Ready {
            semaphore: None,
            fence: Some(fence.clone()),
        };
        assert_eq!(swapchain.acquire(&device, Deadline::Now, ready(), 0), Ok(0));
        assert!(fence.is_signaled(), "nobody uses the image");
        fence.reset();
        let gate = Arc::new(Semaphore::timeline(0));
        let work = swapchain.present(0, Presentation::default());
        let waits = vec![gate.wait_point(1)];
        device.queues()[0].submit(
            &device,
            vec![Submission {
                waits,
                work: vec![work],
                ..Submission::default()
            }],
        );
        assert_eq!(
            swapchain.acquire(&device, Deadline::Now, Ready::default(), 0),
            Ok(1)
        );
        assert_eq!(swapchain.acquire(&device, Deadline::Now, ready(), 0), Ok(0));
        assert!(!fence.is_signaled(), "it is still to be shown");
        gate.signal(&device, 1);
        assert_eq!(device.wait_idle(), Outcome::Ready);
        assert!(fence.is_signaled());
        device.shut_down();
    }

    #[test]
    fn a_resized_window_stays_out_of_date_for_its_swapchain() {
        let (device, memory) = device();
        let width = Arc::new(AtomicU32::new(8));
        let surface = Arc::new(Surface::new(Window(width.clone())));
        let swapchain = Swapchain::new(&surface, &memory, desc(), None).expect("a swapchain");
        assert_eq!(swapchain.status(), Ok(()));
        width.store(9, Ordering::SeqCst);
        let acquire = || swapchain.acquire(&device, Deadline::Now, Ready::default(), 0);
        assert_eq!(acquire(), Err(Error::OutOfDate));
        width.store(8, Ordering::SeqCst);
        assert_eq!(acquire(), Err(Error::OutOfDate));
        width.store(0, Ordering::SeqCst);
        let lost = Swapchain::new(&surface, &memory, desc(), Some(&swapchain));
        assert_eq!(lost.err(), Some(Error::SurfaceLost));
    }

    #[test]
    fn a_window_has_one_swapchain_that_is_not_retired() {
        let (device, memory) = device();
        let surface = Arc::new(Surface::new(Headless));
        let first = Swapchain::new(&surface, &memory, desc(), None).expect("a swapchain");
        let refused = Swapchain::new(&surface, &memory, desc(), None);
        assert_eq!(refused.err(), Some(Error::WindowInUse));
        let second = Swapchain::new(&surface, &memory, desc(), Some(&first)).expect("a swapchain");
        let acquire =
            |swapchain: &Arc<Swapchain>| swapchain.acquire(&device, Deadline::Now, Ready::default(), 0);
        assert_eq!(
            (acquire(&first), acquire(&second)),
            (Err(Error::OutOfDate), Ok(0))
        );
        drop(second);
        assert!(Swapchain::new(&surface, &memory, desc(), None).is_ok());
    }
}
