use super::*;
use crate::memory::{Profile, raw};

fn memory(listeners: Vec<Listener>) -> Arc<Memory> {
    Memory::new(
        Properties::new(Profile::Discrete, 8 << 30),
        Arc::default(),
        listeners,
    )
    .unwrap()
}

fn request(size: u64) -> Request {
    Request {
        size,
        type_index: 1,
        owner: vk::ObjectType::DEVICE_MEMORY,
        placement: Placement::Anywhere,
        backing: Backing::Private,
    }
}

#[test]
fn captured_addresses_can_be_had_again_and_others_stay_away() {
    let (m, other_device) = (memory(vec![]), memory(vec![]));
    let on = |m: &Arc<Memory>, placement| {
        m.allocate(&Request {
            placement,
            ..request(100)
        })
    };
    let captured = |placement| on(&m, placement);
    let (a, b) = (
        captured(Placement::Captured).unwrap(),
        captured(Placement::Captured).unwrap(),
    );
    let (at, other) = (b.address(), a.address());
    assert_eq!(
        captured(Placement::At(at)).unwrap_err(),
        Error::InvalidCaptureAddress(at)
    );
    assert_eq!(
        on(&other_device, Placement::At(at)).unwrap_err(),
        Error::InvalidCaptureAddress(at)
    );
    drop((a, b));
    assert_eq!(on(&other_device, Placement::At(at)).unwrap().address(), at);
    let again = captured(Placement::At(at)).unwrap();
    again.commit().unwrap();
    assert_eq!(raw::load::<u64>(at), 0);
    assert!(matches!(m.locate(at), Place::Live(_)));
    assert!(matches!(other_device.locate(at), Place::Gap(_)));
    drop(again);
    assert!(![at, other].contains(&captured(Placement::Captured).unwrap().address()));
    let ordinary = m.allocate(&request(100)).unwrap().address();
    assert_eq!(
        captured(Placement::At(ordinary)).unwrap_err(),
        Error::InvalidCaptureAddress(ordinary)
    );
}

#[test]
fn the_budget_is_enforced_and_comes_back() {
    let m = memory(vec![]);
    let heap = m.properties().heaps[1].size;
    let a = m.allocate(&request(heap - 4096)).unwrap();
    assert_eq!(
        m.allocate(&request(4097)).unwrap_err(),
        Error::OutOfDeviceMemory { heap: 1 }
    );
    let b = m.allocate(&request(1)).unwrap();
    assert_eq!(m.used(1), heap);
    a.free();
    drop(b);
    assert_eq!(m.used(1), 0);
    assert!(m.allocate(&request(u64::MAX)).is_err());
}

#[test]
fn freed_memory_is_remembered_and_not_used_again_soon() {
    let m = memory(vec![]);
    let a = m.allocate(&request(100)).unwrap();
    a.commit().unwrap();
    a.announce(77);
    raw::store(a.address(), 1u64);
    let address = a.address();
    assert!(matches!(m.locate(address + 99), Place::Live(r) if r.handle == 77));
    assert!(matches!(m.locate(address + 100), Place::Gap(Some(r)) if r.id == a.id()));
    drop(a);
    assert!(matches!(m.locate(address), Place::Freed(r) if r.size == 100 && r.handle == 77));
    assert_ne!(m.allocate(&request(100)).unwrap().address(), address);
    assert_eq!(m.locate(0x1000), Place::Outside);
}

#[test]
fn memory_is_zero_and_all_of_it_is_there() {
    let m = memory(vec![]);
    let a = m.allocate(&request(5 << 20)).unwrap();
    a.commit().unwrap();
    assert_eq!(a.address() % HUGE, 0);
    assert_eq!(raw::load::<u64>(a.address()), 0);
    assert_eq!(raw::load::<u64>(a.address() + (5 << 20) - 8), 0);
}

#[test]
fn events_pair_up() {
    let log = Arc::new(Mutex::new(vec![]));
    let sink = log.clone();
    let m = memory(vec![Box::new(move |e: &Event| sink.lock().push(*e))]);
    let a = m.allocate(&request(10)).unwrap();
    a.announce(5);
    drop(a);
    assert!(m.allocate(&request(1 << 50)).is_err());
    let kinds: Vec<_> = log
        .lock()
        .iter()
        .map(|e| (e.kind.as_raw(), e.memory_object_id, e.object_handle))
        .collect();
    assert_eq!(kinds, [(0, 1, 5), (1, 1, 5), (4, 0, 0)]);
}
