//! Chains of structures (`pNext`). Only this file walks them; it never writes an sType or a pNext.

use ash::vk::{self, TaggedStructure};

/// Finds a structure in the chain of `head`.
pub(crate) fn find<T: TaggedStructure, H: TaggedStructure>(head: &H) -> Option<&T> {
    let head: *const H = head;
    // SAFETY: a tagged structure begins with sType and pNext.
    let mut next = unsafe { (*head.cast::<vk::BaseInStructure<'_>>()).p_next };
    // SAFETY: the application built the chain of valid structures, ended by null.
    while let Some(link) = unsafe { next.as_ref() } {
        if link.s_type == T::STRUCTURE_TYPE {
            // SAFETY: the structure type says what the structure is; it lives as long as its head.
            return Some(unsafe { &*next.cast::<T>() });
        }
        next = link.p_next;
    }
    None
}

/// All structures of a type in the chain of `head`, for those that may be there more than once.
pub(crate) fn all<'a, T: TaggedStructure + 'a, H: TaggedStructure>(
    head: &'a H,
) -> impl Iterator<Item = &'a T> {
    inputs(head)
        .filter(|link| link.s_type() == T::STRUCTURE_TYPE)
        .map(|link| {
            let link: *const vk::BaseInStructure<'_> = link.0;
            // SAFETY: the structure type says what the structure is; it lives as long as its head.
            unsafe { &*link.cast::<T>() }
        })
}

/// Finds a structure that the command fills in, in the chain of `head`.
pub(crate) fn find_mut<T: TaggedStructure, H: TaggedStructure>(head: &mut H) -> Option<&mut T> {
    links(head)
        .find(|link| link.s_type() == T::STRUCTURE_TYPE)
        .and_then(Link::into_mut)
}

/// All structures in the chain of `head`, that a command fills in.
pub(crate) fn links<'a, H: TaggedStructure>(head: &'a mut H) -> impl Iterator<Item = Link<'a>> {
    let head: *mut H = head;
    // SAFETY: a tagged structure begins with sType and pNext.
    let mut next = unsafe { (*head.cast::<vk::BaseOutStructure<'a>>()).p_next };
    std::iter::from_fn(move || {
        let pointer = std::ptr::NonNull::new(next)?;
        // SAFETY: the application built the chain of valid structures, ended by null.
        next = unsafe { pointer.as_ref() }.p_next;
        Some(Link {
            pointer,
            life: std::marker::PhantomData,
        })
    })
}

/// The structures in the chain of `head` that the application passes, by type and address.
pub(crate) fn inputs<'a, H: TaggedStructure>(head: &'a H) -> impl Iterator<Item = Input<'a>> {
    let head: *const H = head;
    // SAFETY: a tagged structure begins with sType and pNext.
    let mut next = unsafe { (*head.cast::<vk::BaseInStructure<'a>>()).p_next };
    std::iter::from_fn(move || {
        // SAFETY: the application built the chain of valid structures, ended by null.
        let link = unsafe { next.as_ref() }?;
        next = link.p_next;
        Some(Input(link))
    })
}

/// A structure of an input chain.
pub(crate) struct Input<'a>(&'a vk::BaseInStructure<'a>);

impl<'a> Input<'a> {
    /// Its structure type.
    pub(crate) fn s_type(&self) -> vk::StructureType {
        self.0.s_type
    }

    /// Its members, if all `count` after pNext are `VkBool32`, as in structures of features.
    pub(crate) fn bools(&self, count: usize) -> &'a [vk::Bool32] {
        let head: *const vk::BaseInStructure<'_> = self.0;
        // SAFETY: the caller says what the structure type says: `count` members of this type follow.
        unsafe { std::slice::from_raw_parts(head.add(1).cast(), count) }
    }
}

/// A structure of an output chain.
pub(crate) struct Link<'a> {
    pointer: std::ptr::NonNull<vk::BaseOutStructure<'a>>,
    life: std::marker::PhantomData<&'a mut ()>,
}

impl<'a> Link<'a> {
    /// Its structure type.
    pub(crate) fn s_type(&self) -> vk::StructureType {
        // SAFETY: the pointer is to a valid structure.
        unsafe { self.pointer.as_ref() }.s_type
    }

    /// The structure as what its type says.
    pub(crate) fn into_mut<T: TaggedStructure>(self) -> Option<&'a mut T> {
        (self.s_type() == T::STRUCTURE_TYPE).then(|| {
            // SAFETY: the structure type says what it is; each link is handed out once.
            unsafe { self.pointer.cast::<T>().as_mut() }
        })
    }

    /// Its members, if all `count` after pNext are `VkBool32`, as in structures of features.
    pub(crate) fn bools(&mut self, count: usize) -> &mut [vk::Bool32] {
        // SAFETY: the caller says what the structure type says: `count` members of this type follow.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr().add(1).cast(), count) }
    }
}
