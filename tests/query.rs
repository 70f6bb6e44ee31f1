//! Query pools through the loader.

mod common;

use common::{
    Device, vk,
    work::{Buffer, run},
};

fn pool(device: &Device, query_type: vk::QueryType, count: u32) -> vk::QueryPool {
    let info = vk::QueryPoolCreateInfo::default()
        .query_type(query_type)
        .query_count(count);
    // SAFETY: plain structures.
    unsafe { device.raw.create_query_pool(&info, None) }.expect("a pool")
}

#[test]
fn timestamps_do_not_run_backwards_and_can_be_copied() {
    let device = Device::new();
    let raw = &device.raw;
    let pool = pool(&device, vk::QueryType::TIMESTAMP, 3);
    let out = Buffer::new(&device, 40);
    let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
    // SAFETY: all is alive until the work is done.
    run(&device, |cb| unsafe {
        raw.cmd_reset_query_pool(cb, pool, 0, 3);
        raw.cmd_write_timestamp(cb, vk::PipelineStageFlags::TOP_OF_PIPE, pool, 0);
        raw.cmd_fill_buffer(cb, out.raw, 32, 8, 1);
        raw.cmd_write_timestamp(cb, vk::PipelineStageFlags::BOTTOM_OF_PIPE, pool, 1);
        raw.cmd_copy_query_pool_results(cb, pool, 0, 2, out.raw, 0, 16, flags);
    });
    let mut times = [0_u64; 2];
    // SAFETY: the pool is alive.
    unsafe {
        let wait = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        raw.get_query_pool_results(pool, 0, &mut times, wait)
            .expect("results");
        let mut none = [0_u64];
        let poll = raw.get_query_pool_results(pool, 2, &mut none, vk::QueryResultFlags::TYPE_64);
        assert_eq!(poll, Err(vk::Result::NOT_READY));
        raw.destroy_query_pool(pool, None);
    }
    assert!(times[0] <= times[1]);
    let words = out.words();
    let wide = |i: usize| u64::from(words[i]) | u64::from(words[i + 1]) << 32;
    assert_eq!([wide(0), wide(2), wide(4), wide(6)], [times[0], 1, times[1], 1]);
    out.destroy(&device);
}

#[test]
fn an_occlusion_query_without_draws_counts_nothing() {
    let device = Device::new();
    let raw = &device.raw;
    let pool = pool(&device, vk::QueryType::OCCLUSION, 2);
    // SAFETY: all is alive until the work is done.
    run(&device, |cb| unsafe {
        raw.cmd_reset_query_pool(cb, pool, 0, 2);
        raw.cmd_begin_query(cb, pool, 1, vk::QueryControlFlags::empty());
        raw.cmd_end_query(cb, pool, 1);
    });
    let mut counts = [7_u32; 4];
    let flags = vk::QueryResultFlags::WITH_AVAILABILITY | vk::QueryResultFlags::PARTIAL;
    // SAFETY: the pool is alive; two words a query.
    unsafe {
        let pairs: &mut [[u32; 2]] = &mut [[7, 7], [7, 7]];
        let status = raw.get_query_pool_results(pool, 0, pairs, flags);
        assert_eq!(status, Err(vk::Result::NOT_READY));
        counts.copy_from_slice(pairs.as_flattened());
        raw.destroy_query_pool(pool, None);
    }
    assert_eq!(counts, [0, 0, 0, 1]);
}

#[test]
fn clocks_of_device_and_host_are_read_together() {
    let names = [ash::khr::calibrated_timestamps::NAME.as_ptr()];
    let info = vk::DeviceCreateInfo::default().enabled_extension_names(&names);
    let device = Device::create(common::Instance::new(), info);
    let (instance, raw) = (&device.instance, &device.raw);
    let physical = ash::khr::calibrated_timestamps::Instance::new(common::entry(), &instance.raw);
    let clocks = ash::khr::calibrated_timestamps::Device::new(&instance.raw, raw);
    let pool = pool(&device, vk::QueryType::TIMESTAMP, 1);
    // SAFETY: all is alive until the work is done.
    unsafe {
        let domains = physical
            .get_physical_device_calibrateable_time_domains(instance.physical)
            .expect("domains");
        assert!(
            domains.contains(&vk::TimeDomainKHR::DEVICE)
                && domains.contains(&vk::TimeDomainKHR::CLOCK_MONOTONIC)
        );
        let infos: Vec<_> = domains
            .iter()
            .map(|domain| vk::CalibratedTimestampInfoKHR::default().time_domain(*domain))
            .collect();
        let (before, deviation) = clocks.get_calibrated_timestamps(&infos).expect("times");
        assert!(deviation > 0);
        run(&device, |cb| {
            raw.cmd_reset_query_pool(cb, pool, 0, 1);
            raw.cmd_write_timestamp(cb, vk::PipelineStageFlags::BOTTOM_OF_PIPE, pool, 0);
        });
        let mut written = [0_u64];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        raw.get_query_pool_results(pool, 0, &mut written, flags)
            .expect("a result");
        let (after, _) = clocks.get_calibrated_timestamps(&infos).expect("times");
        assert!(before.iter().zip(&after).all(|(before, after)| before <= after));
        // The device's clock is that of its timestamps.
        let at = domains
            .iter()
            .position(|domain| *domain == vk::TimeDomainKHR::DEVICE);
        let at = at.expect("it is there");
        assert!((before[at]..=after[at]).contains(&written[0]));
        raw.destroy_query_pool(pool, None);
    }
}
