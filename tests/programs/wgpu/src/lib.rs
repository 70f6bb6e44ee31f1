//! A client of `wgpu` that squares numbers on a device and says how that failed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// How a job fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The device is lost; a new one may work.
    Lost(String),
    /// There was no memory for it; the device works on.
    Memory(String),
    /// Anything else.
    Other(String),
}

impl From<wgpu::Error> for Failure {
    fn from(error: wgpu::Error) -> Failure {
        let text = error.to_string();
        match error {
            wgpu::Error::OutOfMemory { .. } => Failure::Memory(text),
            _ => Failure::Other(text),
        }
    }
}

/// A device, and what has been told of it.
pub struct Client {
    /// The device.
    pub device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::ComputePipeline,
    lost: Arc<Mutex<Option<String>>>,
    errors: Arc<Mutex<Vec<Failure>>>,
}

const SQUARE: &str = "
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    numbers[id.x] = numbers[id.x] * numbers[id.x];
}";

impl Client {
    /// A device of the first Vulkan adapter.
    pub fn new() -> Result<Client, Failure> {
        pollster::block_on(Client::create())
    }

    async fn create() -> Result<Client, Failure> {
        let other = |what: String| Failure::Other(what);
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            // Lahar claims no version of the conformance tests, since none has been submitted; wgpu hides such a driver.
            flags: wgpu::InstanceFlags::default()
                | wgpu::InstanceFlags::ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapter = instance
            .request_adapter(&wgpu::RequestAdapterOptions::default())
            .await
            .map_err(|error| other(error.to_string()))?;
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                // Small blocks, so that a large buffer has an allocation of its own.
                memory_hints: wgpu::MemoryHints::MemoryUsage,
                ..Default::default()
            })
            .await
            .map_err(|error| other(error.to_string()))?;
        let (lost, errors) = (Arc::new(Mutex::new(None)), Arc::new(Mutex::new(Vec::new())));
        let (tell_loss, tell_error) = (lost.clone(), errors.clone());
        device.set_device_lost_callback(move |reason, message| {
            *lock(&tell_loss) = Some(format!("{reason:?}: {message}"));
        });
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            lock(&tell_error).push(error.into());
        }));
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("square"),
            source: wgpu::ShaderSource::Wgsl(SQUARE.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("square"),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let client = Client {
            device,
            queue,
            pipeline,
            lost,
            errors,
        };
        client.check()?;
        Ok(client)
    }

    /// What the device was lost for, if it is.
    pub fn lost(&self) -> Option<String> {
        lock(&self.lost).clone()
    }

    fn check(&self) -> Result<(), Failure> {
        if let Some(why) = self.lost() {
            return Err(Failure::Lost(why));
        }
        match lock(&self.errors).drain(..).next() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Squares the numbers of a buffer of this many words on the device.
    pub fn square(&self, words: u32) -> Result<Vec<u32>, Failure> {
        let size = u64::from(words) * 4;
        let buffer = |label, usage| {
            let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation: false,
            });
            self.check().map(|()| buffer)
        };
        use wgpu::BufferUsages as Usage;
        let numbers = buffer("numbers", Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST)?;
        let back = buffer("back", Usage::MAP_READ | Usage::COPY_DST)?;
        let input: Vec<u8> = (0..words).flat_map(u32::to_le_bytes).collect();
        self.queue.write_buffer(&numbers, 0, &input);
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: numbers.as_entire_binding(),
            }],
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(words / 64, 1, 1);
        }
        encoder.copy_buffer_to_buffer(&numbers, 0, &back, 0, size);
        self.queue.submit([encoder.finish()]);
        self.read(&back)
    }

    fn read(&self, back: &wgpu::Buffer) -> Result<Vec<u32>, Failure> {
        let mapped = Arc::new(Mutex::new(None));
        let tell = mapped.clone();
        back.map_async(wgpu::MapMode::Read, .., move |result| {
            *lock(&tell) = Some(result);
        });
        // wgpu 30 panics where the device is lost while it waits, whatever handlers are set.
        let poll = || self.device.poll(wgpu::PollType::wait_indefinitely());
        let polled = catch_unwind(AssertUnwindSafe(poll));
        self.check()?;
        match polled {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return Err(Failure::Other(error.to_string())),
            Err(_) => return Err(Failure::Other("wgpu panicked".to_owned())),
        }
        match lock(&mapped).take() {
            Some(Ok(())) => {}
            answer => return Err(Failure::Other(format!("the buffer is not mapped: {answer:?}"))),
        }
        let bytes = back
            .get_mapped_range(..)
            .map_err(|error| Failure::Other(error.to_string()))?;
        let word = |four: &[u8]| u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        Ok(bytes.chunks_exact(4).map(word).collect())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// What [`Client::square`] is to give.
pub fn squares(words: u32) -> Vec<u32> {
    (0..words).map(|n| n.wrapping_mul(n)).collect()
}
