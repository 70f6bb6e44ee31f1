//! Runs a compute shader on plain memory, on every back end of the host.

use crate::descriptor::BufferDescriptor;
use crate::memory::AlignedBuf;
use crate::shader::abi::{
    CALL_FRAME_BYTES, ComputeArgs, Context, ROUTINE_SLOTS, RoutineSlot, Status, zeros_address,
};
use crate::shader::kernel::{Backend, Kernel, compile};
use crate::shader::spirv::{BindingLayout, Module, ResourceLayout, SpecInfo};
use crate::shader::stage::{SpirvShader, compute};
use crate::vk;

/// Fuel of a wave in tests.
pub(super) const FUEL: i64 = 1 << 16;

/// A shader, its resources and its size.
pub(super) struct Dispatch {
    /// Forms of the shader, all of which have to give the same.
    pub spirv: [&'static [u8]; 2],
    pub spec: Vec<(u32, u64)>,
    /// Storage buffers of set 0, by binding.
    pub buffers: Vec<Vec<u32>>,
    pub push: Vec<u32>,
    pub groups: [u32; 3],
}

impl Dispatch {
    /// One workgroup.
    pub(super) fn new(spirv: [&'static [u8]; 2], buffers: Vec<Vec<u32>>) -> Dispatch {
        Dispatch {
            spirv,
            spec: Vec::new(),
            buffers,
            push: Vec::new(),
            groups: [1, 1, 1],
        }
    }
}

/// The words of a module.
pub(super) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect()
}

/// Storage buffers 0 to `count - 1` of set 0.
pub(super) fn layout(count: u32) -> ResourceLayout {
    let binding = |binding: u32| BindingLayout {
        binding,
        ty: vk::DescriptorType::STORAGE_BUFFER,
        count: 1,
        offset: 16 * binding,
        stride: 16,
        dynamic_index: None,
    };
    ResourceLayout {
        heap: None,
        sets: vec![(0..count).map(binding).collect()],
    }
}

/// Back ends that run here.
pub(super) fn backends() -> Vec<Backend> {
    let all = [Backend::Interpreter, Backend::Avx2, Backend::Avx512];
    all.into_iter().filter(|backend| backend.is_supported()).collect()
}

/// Compiles a shader for a back end.
fn kernel(dispatch: &Dispatch, form: usize, backend: Backend) -> (Kernel, [u32; 3], u32) {
    let module = Module::parse(&words(dispatch.spirv[form])).expect("the module parses");
    let spec = SpecInfo {
        values: dispatch.spec.clone(),
        ..SpecInfo::default()
    };
    let entry = module
        .entry("main", vk::ShaderStageFlags::COMPUTE, &spec)
        .expect("it has the entry point");
    let size = entry.interface.workgroup_size;
    let shared = entry.interface.shared_bytes;
    let shader = SpirvShader {
        entry,
        layout: layout(dispatch.buffers.len() as u32),
    };
    let func = compute::build(&shader, backend.width()).expect("it translates");
    (compile(func, backend).expect("it compiles"), size, shared)
}

/// Runs a shader; gives the buffers afterwards, which every back end agrees on, and the last status.
pub(super) fn run(dispatch: &Dispatch) -> Vec<Vec<u32>> {
    let (first, status) = run_on(dispatch, 0, Backend::Interpreter);
    assert_eq!(status, Status::Done as u32);
    for form in 0..dispatch.spirv.len() {
        for backend in backends() {
            let (other, status) = run_on(dispatch, form, backend);
            assert_eq!(status, Status::Done as u32);
            assert_eq!(first, other, "{backend:?} disagrees on form {form}");
        }
    }
    first
}

/// Runs one form of a shader on one back end.
pub(super) fn run_on(dispatch: &Dispatch, form: usize, backend: Backend) -> (Vec<Vec<u32>>, u32) {
    let (kernel, size, shared_bytes) = kernel(dispatch, form, backend);
    let buffers: Vec<AlignedBuf> = dispatch.buffers.iter().map(|words| filled(words)).collect();
    let mut set = Vec::new();
    for (buffer, words) in buffers.iter().zip(&dispatch.buffers) {
        let descriptor = BufferDescriptor::new(buffer.address(), 4 * words.len() as u32);
        set.extend([
            descriptor.address as u32,
            (descriptor.address >> 32) as u32,
            descriptor.range,
            descriptor.mark,
        ]);
    }
    let set = filled(&set);
    let push = filled(&dispatch.push);
    let ids = filled(&compute::local_ids(size));
    let total = size.iter().product::<u32>();
    let waves = total.div_ceil(backend.width());
    let frame_bytes = (kernel.frame_bytes() as usize).next_multiple_of(64).max(64);
    let frames: Vec<AlignedBuf> = (0..waves).map(|_| AlignedBuf::new(frame_bytes)).collect();
    let shared = AlignedBuf::new(shared_bytes as usize + 64);
    let routines = AlignedBuf::new(ROUTINE_SLOTS * size_of::<RoutineSlot>());
    let call_frame = AlignedBuf::new(CALL_FRAME_BYTES);
    let mut context = Context {
        sets: [set.address(); _],
        push: push.address(),
        dynamic_offsets: 0,
        frame: 0,
        shared: shared.address(),
        fuel: FUEL,
        wave_fuel: FUEL,
        routines: routines.address(),
        resolve: 0,
        decode: 0,
        host: 0,
        call_frame: call_frame.address(),
        view_index: 0,
        draw_index: 0,
        zeros: zeros_address(),
        ..Context::default()
    };
    let [x, y, z] = dispatch.groups;
    let mut last = Status::Done as u32;
    for group in 0..x * y * z {
        let id = [group % x, group / x % y, group / (x * y)];
        let mut states = vec![0u32; waves as usize];
        let mut running = true;
        while running {
            running = false;
            for (wave, state) in states.iter_mut().enumerate() {
                if *state == u32::MAX {
                    continue;
                }
                context.frame = frames[wave].address();
                let args = ComputeArgs {
                    workgroup_id: id,
                    num_workgroups: dispatch.groups,
                    first_invocation: wave as u32 * backend.width(),
                    state: *state,
                    local_ids: ids.address(),
                };
                let status = kernel.call(&raw mut context as u64, &raw const args as u64);
                if status >= Status::BARRIER {
                    *state = status - Status::BARRIER;
                    running = true;
                } else {
                    *state = u32::MAX;
                    last = last.max(status);
                }
            }
        }
    }
    let read = |(buffer, words): (&AlignedBuf, &Vec<u32>)| {
        (0..words.len() as u64)
            .map(|i| crate::memory::raw::load(buffer.address() + 4 * i))
            .collect()
    };
    (buffers.iter().zip(&dispatch.buffers).map(read).collect(), last)
}

/// Memory with these words.
fn filled(words: &[u32]) -> AlignedBuf {
    let buffer = AlignedBuf::new(4 * words.len().max(16));
    for (i, &word) in (0u64..).zip(words) {
        crate::memory::raw::store(buffer.address() + 4 * i, word);
    }
    buffer
}
