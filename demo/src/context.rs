//! Instance, device, and the list of what must be destroyed with it.

use crate::error::{Error, Named, Result};
use ash::{ext, vk};
use std::{
    cell::RefCell,
    ffi::{CStr, c_char},
};

/// The Vulkan instance and the physical device that is used.
pub(crate) struct Instance {
    pub(crate) raw: ash::Instance,
    pub(crate) physical: vk::PhysicalDevice,
    /// Whether labels can be set.
    labels: bool,
    // Last: it unloads the loader.
    entry: ash::Entry,
}

fn has_extension(list: &[vk::ExtensionProperties], name: &CStr) -> bool {
    list.iter()
        .any(|ext| ext.extension_name_as_c_str().is_ok_and(|found| found == name))
}

impl Instance {
    /// Makes an instance of Vulkan 1.1 and takes the first physical device.
    pub(crate) fn new() -> Result<Instance> {
        // SAFETY: the library found by name is the system's Vulkan loader.
        let entry = unsafe { ash::Entry::load()? };
        // SAFETY: no layer is named.
        let offered = unsafe { entry.enumerate_instance_extension_properties(None) }
            .named("vkEnumerateInstanceExtensionProperties")?;
        let labels = has_extension(&offered, ext::debug_utils::NAME);
        let names: &[*const c_char] = if labels {
            &[ext::debug_utils::NAME.as_ptr()]
        } else {
            &[]
        };
        let application = vk::ApplicationInfo::default()
            .application_name(c"lahar-demo")
            .application_version(vk::make_api_version(0, 0, 1, 0))
            .engine_name(c"none")
            .api_version(vk::API_VERSION_1_1);
        let info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_extension_names(names);
        // SAFETY: the structures and what they point to live until the call returns.
        let raw = unsafe { entry.create_instance(&info, None) }.named("vkCreateInstance")?;
        let mut instance = Instance {
            raw,
            physical: vk::PhysicalDevice::null(),
            labels,
            entry,
        };
        // SAFETY: the instance is alive.
        let list =
            unsafe { instance.raw.enumerate_physical_devices() }.named("vkEnumeratePhysicalDevices")?;
        instance.physical = *list.first().ok_or(Error::Missing("there is no Vulkan device"))?;
        Ok(instance)
    }

    /// The device's name.
    pub(crate) fn device_name(&self) -> String {
        // SAFETY: the physical device is one of the living instance.
        let properties = unsafe { self.raw.get_physical_device_properties(self.physical) };
        properties
            .device_name_as_c_str()
            .map_or(String::new(), |name| name.to_string_lossy().into_owned())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: a `Context` borrows the instance: all devices are gone by now.
        unsafe { self.raw.destroy_instance(None) };
        // Only now may `entry` go.
        let _ = &self.entry;
    }
}

/// What a context owns; destroyed in reverse order of creation.
pub(crate) enum Object {
    Buffer(vk::Buffer),
    CommandPool(vk::CommandPool),
    DescriptorPool(vk::DescriptorPool),
    DescriptorSetLayout(vk::DescriptorSetLayout),
    Fence(vk::Fence),
    Framebuffer(vk::Framebuffer),
    Image(vk::Image),
    ImageView(vk::ImageView),
    Memory(vk::DeviceMemory),
    Pipeline(vk::Pipeline),
    PipelineLayout(vk::PipelineLayout),
    RenderPass(vk::RenderPass),
    Sampler(vk::Sampler),
    ShaderModule(vk::ShaderModule),
}

/// A device with one queue that does everything.
pub(crate) struct Context<'i> {
    pub(crate) device: ash::Device,
    pub(crate) queue: vk::Queue,
    pub(crate) pool: vk::CommandPool,
    pub(crate) memory: vk::PhysicalDeviceMemoryProperties,
    /// The fault queries, where `VK_EXT_device_fault` is enabled.
    pub(crate) fault: Option<ext::device_fault::Device>,
    labels: Option<ext::debug_utils::Device>,
    objects: RefCell<Vec<Object>>,
    _instance: &'i Instance,
}

impl<'i> Context<'i> {
    /// Makes a device.
    pub(crate) fn new(instance: &'i Instance) -> Result<Context<'i>> {
        let (raw, physical) = (&instance.raw, instance.physical);
        let family = queue_family(instance)?;
        let mut fault = fault_features(instance)?;
        let extensions: &[*const c_char] = if fault.is_some() {
            &[ext::device_fault::NAME.as_ptr()]
        } else {
            &[]
        };
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(&[1.0])];
        let mut info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(extensions);
        let with_fault = fault.is_some();
        if let Some(features) = &mut fault {
            info = info.push_next(features);
        }
        // SAFETY: the structures and what they point to live until the call returns.
        let device = unsafe { raw.create_device(physical, &info, None) }.named("vkCreateDevice")?;
        let mut context = Context {
            // SAFETY: the device was created with this queue.
            queue: unsafe { device.get_device_queue(family, 0) },
            pool: vk::CommandPool::null(),
            // SAFETY: the physical device is one of the living instance.
            memory: unsafe { raw.get_physical_device_memory_properties(physical) },
            fault: with_fault.then(|| ext::device_fault::Device::new(raw, &device)),
            labels: instance
                .labels
                .then(|| ext::debug_utils::Device::new(raw, &device)),
            objects: RefCell::default(),
            _instance: instance,
            device,
        };
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        // SAFETY: the device is alive and has this family.
        context.pool =
            unsafe { context.device.create_command_pool(&info, None) }.named("vkCreateCommandPool")?;
        context.own(Object::CommandPool(context.pool));
        Ok(context)
    }

    /// Destroys the object with the context.
    pub(crate) fn own(&self, object: Object) {
        self.objects.borrow_mut().push(object);
    }

    /// Opens a debug label in a command buffer that is being recorded.
    pub(crate) fn begin_label(&self, commands: vk::CommandBuffer, name: &CStr) {
        if let Some(labels) = &self.labels {
            let label = vk::DebugUtilsLabelEXT::default().label_name(name);
            // SAFETY: the command buffer is being recorded.
            unsafe { labels.cmd_begin_debug_utils_label(commands, &label) };
        }
    }

    /// Closes the label opened last.
    pub(crate) fn end_label(&self, commands: vk::CommandBuffer) {
        if let Some(labels) = &self.labels {
            // SAFETY: the command buffer is being recorded, and calls are paired.
            unsafe { labels.cmd_end_debug_utils_label(commands) };
        }
    }

    /// Records commands, submits them and waits until they are done.
    pub(crate) fn run(&self, record: impl FnOnce(vk::CommandBuffer) -> Result) -> Result {
        let device = &self.device;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .command_buffer_count(1);
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the pool is of this device, and only this thread uses it.
        let commands =
            unsafe { device.allocate_command_buffers(&info) }.named("vkAllocateCommandBuffers")?[0];
        // SAFETY: the command buffer is new.
        unsafe { device.begin_command_buffer(commands, &begin) }.named("vkBeginCommandBuffer")?;
        record(commands)?;
        // SAFETY: it is being recorded.
        unsafe { device.end_command_buffer(commands) }.named("vkEndCommandBuffer")?;
        // SAFETY: the device is alive.
        let fence =
            unsafe { device.create_fence(&vk::FenceCreateInfo::default(), None) }.named("vkCreateFence")?;
        self.own(Object::Fence(fence));
        let submit = vk::SubmitInfo::default().command_buffers(std::slice::from_ref(&commands));
        // SAFETY: the command buffer is complete and everything it names is alive until the fence is waited for.
        unsafe { device.queue_submit(self.queue, &[submit], fence) }.named("vkQueueSubmit")?;
        // SAFETY: the fence is of this device.
        unsafe { device.wait_for_fences(&[fence], true, u64::MAX) }.named("vkWaitForFences")?;
        // SAFETY: the fence says that it is not in use any more.
        unsafe { device.free_command_buffers(self.pool, &[commands]) };
        Ok(())
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        let device = &self.device;
        // SAFETY: the wait ends (a lost device has nothing running), so nothing is in use; each object was made by
        // this device and is in the list once, after what it depends on.
        unsafe {
            let _ = device.device_wait_idle();
            for object in self.objects.get_mut().drain(..).rev() {
                destroy(device, &object);
            }
            device.destroy_device(None);
        }
    }
}

/// # Safety
/// The object is of this device and not in use.
unsafe fn destroy(device: &ash::Device, object: &Object) {
    // SAFETY: as above.
    unsafe {
        match object {
            Object::Buffer(o) => device.destroy_buffer(*o, None),
            Object::CommandPool(o) => device.destroy_command_pool(*o, None),
            Object::DescriptorPool(o) => device.destroy_descriptor_pool(*o, None),
            Object::DescriptorSetLayout(o) => device.destroy_descriptor_set_layout(*o, None),
            Object::Fence(o) => device.destroy_fence(*o, None),
            Object::Framebuffer(o) => device.destroy_framebuffer(*o, None),
            Object::Image(o) => device.destroy_image(*o, None),
            Object::ImageView(o) => device.destroy_image_view(*o, None),
            Object::Memory(o) => device.free_memory(*o, None),
            Object::Pipeline(o) => device.destroy_pipeline(*o, None),
            Object::PipelineLayout(o) => device.destroy_pipeline_layout(*o, None),
            Object::RenderPass(o) => device.destroy_render_pass(*o, None),
            Object::Sampler(o) => device.destroy_sampler(*o, None),
            Object::ShaderModule(o) => device.destroy_shader_module(*o, None),
        }
    }
}

/// A family that can do graphics and compute.
fn queue_family(instance: &Instance) -> Result<u32> {
    // SAFETY: the physical device is one of the living instance.
    let families = unsafe {
        instance
            .raw
            .get_physical_device_queue_family_properties(instance.physical)
    };
    let wanted = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
    families
        .iter()
        .position(|family| family.queue_flags.contains(wanted))
        .map(|index| index as u32)
        .ok_or(Error::Missing("no queue does graphics and compute"))
}

/// What there is of `VK_EXT_device_fault`.
fn fault_features(instance: &Instance) -> Result<Option<vk::PhysicalDeviceFaultFeaturesEXT<'static>>> {
    let (raw, physical) = (&instance.raw, instance.physical);
    // SAFETY: the physical device is one of the living instance.
    let offered = unsafe { raw.enumerate_device_extension_properties(physical) }
        .named("vkEnumerateDeviceExtensionProperties")?;
    if !has_extension(&offered, ext::device_fault::NAME) {
        return Ok(None);
    }
    let mut fault = vk::PhysicalDeviceFaultFeaturesEXT::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut fault);
    // SAFETY: the chain is well formed.
    unsafe { raw.get_physical_device_features2(physical, &mut features) };
    // The chain's pointers must not outlive it.
    fault.p_next = std::ptr::null_mut();
    Ok((fault.device_fault == vk::TRUE).then_some(fault))
}
