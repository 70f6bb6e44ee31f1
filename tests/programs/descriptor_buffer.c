// Draws two halves of a window without a screen, each from a set of its own in a descriptor buffer, and writes the
// picture as PPM. Made to be captured and replayed by tools; knows nothing of Lahar.
//
// descriptor_buffer VERTEX.spv FRAGMENT.spv PICTURE.ppm

#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { SIZE = 64, TEXELS = 8, MAX_IMAGES = 8 };

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandPool pool;

static void check(VkResult result, const char *what) {
    if (result < 0) {
        fprintf(stderr, "%s: %d\n", what, result);
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

static uint32_t memory_type(uint32_t bits, VkMemoryPropertyFlags wanted) {
    VkPhysicalDeviceMemoryProperties all;
    vkGetPhysicalDeviceMemoryProperties(physical, &all);
    for (uint32_t i = 0; i < all.memoryTypeCount; i++) {
        if (bits >> i & 1 && (all.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
    }
    fprintf(stderr, "no memory type\n");
    exit(1);
}

static VkDeviceMemory allocate(VkMemoryRequirements needs, VkMemoryPropertyFlags wanted, int addressed) {
    VkMemoryAllocateFlagsInfo flags = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, 0,
                                       VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
    VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, addressed ? &flags : 0, needs.size,
                                 memory_type(needs.memoryTypeBits, wanted)};
    VkDeviceMemory memory;
    CHECK(vkAllocateMemory(device, &info, 0, &memory));
    return memory;
}

typedef struct {
    VkBuffer raw;
    VkDeviceMemory memory;
    VkDeviceAddress address;
} Buffer;

static Buffer make_buffer(VkDeviceSize size, VkBufferUsageFlags usage) {
    Buffer b = {0};
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, 0, 0, size, usage, VK_SHARING_MODE_EXCLUSIVE, 0, 0};
    CHECK(vkCreateBuffer(device, &info, 0, &b.raw));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, b.raw, &needs);
    int addressed = (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
    b.memory = allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, addressed);
    CHECK(vkBindBufferMemory(device, b.raw, b.memory, 0));
    if (addressed) {
        VkBufferDeviceAddressInfo of = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, 0, b.raw};
        b.address = vkGetBufferDeviceAddress(device, &of);
    }
    return b;
}

static void *map(Buffer *b) {
    void *at;
    CHECK(vkMapMemory(device, b->memory, 0, VK_WHOLE_SIZE, 0, &at));
    return at;
}

static void destroy_buffer(Buffer *b) {
    vkDestroyBuffer(device, b->raw, 0);
    vkFreeMemory(device, b->memory, 0);
}

static VkShaderModule module(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    static uint32_t words[16384];
    size_t bytes = fread(words, 1, sizeof words, file);
    fclose(file);
    VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, 0, 0, bytes, words};
    VkShaderModule made;
    CHECK(vkCreateShaderModule(device, &info, 0, &made));
    return made;
}

static void make_device(void) {
    VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO, 0, "descriptor_buffer", 1, 0, 0, VK_API_VERSION_1_3};
    const char *names[] = {"VK_KHR_surface", "VK_EXT_headless_surface"};
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, 0, 0, &application, 0, 0, 2, names};
    CHECK(vkCreateInstance(&info, 0, &instance));
    uint32_t count = 1;
    CHECK(vkEnumeratePhysicalDevices(instance, &count, &physical));
    VkPhysicalDeviceDescriptorBufferFeaturesEXT descriptors = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT, .descriptorBuffer = VK_TRUE};
    VkPhysicalDeviceVulkan13Features three = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &descriptors,
                                              .synchronization2 = VK_TRUE, .dynamicRendering = VK_TRUE};
    VkPhysicalDeviceVulkan12Features two = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &three,
                                            .bufferDeviceAddress = VK_TRUE};
    float priority = 1;
    VkDeviceQueueCreateInfo queues = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, 0, 0, 0, 1, &priority};
    const char *extensions[] = {"VK_EXT_descriptor_buffer", "VK_KHR_swapchain"};
    VkDeviceCreateInfo device_info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &two, 0, 1, &queues, 0, 0, 2, extensions, 0};
    CHECK(vkCreateDevice(physical, &device_info, 0, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkCommandPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, 0, 0, 0};
    CHECK(vkCreateCommandPool(device, &pool_info, 0, &pool));
}

static VkCommandBuffer begin(void) {
    VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, 0, pool,
                                        VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer cb;
    CHECK(vkAllocateCommandBuffers(device, &info, &cb));
    VkCommandBufferBeginInfo once = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, 0,
                                     VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, 0};
    CHECK(vkBeginCommandBuffer(cb, &once));
    return cb;
}

static void run(VkCommandBuffer cb) {
    CHECK(vkEndCommandBuffer(cb));
    VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cb};
    CHECK(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(queue));
}

static const VkImageSubresourceRange ALL = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
static const VkImageSubresourceLayers FIRST = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};

static void barrier(VkCommandBuffer cb, VkImage image, VkImageLayout from, VkImageLayout to) {
    VkImageMemoryBarrier change = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, 0, VK_ACCESS_MEMORY_WRITE_BIT,
                                   VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, from, to,
                                   VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED, image, ALL};
    VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    vkCmdPipelineBarrier(cb, stages, stages, 0, 0, 0, 0, 0, 1, &change);
}

static VkImageView make_view(VkImage image, VkFormat format) {
    VkImageViewCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, 0, 0, image, VK_IMAGE_VIEW_TYPE_2D, format, {0}, ALL};
    VkImageView view;
    CHECK(vkCreateImageView(device, &info, 0, &view));
    return view;
}

/// A texture whose red goes right and green down.
static VkImage make_texture(VkDeviceMemory *memory) {
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D,
                              .format = VK_FORMAT_R8G8B8A8_UNORM, .extent = {TEXELS, TEXELS, 1}, .mipLevels = 1,
                              .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT,
                              .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    VkImage image;
    CHECK(vkCreateImage(device, &info, 0, &image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, image, &needs);
    *memory = allocate(needs, 0, 0);
    CHECK(vkBindImageMemory(device, image, *memory, 0));
    Buffer from = make_buffer(TEXELS * TEXELS * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    uint8_t *texels = map(&from);
    for (int i = 0; i < TEXELS * TEXELS; i++) {
        uint8_t texel[4] = {(uint8_t)(i % TEXELS * 36), (uint8_t)(i / TEXELS * 36), (uint8_t)(i * 3), 255};
        memcpy(texels + 4 * i, texel, 4);
    }
    vkUnmapMemory(device, from.memory);
    VkCommandBuffer cb = begin();
    VkBufferImageCopy copy = {0, 0, 0, FIRST, {0, 0, 0}, {TEXELS, TEXELS, 1}};
    barrier(cb, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(cb, from.raw, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    barrier(cb, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    run(cb);
    destroy_buffer(&from);
    return image;
}

static VkPipeline make_pipeline(VkPipelineLayout layout, VkFormat format, char **paths) {
    VkShaderModule modules[2] = {module(paths[0]), module(paths[1])};
    VkPipelineShaderStageCreateInfo stages[2] = {
        {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, 0, 0, VK_SHADER_STAGE_VERTEX_BIT, modules[0], "main", 0},
        {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, 0, 0, VK_SHADER_STAGE_FRAGMENT_BIT, modules[1], "main", 0}};
    VkPipelineVertexInputStateCreateInfo input = {VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, 0, 0,
                                                       VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, 0};
    VkPipelineViewportStateCreateInfo viewport = {VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, 0, 0, 1, 0, 1, 0};
    VkPipelineRasterizationStateCreateInfo raster = {VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo samples = {VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, 0, 0, VK_SAMPLE_COUNT_1_BIT};
    VkPipelineColorBlendAttachmentState mask = {.colorWriteMask = 15};
    VkPipelineColorBlendStateCreateInfo blend = {VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = 1, .pAttachments = &mask};
    VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineDynamicStateCreateInfo dynamic = {VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, 0, 0, 2, states};
    VkPipelineRenderingCreateInfo target = {VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, .colorAttachmentCount = 1, .pColorAttachmentFormats = &format};
    VkGraphicsPipelineCreateInfo info = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &target,
                                         VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT, 2, stages, &input, &assembly, 0,
                                         &viewport, &raster, &samples, 0, &blend, &dynamic, layout, 0, 0, 0, 0};
    VkPipeline made;
    CHECK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, 0, &made));
    vkDestroyShaderModule(device, modules[0], 0);
    vkDestroyShaderModule(device, modules[1], 0);
    return made;
}

static PFN_vkGetDescriptorEXT get_descriptor;
static PFN_vkGetDescriptorSetLayoutSizeEXT get_size;
static PFN_vkGetDescriptorSetLayoutBindingOffsetEXT get_offset;
static PFN_vkCmdBindDescriptorBuffersEXT bind_buffers;
static PFN_vkCmdSetDescriptorBufferOffsetsEXT set_offsets;

static void load(void) {
    get_descriptor = (PFN_vkGetDescriptorEXT)vkGetDeviceProcAddr(device, "vkGetDescriptorEXT");
    get_size = (PFN_vkGetDescriptorSetLayoutSizeEXT)vkGetDeviceProcAddr(device, "vkGetDescriptorSetLayoutSizeEXT");
    get_offset = (PFN_vkGetDescriptorSetLayoutBindingOffsetEXT)vkGetDeviceProcAddr(device, "vkGetDescriptorSetLayoutBindingOffsetEXT");
    bind_buffers = (PFN_vkCmdBindDescriptorBuffersEXT)vkGetDeviceProcAddr(device, "vkCmdBindDescriptorBuffersEXT");
    set_offsets = (PFN_vkCmdSetDescriptorBufferOffsetsEXT)vkGetDeviceProcAddr(device, "vkCmdSetDescriptorBufferOffsetsEXT");
}

/// Two sets with the same texture and other tints; `step` bytes apart.
static Buffer make_sets(VkDescriptorSetLayout layout, VkDescriptorImageInfo image, VkDeviceAddress tints, VkDeviceSize *step) {
    VkPhysicalDeviceDescriptorBufferPropertiesEXT properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties};
    vkGetPhysicalDeviceProperties2(physical, &all);
    VkDeviceSize size, offsets[2], alignment = properties.descriptorBufferOffsetAlignment;
    get_size(device, layout, &size);
    get_offset(device, layout, 0, &offsets[0]);
    get_offset(device, layout, 1, &offsets[1]);
    *step = (size + alignment - 1) / alignment * alignment;
    Buffer sets = make_buffer(2 * *step, VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    uint8_t *bytes = map(&sets);
    for (int set = 0; set < 2; set++) {
        VkDescriptorAddressInfoEXT tint = {VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT, 0, tints + 256 * (VkDeviceSize)set, 16, VK_FORMAT_UNDEFINED};
        VkDescriptorGetInfoEXT get = {VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, {.pCombinedImageSampler = &image}};
        get_descriptor(device, &get, properties.combinedImageSamplerDescriptorSize, bytes + set * *step + offsets[0]);
        get.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        get.data.pUniformBuffer = &tint;
        get_descriptor(device, &get, properties.uniformBufferDescriptorSize, bytes + set * *step + offsets[1]);
    }
    vkUnmapMemory(device, sets.memory);
    return sets;
}

static void draw(VkCommandBuffer cb, VkImageView target, VkPipeline pipeline, VkPipelineLayout layout, VkDeviceAddress sets, VkDeviceSize step) {
    VkRenderingAttachmentInfo color = {VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageView = target, .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    VkRenderingInfo rendering = {VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {{0, 0}, {SIZE, SIZE}}, .layerCount = 1, .colorAttachmentCount = 1, .pColorAttachments = &color};
    VkDescriptorBufferBindingInfoEXT binding = {VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT, 0, sets, VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT};
    vkCmdBeginRendering(cb, &rendering);
    vkCmdBindPipeline(cb, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    bind_buffers(cb, 1, &binding);
    for (uint32_t half = 0; half < 2; half++) {
        VkViewport viewport = {(float)half * SIZE / 2, 0, SIZE / 2, SIZE, 0, 1};
        VkRect2D scissor = {{(int32_t)half * SIZE / 2, 0}, {SIZE / 2, SIZE}};
        uint32_t index = 0;
        VkDeviceSize offset = half * step;
        vkCmdSetViewport(cb, 0, 1, &viewport);
        vkCmdSetScissor(cb, 0, 1, &scissor);
        set_offsets(cb, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &index, &offset);
        vkCmdDraw(cb, 3, 1, 0, 0);
    }
    vkCmdEndRendering(cb);
}

static void write_picture(Buffer *from, const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fprintf(file, "P6 %d %d 255\n", SIZE, SIZE);
    uint8_t *texels = map(from);
    for (int i = 0; i < SIZE * SIZE; i++) {
        uint8_t rgb[3] = {texels[4 * i + 2], texels[4 * i + 1], texels[4 * i]};
        fwrite(rgb, 1, 3, file);
    }
    vkUnmapMemory(device, from->memory);
    fclose(file);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s VERTEX.spv FRAGMENT.spv PICTURE.ppm\n", argv[0]);
        return 2;
    }
    make_device();
    load();
    PFN_vkCreateHeadlessSurfaceEXT create_surface = (PFN_vkCreateHeadlessSurfaceEXT)vkGetInstanceProcAddr(instance, "vkCreateHeadlessSurfaceEXT");
    VkHeadlessSurfaceCreateInfoEXT surface_info = {VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT, 0, 0};
    VkSurfaceKHR surface;
    CHECK(create_surface(instance, &surface_info, 0, &surface));
    VkFormat format = VK_FORMAT_B8G8R8A8_UNORM;
    VkSwapchainCreateInfoKHR chain_info = {VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR, 0, 0, surface, 3, format, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR, {SIZE, SIZE}, 1, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_SHARING_MODE_EXCLUSIVE, 0, 0, VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR, VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR, VK_PRESENT_MODE_FIFO_KHR, VK_TRUE, 0};
    VkSwapchainKHR chain;
    CHECK(vkCreateSwapchainKHR(device, &chain_info, 0, &chain));
    VkImage images[MAX_IMAGES];
    uint32_t count = MAX_IMAGES, index;
    CHECK(vkGetSwapchainImagesKHR(device, chain, &count, images));

    VkDeviceMemory texture_memory;
    VkImage texture = make_texture(&texture_memory);
    VkImageView texture_view = make_view(texture, VK_FORMAT_R8G8B8A8_UNORM);
    VkSamplerCreateInfo sampler_info = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = VK_FILTER_LINEAR, .minFilter = VK_FILTER_LINEAR};
    VkSampler sampler;
    CHECK(vkCreateSampler(device, &sampler_info, 0, &sampler));
    Buffer tints = make_buffer(512, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    float colors[2][4] = {{1, 1, 1, 1}, {0.25f, 0.5f, 1, 1}};
    uint8_t *bytes = map(&tints);
    memcpy(bytes, colors[0], 16);
    memcpy(bytes + 256, colors[1], 16);
    vkUnmapMemory(device, tints.memory);

    VkDescriptorSetLayoutBinding bindings[2] = {{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, 0},
                                                {1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, 0}};
    VkDescriptorSetLayoutCreateInfo set_info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, 0, VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT, 2, bindings};
    VkDescriptorSetLayout set_layout;
    CHECK(vkCreateDescriptorSetLayout(device, &set_info, 0, &set_layout));
    VkPipelineLayoutCreateInfo layout_info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout};
    VkPipelineLayout layout;
    CHECK(vkCreatePipelineLayout(device, &layout_info, 0, &layout));
    VkPipeline pipeline = make_pipeline(layout, format, argv + 1);
    VkDescriptorImageInfo image = {sampler, texture_view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    VkDeviceSize step;
    Buffer sets = make_sets(set_layout, image, tints.address, &step);

    VkFenceCreateInfo fence_info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, 0, 0};
    VkFence fence;
    CHECK(vkCreateFence(device, &fence_info, 0, &fence));
    CHECK(vkAcquireNextImageKHR(device, chain, UINT64_MAX, VK_NULL_HANDLE, fence, &index));
    CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
    VkImageView view = make_view(images[index], format);
    Buffer picture = make_buffer(SIZE * SIZE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    VkCommandBuffer cb = begin();
    barrier(cb, images[index], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    draw(cb, view, pipeline, layout, sets.address, step);
    VkBufferImageCopy copy = {0, 0, 0, FIRST, {0, 0, 0}, {SIZE, SIZE, 1}};
    barrier(cb, images[index], VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(cb, images[index], VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, picture.raw, 1, &copy);
    barrier(cb, images[index], VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    run(cb);
    write_picture(&picture, argv[3]);
    VkPresentInfoKHR present = {VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, .swapchainCount = 1, .pSwapchains = &chain, .pImageIndices = &index};
    CHECK(vkQueuePresentKHR(queue, &present));
    CHECK(vkDeviceWaitIdle(device));

    destroy_buffer(&picture);
    destroy_buffer(&sets);
    destroy_buffer(&tints);
    vkDestroyFence(device, fence, 0);
    vkDestroyPipeline(device, pipeline, 0);
    vkDestroyPipelineLayout(device, layout, 0);
    vkDestroyDescriptorSetLayout(device, set_layout, 0);
    vkDestroySampler(device, sampler, 0);
    vkDestroyImageView(device, view, 0);
    vkDestroyImageView(device, texture_view, 0);
    vkDestroyImage(device, texture, 0);
    vkFreeMemory(device, texture_memory, 0);
    vkDestroySwapchainKHR(device, chain, 0);
    vkDestroyCommandPool(device, pool, 0);
    vkDestroyDevice(device, 0);
    vkDestroySurfaceKHR(instance, surface, 0);
    vkDestroyInstance(instance, 0);
    return 0;
}
