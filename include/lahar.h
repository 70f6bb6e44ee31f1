/*
 * Lahar's control interface: arm, query and clear fault rules from the program under test.
 *
 * The functions are those of a device; ask vkGetDeviceProcAddr for them by name. Another driver gives a null pointer, so
 * a test can ask first and do without. Nothing here needs an extension to be enabled.
 *
 *     PFN_laharArmRules arm = (PFN_laharArmRules)vkGetDeviceProcAddr(device, "laharArmRules");
 *     uint64_t rule = 0;
 *     char why[512];
 *     if (arm && arm(device, "fail@map memory_map_failed", &rule, why, sizeof why) != VK_SUCCESS)
 *         fprintf(stderr, "%s\n", why);
 */
#ifndef LAHAR_H_
#define LAHAR_H_ 1

#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a rule stands. */
typedef struct LaharRuleState {
    uint64_t rule;      /* its number: those of the plan from 1, those armed later above */
    uint64_t counted;   /* events that it has counted */
    uint64_t fired;     /* how often it has fired */
    char     fault[32]; /* its fault, as in a plan */
    char     name[64];  /* its name, or empty; cut to fit */
} LaharRuleState;

/*
 * Arms rules on a device: in the one-line form ("lose@submit#3 read; fail@map memory_map_failed"), or, where the text
 * begins with "version", as a plan file. They count from now on, on this device whatever `device` says. pRule gets the
 * number of the first, the others follow it; it may be null.
 *
 * VK_SUCCESS; VK_ERROR_INITIALIZATION_FAILED where the text is no plan: then the message, which may be null, says where
 * and why. hide and budget hold for the physical device from now on, until they are cleared or
 * the device is destroyed; what other devices have already they keep.
 */
typedef VkResult (VKAPI_PTR *PFN_laharArmRules)(VkDevice device, const char *pRules, uint64_t *pRule, char *pMessage,
                                                size_t messageSize);

/* How all rules of a device stand: the protocol of enumerations, with VK_INCOMPLETE where not all fit. */
typedef VkResult (VKAPI_PTR *PFN_laharGetRules)(VkDevice device, uint32_t *pCount, LaharRuleState *pStates);

/* Removes a rule, or all with 0; how many were removed. */
typedef uint32_t (VKAPI_PTR *PFN_laharClearRules)(VkDevice device, uint64_t rule);

#ifdef __cplusplus
}
#endif

#endif
