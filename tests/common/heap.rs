//! `VK_EXT_descriptor_heap` as the registry lays it out, by hand: ash lacks it, and what tests ask with should not come
//! from the generator that is tested.

use super::{Device, Instance, fault::address, pipeline::module, vk, work::Buffer};
use std::ffi::{CStr, c_void};
use std::ptr::null;

/// Bytes from one descriptor to the next in the resource heaps of tests, and in their sampler heaps.
pub const STEP: usize = 64;
/// Bytes of the opaque data of an image.
pub const CAPTURE_SIZE: usize = 48;
/// See [`STEP`].
pub const SAMPLER_STEP: usize = 32;

/// A structure of features with up to two of them, all asked for.
#[repr(C)]
pub struct Features {
    s_type: i32,
    p_next: *mut c_void,
    on: [u32; 2],
}

// SAFETY: it begins with sType and pNext, and is one of the chains that it is said to extend.
unsafe impl vk::ExtendsDeviceCreateInfo for Features {}

/// A range of memory of the host.
#[repr(C)]
pub struct HostRange {
    /// Where.
    pub address: *mut c_void,
    /// Bytes.
    pub size: usize,
}

/// `VkResourceDescriptorInfoEXT`; the data is a pointer to what the type says.
#[repr(C)]
pub struct ResourceInfo {
    s_type: i32,
    p_next: *const c_void,
    ty: vk::DescriptorType,
    data: *const c_void,
}

/// `VkTexelBufferDescriptorInfoEXT`.
#[repr(C)]
struct TexelInfo {
    s_type: i32,
    p_next: *const c_void,
    format: vk::Format,
    range: [u64; 2],
}

/// `VkImageDescriptorInfoEXT`.
#[repr(C)]
struct ImageInfo<'a> {
    s_type: i32,
    p_next: *const c_void,
    view: *const vk::ImageViewCreateInfo<'a>,
    layout: vk::ImageLayout,
}

/// `VkBindHeapInfoEXT`.
#[repr(C)]
pub struct BindInfo {
    s_type: i32,
    p_next: *const c_void,
    /// Address and size.
    range: [u64; 2],
    reserved: [u64; 2],
}

impl BindInfo {
    /// A whole buffer.
    pub fn of(device: &Device, heap: &Buffer) -> BindInfo {
        BindInfo {
            s_type: 1_000_135_003,
            p_next: null(),
            range: [address(device, heap), heap.size as u64],
            reserved: [0; 2],
        }
    }
}

/// `VkPushDataInfoEXT`.
#[repr(C)]
struct PushInfo {
    s_type: i32,
    p_next: *const c_void,
    offset: u32,
    address: *const c_void,
    size: usize,
}

/// `VkDescriptorSetAndBindingMappingEXT`.
#[repr(C)]
pub struct Mapping {
    s_type: i32,
    p_next: *const c_void,
    /// Set, first binding, bindings, kinds of resources.
    pub of: [u32; 4],
    source: i32,
    data: [u64; 7],
}

const _: () = assert!(size_of::<Mapping>() == 96 && std::mem::offset_of!(Mapping, data) == 40);

fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

impl Mapping {
    /// A binding whose source is this, with this data.
    pub fn new(set: u32, binding: u32, source: i32, data: &[u64]) -> Mapping {
        let mut all = [0; 7];
        all[..data.len()].copy_from_slice(data);
        Mapping {
            s_type: 1_000_135_005,
            p_next: null(),
            of: [set, binding, 1, 0x7fff_ffff],
            source,
            data: all,
        }
    }

    /// At a constant offset; a sampler is embedded if there is one.
    pub fn constant(
        set: u32,
        binding: u32,
        offset: usize,
        sampler: *const vk::SamplerCreateInfo<'_>,
    ) -> Mapping {
        let data = [
            pair(offset as u32, STEP as u32),
            sampler as u64,
            pair(offset as u32, 32),
        ];
        Mapping::new(set, binding, 0, &data)
    }

    /// At an index in push data.
    pub fn push(set: u32, binding: u32, push: u32) -> Mapping {
        let step = STEP as u32;
        Mapping::new(set, binding, 1, &[pair(0, push), pair(step, step), 0, 0, 0, 0])
    }

    /// At an index behind an address in push data, an index for each element if `array`; `packed` with the sampler's.
    pub fn indirect(set: u32, binding: u32, push: u32, at: u32, array: bool, packed: bool) -> Mapping {
        let (step, sampler_step) = (STEP as u32, SAMPLER_STEP as u32);
        let packed = u32::from(packed);
        if array {
            let data = [
                pair(0, push),
                pair(at, step),
                0,
                pair(packed, 0),
                pair(push, at),
                pair(sampler_step, 0),
            ];
            return Mapping::new(set, binding, 3, &data);
        }
        let data = [
            pair(0, push),
            pair(at, step),
            pair(step, 0),
            0,
            pair(packed, 0),
            pair(push, at),
            pair(sampler_step, sampler_step),
        ];
        Mapping::new(set, binding, 2, &data)
    }
}

/// `VkShaderDescriptorSetAndBindingMappingInfoEXT`.
#[repr(C)]
pub struct MappingInfo {
    s_type: i32,
    p_next: *const c_void,
    count: u32,
    mappings: *const Mapping,
}

// SAFETY: it begins with sType and pNext, and is one of the chains that it is said to extend.
unsafe impl vk::ExtendsPipelineShaderStageCreateInfo for MappingInfo {}
// SAFETY: as above.
unsafe impl vk::ExtendsShaderCreateInfoEXT for MappingInfo {}

impl MappingInfo {
    /// These mappings.
    pub fn new(mappings: &[Mapping]) -> MappingInfo {
        MappingInfo {
            s_type: 1_000_135_006,
            p_next: null(),
            count: mappings.len() as u32,
            mappings: mappings.as_ptr(),
        }
    }
}

/// `VkSamplerCustomBorderColorIndexCreateInfoEXT`.
#[repr(C)]
pub struct BorderIndex {
    s_type: i32,
    p_next: *const c_void,
    index: u32,
}

// SAFETY: it begins with sType and pNext, and is one of the chains that it is said to extend.
unsafe impl vk::ExtendsSamplerCreateInfo for BorderIndex {}

impl BorderIndex {
    /// This index.
    pub fn new(index: u32) -> BorderIndex {
        BorderIndex {
            s_type: 1_000_135_011,
            p_next: null(),
            index,
        }
    }
}

/// `VkOpaqueCaptureDataCreateInfoEXT`.
#[repr(C)]
pub struct CaptureInfo {
    s_type: i32,
    p_next: *const c_void,
    range: *const HostRange,
}

// SAFETY: it begins with sType and pNext, and is one of the chains that it is said to extend.
unsafe impl vk::ExtendsImageCreateInfo for CaptureInfo {}

impl CaptureInfo {
    /// This data.
    pub fn new(range: Option<&HostRange>) -> CaptureInfo {
        CaptureInfo {
            s_type: 1_000_135_007,
            p_next: null(),
            range: range.map_or(null(), std::ptr::from_ref),
        }
    }
}

type Any = unsafe extern "system" fn();
type WriteSamplers = unsafe extern "system" fn(
    vk::Device,
    u32,
    *const vk::SamplerCreateInfo<'_>,
    *const HostRange,
) -> vk::Result;
type WriteResources =
    unsafe extern "system" fn(vk::Device, u32, *const ResourceInfo, *const HostRange) -> vk::Result;
type Bind = unsafe extern "system" fn(vk::CommandBuffer, *const BindInfo);
type Push = unsafe extern "system" fn(vk::CommandBuffer, *const PushInfo);
type Register = unsafe extern "system" fn(
    vk::Device,
    *const vk::SamplerCustomBorderColorCreateInfoEXT<'_>,
    vk::Bool32,
    *mut u32,
) -> vk::Result;
type Unregister = unsafe extern "system" fn(vk::Device, u32);
type GetData = unsafe extern "system" fn(vk::Device, u32, *const vk::Image, *const HostRange) -> vk::Result;

/// The commands.
pub struct Heaps {
    device: vk::Device,
    write_samplers: WriteSamplers,
    write_resources: WriteResources,
    bind_samplers: Bind,
    bind_resources: Bind,
    push: Push,
    capture: GetData,
    register: Register,
    unregister: Unregister,
}

/// A device with descriptor heaps and the fault queries; addresses may be replayed.
pub fn device() -> (Device, Heaps) {
    let features = |s_type, second: bool| Features {
        s_type,
        p_next: std::ptr::null_mut(),
        on: [1, u32::from(second)],
    };
    let mut heaps = features(1_000_135_009, true);
    let mut untyped = features(1_000_387_000, false);
    let mut maintenance = vk::PhysicalDeviceMaintenance5FeaturesKHR::default().maintenance5(true);
    let mut fault = vk::PhysicalDeviceFaultFeaturesEXT::default()
        .device_fault(true)
        .device_fault_vendor_binary(true);
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default()
        .buffer_device_address(true)
        .buffer_device_address_capture_replay(true);
    let mut objects = vk::PhysicalDeviceShaderObjectFeaturesEXT::default().shader_object(true);
    let mut border = vk::PhysicalDeviceCustomBorderColorFeaturesEXT::default()
        .custom_border_colors(true)
        .custom_border_color_without_format(true);
    let mut rendering = vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true);
    let names = [
        c"VK_EXT_descriptor_heap",
        c"VK_KHR_shader_untyped_pointers",
        ash::khr::maintenance5::NAME,
        ash::khr::buffer_device_address::NAME,
        ash::khr::dynamic_rendering::NAME,
        ash::ext::device_fault::NAME,
        ash::ext::shader_object::NAME,
        ash::ext::custom_border_color::NAME,
    ]
    .map(CStr::as_ptr);
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut heaps)
        .push_next(&mut untyped)
        .push_next(&mut maintenance)
        .push_next(&mut fault)
        .push_next(&mut addresses)
        .push_next(&mut objects)
        .push_next(&mut border)
        .push_next(&mut rendering);
    let device = Device::create(Instance::with_extensions(&[ash::ext::debug_utils::NAME]), info);
    let heaps = Heaps::new(&device);
    (device, heaps)
}

impl Heaps {
    fn new(device: &Device) -> Heaps {
        let get = device.instance.raw.fp_v1_0().get_device_proc_addr;
        // SAFETY: the pointers are cast to the types that the registry gives the commands.
        unsafe {
            let find = |name: &CStr| {
                get(device.raw.handle(), name.as_ptr()).unwrap_or_else(|| panic!("no {name:?}"))
            };
            Heaps {
                device: device.raw.handle(),
                write_samplers: std::mem::transmute::<Any, WriteSamplers>(find(
                    c"vkWriteSamplerDescriptorsEXT",
                )),
                write_resources: std::mem::transmute::<Any, WriteResources>(find(
                    c"vkWriteResourceDescriptorsEXT",
                )),
                bind_samplers: std::mem::transmute::<Any, Bind>(find(c"vkCmdBindSamplerHeapEXT")),
                bind_resources: std::mem::transmute::<Any, Bind>(find(c"vkCmdBindResourceHeapEXT")),
                push: std::mem::transmute::<Any, Push>(find(c"vkCmdPushDataEXT")),
                capture: std::mem::transmute::<Any, GetData>(find(c"vkGetImageOpaqueCaptureDataEXT")),
                register: std::mem::transmute::<Any, Register>(find(c"vkRegisterCustomBorderColorEXT")),
                unregister: std::mem::transmute::<Any, Unregister>(find(c"vkUnregisterCustomBorderColorEXT")),
            }
        }
    }

    /// The descriptor of a sampler.
    pub fn sampler(&self, info: &vk::SamplerCreateInfo<'_>) -> Vec<u8> {
        let mut bytes = vec![0_u8; SAMPLER_STEP];
        let range = HostRange {
            address: bytes.as_mut_ptr().cast(),
            size: bytes.len(),
        };
        // SAFETY: the structures are valid.
        let result = unsafe { (self.write_samplers)(self.device, 1, info, &raw const range) };
        assert_eq!(result, vk::Result::SUCCESS);
        bytes
    }

    /// The descriptor of a resource, filled up to [`STEP`] bytes.
    fn resource(&self, ty: vk::DescriptorType, data: *const c_void) -> Vec<u8> {
        self.try_resource(ty, data).expect("a descriptor")
    }

    fn try_resource(&self, ty: vk::DescriptorType, data: *const c_void) -> Result<Vec<u8>, vk::Result> {
        let mut bytes = vec![0_u8; STEP];
        let info = ResourceInfo {
            s_type: 1_000_135_002,
            p_next: null(),
            ty,
            data,
        };
        let range = HostRange {
            address: bytes.as_mut_ptr().cast(),
            size: bytes.len(),
        };
        // SAFETY: the structures are valid, and the data is what the type says.
        let result = unsafe { (self.write_resources)(self.device, 1, &raw const info, &raw const range) };
        result.result_with_success(bytes)
    }

    /// The descriptor of `size` bytes at an address.
    pub fn buffer(&self, ty: vk::DescriptorType, address: u64, size: u64) -> Vec<u8> {
        let range = [address, size];
        self.resource(ty, (&raw const range).cast())
    }

    /// The same, as texels.
    pub fn texels(&self, ty: vk::DescriptorType, format: vk::Format, address: u64, size: u64) -> Vec<u8> {
        let info = TexelInfo {
            s_type: 1_000_135_000,
            p_next: null(),
            format,
            range: [address, size],
        };
        self.resource(ty, (&raw const info).cast())
    }

    /// The descriptor of an image.
    pub fn image(&self, ty: vk::DescriptorType, view: &vk::ImageViewCreateInfo<'_>) -> Vec<u8> {
        self.try_image(ty, view).expect("a descriptor")
    }

    /// The same, if it can be what it was when the image was captured.
    pub fn try_image(
        &self,
        ty: vk::DescriptorType,
        view: &vk::ImageViewCreateInfo<'_>,
    ) -> Result<Vec<u8>, vk::Result> {
        let info = ImageInfo {
            s_type: 1_000_135_001,
            p_next: null(),
            view,
            layout: vk::ImageLayout::GENERAL,
        };
        self.try_resource(ty, (&raw const info).cast())
    }

    /// Binds both heaps.
    pub fn bind(&self, device: &Device, cb: vk::CommandBuffer, resources: &Buffer, samplers: &Buffer) {
        let (resources, samplers) = (BindInfo::of(device, resources), BindInfo::of(device, samplers));
        // SAFETY: the structures are valid.
        unsafe {
            (self.bind_resources)(cb, &raw const resources);
            (self.bind_samplers)(cb, &raw const samplers);
        }
    }

    /// Sets push data.
    pub fn push(&self, cb: vk::CommandBuffer, offset: u32, bytes: &[u8]) {
        let info = PushInfo {
            s_type: 1_000_135_004,
            p_next: null(),
            offset,
            address: bytes.as_ptr().cast(),
            size: bytes.len(),
        };
        // SAFETY: the structure is valid.
        unsafe { (self.push)(cb, &raw const info) };
    }

    /// Registers a border colour, with this index if there is one; the index.
    pub fn register(&self, color: [u32; 4], index: Option<u32>) -> Result<u32, vk::Result> {
        let info = vk::SamplerCustomBorderColorCreateInfoEXT::default()
            .custom_border_color(vk::ClearColorValue { uint32: color });
        let mut found = index.unwrap_or(77);
        let request = vk::Bool32::from(index.is_some());
        // SAFETY: the structures are valid.
        unsafe { (self.register)(self.device, &raw const info, request, &raw mut found) }
            .result_with_success(found)
    }

    /// Takes it back.
    pub fn unregister(&self, index: u32) {
        // SAFETY: the device is alive.
        unsafe { (self.unregister)(self.device, index) };
    }

    /// The opaque data of an image.
    pub fn capture(&self, image: vk::Image) -> Vec<u8> {
        let mut bytes = vec![0_u8; CAPTURE_SIZE];
        let range = HostRange {
            address: bytes.as_mut_ptr().cast(),
            size: bytes.len(),
        };
        // SAFETY: the structures are valid.
        let result = unsafe { (self.capture)(self.device, 1, &raw const image, &raw const range) };
        assert_eq!(result, vk::Result::SUCCESS);
        bytes
    }
}

/// A compute pipeline that uses heaps.
pub fn pipeline(device: &Device, code: &[u8], mappings: &[Mapping]) -> vk::Pipeline {
    let module = module(device, code);
    let mut mapping = MappingInfo::new(mappings);
    let stage = vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(module)
        .name(c"main")
        .push_next(&mut mapping);
    let mut flags = vk::PipelineCreateFlags2CreateInfoKHR::default()
        .flags(vk::PipelineCreateFlags2KHR::from_raw(1 << 36));
    let info = [vk::ComputePipelineCreateInfo::default()
        .stage(stage)
        .push_next(&mut flags)];
    // SAFETY: the structures are valid; the module is not needed afterwards.
    unsafe {
        let made = device
            .raw
            .create_compute_pipelines(vk::PipelineCache::null(), &info, None);
        device.raw.destroy_shader_module(module, None);
        made.expect("a pipeline")[0]
    }
}
