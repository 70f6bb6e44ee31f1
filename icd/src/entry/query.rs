//! Query pools.

use super::sync::not_hidden;
use crate::{args::Out, boundary::commands, device::Device, dispatch::Ref, error::Error, objects};
use ash::vk;
use lahar::query::{QueryKind, QueryPool, ResultStatus};
use std::ffi::c_void;

commands! {
    fn vkCreateQueryPool(
        device: Ref<Device>,
        info: &vk::QueryPoolCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        pool: Out<vk::QueryPool>,
    ) -> vk::Result {
        let kind = match info.query_type {
            vk::QueryType::OCCLUSION => QueryKind::Occlusion,
            vk::QueryType::PIPELINE_STATISTICS => QueryKind::Statistics(info.pipeline_statistics),
            vk::QueryType::TIMESTAMP => QueryKind::Timestamp,
            _ => return Err(Error(vk::Result::ERROR_UNKNOWN)),
        };
        let new = QueryPool::new(kind, info.query_count).ok_or(Error(vk::Result::ERROR_OUT_OF_HOST_MEMORY))?;
        pool.write(device.create(&device.tables.query_pools, allocator, || Ok(new))?);
        Ok(())
    }

    fn vkDestroyQueryPool(
        device: Ref<Device>,
        pool: vk::QueryPool,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.query_pools, pool, allocator);
        Ok(())
    }

    fn vkGetQueryPoolResults(
        device: Ref<Device>,
        pool: vk::QueryPool,
        first: u32,
        count: u32,
        size: usize,
        data: *mut c_void,
        stride: u64,
        flags: vk::QueryResultFlags,
    ) -> vk::Result {
        let pool = device.tables.query_pools.get(pool)?;
        not_hidden(&device, pool.available(first, count))?;
        let write = |offset: u64, bytes: &[u8]| {
            let end = offset.saturating_add(bytes.len() as u64);
            if end <= size as u64 {
                // SAFETY: the application gives `size` bytes, and the value lies within.
                unsafe {
                    let to = data.cast::<u8>().add(offset as usize);
                    to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                }
            }
        };
        match pool.results(&device.engine, first, count, stride, flags, write) {
            ResultStatus::Ready => Ok(vk::Result::SUCCESS),
            ResultStatus::NotReady => Ok(vk::Result::NOT_READY),
            ResultStatus::Lost => Err(Error(vk::Result::ERROR_DEVICE_LOST)),
        }
    }

    fn vkResetQueryPool(device: Ref<Device>, pool: vk::QueryPool, first: u32, count: u32) {
        device.tables.query_pools.get(pool)?.reset(first, count);
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[("vkResetQueryPoolEXT", "vkResetQueryPool")];
