//! The arguments of entry points: from what C passes to what safe code can use.
//!
//! `Arg::from_c` is unsafe because it believes the application (valid usage). The `commands!` macro calls it, so that
//! the bodies of entry points need no unsafe code.

use crate::{
    dispatch::{Dispatch, End, Owned, Ref},
    error::{Answer, Error},
    hook::{Object, Scene},
};
use ash::vk::{self, Handle as _};
use std::{
    ffi::{CStr, c_char},
    marker::PhantomData,
};

/// A type that an argument of an entry point can have.
pub(crate) trait Arg: Sized {
    /// The type in C.
    type C: Copy;

    /// Takes what C passed.
    ///
    /// # Safety
    /// The value is valid as Vulkan asks of the argument, and stays so while the command runs.
    unsafe fn from_c(c: Self::C) -> Answer<Self>;

    /// Tells the object that the argument names how a command on it ended.
    ///
    /// # Safety
    /// As for `from_c`.
    unsafe fn note(_c: Self::C, _end: End<'_>) {}

    /// What the argument is of, for plans.
    ///
    /// # Safety
    /// As for `from_c`.
    unsafe fn scene<'a>(_c: Self::C) -> Option<Scene<'a>> {
        None
    }

    /// Type and handle, if it is an object.
    fn object(_c: Self::C) -> Object {
        None
    }
}

/// A pointer that the command writes one value to.
pub(crate) struct Out<'a, T> {
    pointer: *mut T,
    life: PhantomData<&'a mut T>,
}

impl<T> Out<'_, T> {
    /// Writes the result.
    pub(crate) fn write(self, value: T) {
        // SAFETY: `from_c` took a pointer that is valid for writing.
        unsafe { self.pointer.write(value) }
    }
}

/// A pointer to an array whose length other arguments say.
#[derive(Clone, Copy)]
pub(crate) struct Array<'a, T> {
    pointer: *const T,
    life: PhantomData<&'a T>,
}

impl<'a, T> Array<'a, T> {
    /// The first `len` elements; none if the pointer is null.
    pub(crate) fn get(self, len: u32) -> &'a [T] {
        if self.pointer.is_null() || len == 0 {
            return &[];
        }
        // SAFETY: `from_c` took a pointer to an array of the length that the command's other arguments say.
        unsafe { std::slice::from_raw_parts(self.pointer, len as usize) }
    }

    /// An element of an array whose elements are `stride` bytes apart; none if the pointer is null.
    pub(crate) fn at_stride(self, index: u32, stride: u32) -> Option<T>
    where
        T: Copy,
    {
        if self.pointer.is_null() {
            return None;
        }
        // SAFETY: as above, for elements this far apart; they may lie anywhere.
        Some(unsafe {
            self.pointer
                .byte_add(index as usize * stride as usize)
                .read_unaligned()
        })
    }
}

/// A pointer to an array that the command writes, whose length other arguments say; may be null.
#[derive(Clone, Copy)]
pub(crate) struct OutArray<'a, T> {
    pointer: *mut T,
    life: PhantomData<&'a mut T>,
}

impl<'a, T> OutArray<'a, T> {
    /// An array at a pointer of a structure that `commands!` handed over.
    ///
    /// # Safety
    /// The pointer is null, or of an array that stays valid for writing, as long as other members say.
    pub(crate) unsafe fn new(pointer: *mut T) -> Self {
        Self {
            pointer,
            life: PhantomData,
        }
    }

    /// Whether the pointer is null, which often asks for a count.
    pub(crate) fn is_null(self) -> bool {
        self.pointer.is_null()
    }

    /// The first `len` elements, to be changed in place (structures with a chain of their own).
    pub(crate) fn get(self, len: u32) -> &'a mut [T] {
        if self.pointer.is_null() || len == 0 {
            return &mut [];
        }
        // SAFETY: as for `write`; Vulkan forbids aliasing of what a command writes.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, len as usize) }
    }

    /// Writes one element.
    pub(crate) fn write(self, index: usize, value: T) {
        if !self.pointer.is_null() {
            // SAFETY: `from_c` took an array of the length that the command's other arguments say.
            unsafe { self.pointer.add(index).write(value) }
        }
    }

    /// The usual protocol of an enumeration: null asks for the count; else as many as fit, and `INCOMPLETE` if not
    /// all did.
    pub(crate) fn enumerate<I>(self, count: &mut u32, items: I) -> vk::Result
    where
        I: ExactSizeIterator<Item = T>,
    {
        self.enumerate_with(count, items, |slot, item| {
            slot.write(item);
        })
    }

    /// As `enumerate`, for structures whose sType and pNext must stay: `fill` changes each in place.
    pub(crate) fn enumerate_in_place<I: ExactSizeIterator>(
        self,
        count: &mut u32,
        items: I,
        fill: impl Fn(&mut T, I::Item),
    ) -> vk::Result {
        self.enumerate_with(count, items, |slot, item| {
            // SAFETY: the application has set up the structure; see `from_c`.
            fill(unsafe { slot.assume_init_mut() }, item);
        })
    }

    fn enumerate_with<I: ExactSizeIterator>(
        self,
        count: &mut u32,
        items: I,
        fill: impl Fn(&mut std::mem::MaybeUninit<T>, I::Item),
    ) -> vk::Result {
        let total = u32::try_from(items.len()).unwrap_or(u32::MAX);
        if self.pointer.is_null() {
            *count = total;
            return vk::Result::SUCCESS;
        }
        let fit = total.min(*count);
        // SAFETY: `from_c` took an array of at least `count` elements; MaybeUninit asks nothing of their contents.
        let slots = unsafe { std::slice::from_raw_parts_mut(self.pointer.cast(), fit as usize) };
        for (slot, item) in slots.iter_mut().zip(items) {
            fill(slot, item);
        }
        *count = fit;
        if fit < total {
            vk::Result::INCOMPLETE
        } else {
            vk::Result::SUCCESS
        }
    }
}

/// A C string.
pub(crate) type Text<'a> = Option<&'a CStr>;

impl<T> Arg for &T {
    type C = *const T;
    unsafe fn from_c(c: Self::C) -> Answer<Self> {
        // SAFETY: a non-null pointer points to a valid structure, as the caller vouches.
        unsafe { c.as_ref() }.ok_or(Error::NULL)
    }
}

impl<T> Arg for &mut T {
    type C = *mut T;
    unsafe fn from_c(c: Self::C) -> Answer<Self> {
        // SAFETY: a non-null pointer points to a valid structure that nobody else uses, as the caller vouches.
        unsafe { c.as_mut() }.ok_or(Error::NULL)
    }
}

impl<T> Arg for Option<&T> {
    type C = *const T;
    unsafe fn from_c(c: Self::C) -> Answer<Self> {
        // SAFETY: a non-null pointer points to a valid structure, as the caller vouches.
        Ok(unsafe { c.as_ref() })
    }
}

impl<T> Arg for Option<&mut T> {
    type C = *mut T;
    unsafe fn from_c(c: Self::C) -> Answer<Self> {
        // SAFETY: a non-null pointer points to a valid structure that nobody else uses, as the caller vouches.
        Ok(unsafe { c.as_mut() })
    }
}

impl<T> Arg for Out<'_, T> {
    type C = *mut T;
    unsafe fn from_c(c: Self::C) -> Answer<Self> {
        if c.is_null() {
            Err(Error::NULL)
        } else {
            Ok(Self {
                pointer: c,
                life: PhantomData,
            })
        }
    }
}

impl<T> Arg for Array<'_, T> {
    type C = *const T;
    unsafe fn from_c(c: Self::C) -> Answer<Self> {
        Ok(Self {
            pointer: c,
            life: PhantomData,
        })
    }
}

impl<T> Arg for OutArray<'_, T> {
    type C = *mut T;
    unsafe fn from_c(c: Self::C) -> Answer<Self> {
        Ok(Self {
            pointer: c,
            life: PhantomData,
        })
    }
}

/// A C string argument (`*const c_char`); a null pointer is an error.
#[derive(Clone, Copy)]
pub(crate) struct Name<'a>(pub(crate) &'a CStr);

impl Arg for Name<'_> {
    type C = *const c_char;
    unsafe fn from_c(c: Self::C) -> Answer<Self> {
        // SAFETY: a non-null pointer is a string with its end, as the caller vouches.
        unsafe { text(c) }.map(Self).ok_or(Error::NULL)
    }
}

/// The string at a pointer of a structure; none if null.
///
/// # Safety
/// A non-null pointer is a string with its end, which lives as long as the result is used.
pub(crate) unsafe fn text<'a>(pointer: *const c_char) -> Text<'a> {
    // SAFETY: the caller vouches.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) })
}

/// The array at a pointer of a structure; empty if null. For members of structures that `commands!` handed over.
///
/// # Safety
/// A non-null pointer has `len` elements, which live as long as the result is used.
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, len: u32) -> &'a [T] {
    Array {
        pointer,
        life: PhantomData,
    }
    .get(len)
}

impl<T> Arg for *const T {
    type C = Self;
    unsafe fn from_c(c: Self) -> Answer<Self> {
        Ok(c)
    }
}

impl<T> Arg for *mut T {
    type C = Self;
    unsafe fn from_c(c: Self) -> Answer<Self> {
        Ok(c)
    }
}

impl<T: Dispatch> Arg for Ref<'_, T> {
    type C = T::Handle;
    #[inline]
    unsafe fn from_c(c: Self::C) -> Answer<Self> {
        // SAFETY: the handle is null or of a live object, as the caller vouches.
        unsafe { Ref::from_handle(c) }.ok_or(Error::NULL)
    }
    unsafe fn note(c: Self::C, end: End<'_>) {
        // SAFETY: as above.
        if let Some(object) = unsafe { Ref::<T>::from_handle(c) } {
            object.note(end);
        }
    }
    unsafe fn scene<'b>(c: Self::C) -> Option<Scene<'b>> {
        // SAFETY: as above; the object outlives the call.
        unsafe { (*std::ptr::from_ref(&*Ref::<'b, T>::from_handle(c)?)).scene() }
    }
    fn object(c: Self::C) -> Object {
        Some((T::Handle::TYPE.as_raw(), c.as_raw()))
    }
}

/// For commands that destroy: takes the object over.
impl<T: Dispatch> Arg for Option<Owned<T>> {
    type C = T::Handle;
    unsafe fn from_c(c: Self::C) -> Answer<Self> {
        // SAFETY: the handle is null or of a live object that nobody uses from now on, as the caller vouches.
        Ok(unsafe { Owned::from_handle(c) })
    }
}

/// Handles, which pass as they are.
macro_rules! handles {
    ($($ty:ty),* $(,)?) => {
        $(impl Arg for $ty {
            type C = Self;
            unsafe fn from_c(c: Self) -> Answer<Self> {
                Ok(c)
            }
            fn object(c: Self) -> Object {
                Some((<$ty>::TYPE.as_raw(), c.as_raw()))
            }
        })*
    };
}

/// Types that pass as they are.
macro_rules! plain {
    ($($ty:ty),* $(,)?) => {
        $(impl Arg for $ty {
            type C = Self;
            unsafe fn from_c(c: Self) -> Answer<Self> {
                Ok(c)
            }
        })*
    };
}

handles! {
    vk::ShaderEXT, vk::Buffer, vk::BufferView, vk::CommandBuffer, vk::CommandPool, vk::DebugUtilsMessengerEXT, vk::DescriptorPool,
    vk::DescriptorSet, vk::DescriptorSetLayout, vk::DescriptorUpdateTemplate, vk::Device, vk::DeviceMemory, vk::Event,
    vk::Fence, vk::Framebuffer, vk::Image, vk::ImageView, vk::Instance, vk::PhysicalDevice, vk::Pipeline,
    vk::PipelineCache, vk::PipelineLayout, vk::PrivateDataSlot, vk::QueryPool, vk::Queue, vk::RenderPass, vk::Sampler,
    vk::SamplerYcbcrConversion, vk::Semaphore, vk::ShaderModule, vk::SurfaceKHR, vk::SwapchainKHR,
}

plain! {
    i32, u16, u32, u64, usize, f32,
    vk::BufferUsageFlags, vk::SubpassContents, vk::ColorComponentFlags, vk::CommandBufferResetFlags, vk::CommandPoolResetFlags,
    vk::CommandPoolTrimFlags, vk::CompareOp, vk::CullModeFlags, vk::ConservativeRasterizationModeEXT,
    vk::CoverageModulationModeNV, vk::CoverageReductionModeNV, vk::DebugUtilsMessageSeverityFlagsEXT,
    vk::DebugUtilsMessageTypeFlagsEXT, vk::DependencyFlags, vk::DescriptorPoolResetFlags,
    vk::DeviceGroupPresentModeFlagsKHR, vk::DescriptorType, vk::ExternalMemoryHandleTypeFlags, vk::Filter, vk::Format, vk::FrontFace,
    vk::ImageCreateFlags, vk::ImageLayout, vk::ImageTiling, vk::ImageType, vk::ImageUsageFlags, vk::IndexType, vk::LogicOp,
    vk::LineRasterizationModeEXT, vk::ProvokingVertexModeEXT, vk::TessellationDomainOrigin,
    vk::MemoryMapFlags, vk::ObjectType, vk::PeerMemoryFeatureFlags, vk::PipelineBindPoint, vk::PipelineStageFlags,
    vk::PipelineStageFlags2, vk::PolygonMode, vk::PrimitiveTopology, vk::ImageAspectFlags, vk::QueryControlFlags, vk::QueryResultFlags,
    vk::QueryType, vk::SampleCountFlags, vk::ShaderStageFlags, vk::StencilFaceFlags, vk::StencilOp,
}
