//! Query pools.

use super::sync::not_hidden;
use crate::{
    args::{Array, Out, OutArray},
    boundary::commands,
    device::Device,
    dispatch::Ref,
    error::Error,
    instance::PhysicalDevice,
    objects,
};
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

    fn vkGetPhysicalDeviceCalibrateableTimeDomainsKHR(
        _physical: Ref<PhysicalDevice>,
        count: &mut u32,
        domains: OutArray<vk::TimeDomainKHR>,
    ) -> vk::Result {
        Ok(domains.enumerate(count, DOMAINS.into_iter()))
    }

    fn vkGetCalibratedTimestampsKHR(
        device: Ref<Device>,
        count: u32,
        infos: Array<vk::CalibratedTimestampInfoKHR<'_>>,
        timestamps: OutArray<u64>,
        deviation: Out<u64>,
    ) -> vk::Result {
        let start = device.engine.now();
        for (index, info) in infos.get(count).iter().enumerate() {
            let now = match info.time_domain {
                vk::TimeDomainKHR::DEVICE => device.engine.now(),
                vk::TimeDomainKHR::CLOCK_MONOTONIC => clock(libc::CLOCK_MONOTONIC),
                vk::TimeDomainKHR::CLOCK_MONOTONIC_RAW => clock(libc::CLOCK_MONOTONIC_RAW),
                _ => return Err(Error(vk::Result::ERROR_UNKNOWN)),
            };
            timestamps.write(index, now);
        }
        // All were read between then and now, by clocks that tell nanoseconds.
        deviation.write(device.engine.now() - start + 1);
        Ok(vk::Result::SUCCESS)
    }

    fn vkResetQueryPool(device: Ref<Device>, pool: vk::QueryPool, first: u32, count: u32) {
        device.tables.query_pools.get(pool)?.reset(first, count);
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("vkResetQueryPoolEXT", "vkResetQueryPool"),
    (
        "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT",
        "vkGetPhysicalDeviceCalibrateableTimeDomainsKHR",
    ),
    ("vkGetCalibratedTimestampsEXT", "vkGetCalibratedTimestampsKHR"),
];

/// The clocks that can be read together.
const DOMAINS: [vk::TimeDomainKHR; 3] = [
    vk::TimeDomainKHR::DEVICE,
    vk::TimeDomainKHR::CLOCK_MONOTONIC,
    vk::TimeDomainKHR::CLOCK_MONOTONIC_RAW,
];

/// Nanoseconds of a clock of the system.
fn clock(id: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the time is the function's to write.
    unsafe { libc::clock_gettime(id, &mut time) };
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}
