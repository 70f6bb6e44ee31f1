/* Arms a rule through lahar.h and checks that it fires; the same file is compiled as C and as C++. */
#include "lahar.h"

#include <stdio.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                    \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

int main(void) {
    VkInstanceCreateInfo instance_info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkDeviceQueueCreateInfo queue_info = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    VkDeviceCreateInfo device_info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    VkFenceCreateInfo fence_info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkFence fence;
    float priority = 1;
    uint32_t count = 1;
    uint64_t rule = 0;
    char why[512];
    LaharRuleState states[4];
    PFN_laharArmRules arm;
    PFN_laharGetRules get;
    PFN_laharClearRules clear;

    CHECK(vkCreateInstance(&instance_info, NULL, &instance) == VK_SUCCESS);
    CHECK(vkEnumeratePhysicalDevices(instance, &count, &physical) >= 0 && count == 1);
    queue_info.queueCount = 1;
    queue_info.pQueuePriorities = &priority;
    device_info.queueCreateInfoCount = 1;
    device_info.pQueueCreateInfos = &queue_info;
    CHECK(vkCreateDevice(physical, &device_info, NULL, &device) == VK_SUCCESS);

    arm = (PFN_laharArmRules)vkGetDeviceProcAddr(device, "laharArmRules");
    get = (PFN_laharGetRules)vkGetDeviceProcAddr(device, "laharGetRules");
    clear = (PFN_laharClearRules)vkGetDeviceProcAddr(device, "laharClearRules");
    CHECK(arm && get && clear);
    CHECK(vkGetDeviceProcAddr(device, "laharNothing") == NULL);
    CHECK(arm(device, "fail@vkCreateFence#2 out_of_host_memory name=second", &rule, why, sizeof why) == VK_SUCCESS);
    CHECK(rule != 0 && why[0] == 0);
    CHECK(vkCreateFence(device, &fence_info, NULL, &fence) == VK_SUCCESS);
    vkDestroyFence(device, fence, NULL);
    CHECK(vkCreateFence(device, &fence_info, NULL, &fence) == VK_ERROR_OUT_OF_HOST_MEMORY);
    count = 4;
    CHECK(get(device, &count, states) == VK_SUCCESS && count == 1);
    CHECK(states[0].rule == rule && states[0].counted == 2 && states[0].fired == 1);
    CHECK(arm(device, "fail@nothing", NULL, why, sizeof why) == VK_ERROR_INITIALIZATION_FAILED);
    CHECK(clear(device, 0) == 1);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    printf("%s\n", why);
    return 0;
}
