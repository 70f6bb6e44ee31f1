//! Features of the device: one line each, by the name of the member in C. What is not listed is not offered.
//!
//! A name counts in every structure that has it, provided that the structure's version or extension is offered.

use super::{
    API_MINOR, extensions,
    registry::{FeatureStruct, basic_features},
};
use std::collections::BTreeSet;

/// The features that work.
const OFFERED: &[&str] = &[
    "robustBufferAccess",
    "fullDrawIndexUint32",
    "independentBlend",
    "drawIndirectFirstInstance",
    "multiDrawIndirect",
    "depthClamp",
    "dualSrcBlend",
    "logicOp",
    "fillModeNonSolid",
    "depthBounds",
    "alphaToOne",
    "sampleRateShading",
    "depthBiasClamp",
    "shaderUniformBufferArrayDynamicIndexing",
    "shaderSampledImageArrayDynamicIndexing",
    "shaderStorageBufferArrayDynamicIndexing",
    "shaderStorageImageArrayDynamicIndexing",
    "vertexPipelineStoresAndAtomics",
    "fragmentStoresAndAtomics",
    "occlusionQueryPrecise",
    "imageCubeArray",
    "textureCompressionBC",
    "textureCompressionETC2",
    "textureCompressionASTC_LDR",
    "shaderImageGatherExtended",
    "shaderStorageImageExtendedFormats",
    "shaderStorageImageReadWithoutFormat",
    "shaderStorageImageWriteWithoutFormat",
    "shaderClipDistance",
    "shaderCullDistance",
    "multiview",
    "samplerMirrorClampToEdge",
    "drawIndirectCount",
    "descriptorIndexing",
    "samplerAnisotropy",
    "shaderResourceMinLod",
    "minLod",
    "image2DViewOf3D",
    "sampler2DViewOf3D",
    "imageSlicedViewOf3D",
    "samplerFilterMinmax",
    "samplerYcbcrConversion",
    "ycbcrImageArrays",
    "ycbcr2plane444Formats",
    "subgroupBroadcastDynamicId",
    "privateData",
    "subgroupSizeControl",
    "computeFullSubgroups",
    "robustImageAccess",
    "texelBufferAlignment",
    "formatA4R4G4B4",
    "formatA4B4G4R4",
    "graphicsPipelineLibrary",
    "wideLines",
    "rectangularLines",
    "bresenhamLines",
    "depthBiasControl",
    "leastRepresentableValueForceUnormRepresentation",
    "floatRepresentation",
    "depthBiasExact",
    "customBorderColors",
    "customBorderColorWithoutFormat",
    "borderColorSwizzle",
    "borderColorSwizzleFromImage",
    "nonSeamlessCubeMap",
    "hostImageCopy",
    "multiDraw",
    "robustBufferAccess2",
    "robustImageAccess2",
    "nullDescriptor",
    "pipelineRobustness",
    "presentId",
    "pushDescriptor",
    "presentId2",
    "presentWait",
    "presentWait2",
    "attachmentFeedbackLoopLayout",
    "attachmentFeedbackLoopDynamicState",
    "dynamicRenderingUnusedAttachments",
    "globalPriorityQuery",
    "unifiedImageLayouts",
    "maintenance7",
    "maintenance8",
    "maintenance9",
    "swapchainMaintenance1",
    "conditionalRendering",
    "inheritedConditionalRendering",
    "colorWriteEnable",
    "pipelineProtectedAccess",
    "deviceFault",
    "deviceFaultReportMasked",
    "deviceFaultDeviceLostOnMasked",
    "deviceMemoryReport",
    "reportAddressBinding",
    "deviceCoherentMemory",
    "shaderAbort",
    "shaderConstantData",
    "customBorderColors",
    "customBorderColorWithoutFormat",
    "descriptorBuffer",
    "descriptorBufferCaptureReplay",
    "descriptorBufferImageLayoutIgnored",
    "descriptorBufferPushDescriptors",
    "descriptorHeap",
    "descriptorHeapCaptureReplay",
    "mutableDescriptorType",
    "inlineUniformBlock",
    "descriptorBindingInlineUniformBlockUpdateAfterBind",
    "shaderInputAttachmentArrayDynamicIndexing",
    "shaderUniformTexelBufferArrayDynamicIndexing",
    "shaderStorageTexelBufferArrayDynamicIndexing",
    "shaderUniformBufferArrayNonUniformIndexing",
    "shaderSampledImageArrayNonUniformIndexing",
    "shaderStorageBufferArrayNonUniformIndexing",
    "shaderStorageImageArrayNonUniformIndexing",
    "shaderInputAttachmentArrayNonUniformIndexing",
    "shaderUniformTexelBufferArrayNonUniformIndexing",
    "shaderStorageTexelBufferArrayNonUniformIndexing",
    "descriptorBindingUniformBufferUpdateAfterBind",
    "descriptorBindingSampledImageUpdateAfterBind",
    "descriptorBindingStorageImageUpdateAfterBind",
    "descriptorBindingStorageBufferUpdateAfterBind",
    "descriptorBindingUniformTexelBufferUpdateAfterBind",
    "descriptorBindingStorageTexelBufferUpdateAfterBind",
    "descriptorBindingUpdateUnusedWhilePending",
    "descriptorBindingPartiallyBound",
    "descriptorBindingVariableDescriptorCount",
    "runtimeDescriptorArray",
    "memoryPriority",
    "pageableDeviceLocalMemory",
    "zeroInitializeDeviceMemory",
    "deviceFaultVendorBinary",
    "depthClipEnable",
    "dynamicRendering",
    "dynamicRenderingLocalRead",
    "extendedDynamicState",
    "extendedDynamicState2",
    "extendedDynamicState2LogicOp",
    "extendedDynamicState3DepthClampEnable",
    "extendedDynamicState3PolygonMode",
    "extendedDynamicState3RasterizationSamples",
    "extendedDynamicState3SampleMask",
    "extendedDynamicState3AlphaToCoverageEnable",
    "extendedDynamicState3AlphaToOneEnable",
    "extendedDynamicState3LogicOpEnable",
    "extendedDynamicState3ColorBlendEnable",
    "extendedDynamicState3ColorBlendEquation",
    "extendedDynamicState3ColorWriteMask",
    "extendedDynamicState3DepthClipEnable",
    "extendedDynamicState3ProvokingVertexMode",
    "extendedDynamicState3LineRasterizationMode",
    "extendedDynamicState3DepthClipNegativeOneToOne",
    "vertexInputDynamicState",
    "nestedCommandBuffer",
    "nestedCommandBufferRendering",
    "nestedCommandBufferSimultaneousUse",
    "shaderStorageImageMultisample",
    "extendedDynamicState3ColorBlendAdvanced",
    "advancedBlendCoherentOperations",
    "shaderObject",
    "depthClipControl",
    "provokingVertexLast",
    "hostQueryReset",
    "indexTypeUint8",
    "bufferDeviceAddress",
    "bufferDeviceAddressCaptureReplay",
    "inheritedQueries",
    "largePoints",
    "pipelineCreationCacheControl",
    "pipelineStatisticsQuery",
    "imagelessFramebuffer",
    "maintenance4",
    "maintenance5",
    "maintenance6",
    "scalarBlockLayout",
    "sparseBinding",
    "sparseResidencyAliased",
    "sparseResidencyBuffer",
    "sparseResidencyImage2D",
    "sparseResidencyImage3D",
    "shaderFloat64",
    "shaderInt64",
    "shaderInt16",
    "shaderInt8",
    "shaderFloat16",
    "storageBuffer16BitAccess",
    "uniformAndStorageBuffer16BitAccess",
    "storagePushConstant16",
    "storageInputOutput16",
    "storageBuffer8BitAccess",
    "uniformAndStorageBuffer8BitAccess",
    "storagePushConstant8",
    "shaderDrawParameters",
    "shaderSubgroupExtendedTypes",
    "variablePointers",
    "variablePointersStorageBuffer",
    "shaderFloatControls2",
    "vulkanMemoryModel",
    "vulkanMemoryModelDeviceScope",
    "vulkanMemoryModelAvailabilityVisibilityChains",
    "shaderTerminateInvocation",
    "shaderUntypedPointers",
    "shaderDemoteToHelperInvocation",
    "shaderIntegerDotProduct",
    "shaderExpectAssume",
    "shaderSubgroupRotate",
    "shaderSubgroupRotateClustered",
    "shaderZeroInitializeWorkgroupMemory",
    "workgroupMemoryExplicitLayout",
    "workgroupMemoryExplicitLayoutScalarBlockLayout",
    "workgroupMemoryExplicitLayout8BitAccess",
    "workgroupMemoryExplicitLayout16BitAccess",
    "shaderSubgroupUniformControlFlow",
    "shaderMaximalReconvergence",
    "shaderRelaxedExtendedInstruction",
    "shaderBufferInt64Atomics",
    "shaderSharedInt64Atomics",
    "shaderBufferFloat32Atomics",
    "shaderBufferFloat32AtomicAdd",
    "shaderSharedFloat32Atomics",
    "shaderSharedFloat32AtomicAdd",
    "shaderImageFloat32Atomics",
    "shaderImageFloat32AtomicAdd",
    "separateDepthStencilLayouts",
    "synchronization2",
    "timelineSemaphore",
    "uniformBufferStandardLayout",
    "vertexAttributeInstanceRateDivisor",
    "vertexAttributeInstanceRateZeroDivisor",
];

/// Whether a feature is offered, in a structure that is.
#[must_use]
pub fn is_offered(name: &str) -> bool {
    OFFERED.contains(&name)
}

/// Whether a structure is of an offered version or extension.
#[must_use]
pub fn struct_is_offered(row: &FeatureStruct) -> bool {
    row.core.is_some_and(|core| core <= API_MINOR)
        || row.extensions.iter().any(|id| extensions::DEVICE.contains(id))
}

/// Whether each member of a structure is offered.
pub fn members(row: &'static FeatureStruct) -> impl Iterator<Item = bool> {
    let offered = struct_is_offered(row);
    row.members.iter().map(move |name| offered && is_offered(name))
}

/// Whether each member of `VkPhysicalDeviceFeatures` is offered, in order.
pub fn basic() -> impl Iterator<Item = bool> {
    basic_features().iter().map(|name| is_offered(name))
}

/// A feature was asked for that is not offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the feature {0} is not offered")]
pub struct NotOffered(pub &'static str);

/// The features that a device was created with, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Enabled(BTreeSet<&'static str>);

impl Enabled {
    /// Adds what a structure asks for; `values` are its members.
    ///
    /// # Errors
    /// The first that is not offered.
    pub fn add(
        &mut self,
        row: &'static FeatureStruct,
        values: impl Iterator<Item = bool>,
    ) -> Result<(), NotOffered> {
        let offered = struct_is_offered(row);
        self.add_all(row.members, values, |name| offered && is_offered(name))
    }

    /// Adds what `VkPhysicalDeviceFeatures` asks for.
    ///
    /// # Errors
    /// The first that is not offered.
    pub fn add_basic(&mut self, values: impl Iterator<Item = bool>) -> Result<(), NotOffered> {
        self.add_all(basic_features(), values, is_offered)
    }

    /// Whether a feature is enabled.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    fn add_all(
        &mut self,
        names: &'static [&'static str],
        values: impl Iterator<Item = bool>,
        offered: impl Fn(&str) -> bool,
    ) -> Result<(), NotOffered> {
        for name in names
            .iter()
            .zip(values)
            .filter_map(|(name, value)| value.then_some(*name))
        {
            if !offered(name) {
                return Err(NotOffered(name));
            }
            self.0.insert(name);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{generated::features::FEATURE_STRUCTS, vk};

    #[test]
    fn names_are_those_of_the_registry() {
        let known: Vec<&str> = FEATURE_STRUCTS
            .iter()
            .flat_map(|row| row.members.iter())
            .chain(basic_features())
            .copied()
            .collect();
        for name in OFFERED {
            assert!(known.contains(name), "{name}");
        }
    }

    #[test]
    fn what_the_version_demands_is_offered() {
        const DEMANDED: &[&str] = &[
            "fullDrawIndexUint32",
            "imageCubeArray",
            "independentBlend",
            "sampleRateShading",
            "drawIndirectFirstInstance",
            "depthClamp",
            "depthBiasClamp",
            "samplerAnisotropy",
            "fragmentStoresAndAtomics",
            "shaderStorageImageExtendedFormats",
            "shaderUniformBufferArrayDynamicIndexing",
            "shaderSampledImageArrayDynamicIndexing",
            "shaderStorageBufferArrayDynamicIndexing",
            "shaderStorageImageArrayDynamicIndexing",
            "shaderImageGatherExtended",
            "shaderInt16",
            "largePoints",
            "samplerYcbcrConversion",
            "storageBuffer16BitAccess",
            "variablePointers",
            "variablePointersStorageBuffer",
            "samplerMirrorClampToEdge",
            "scalarBlockLayout",
            "shaderUniformTexelBufferArrayDynamicIndexing",
            "shaderStorageTexelBufferArrayDynamicIndexing",
            "shaderInt8",
            "storageBuffer8BitAccess",
            "globalPriorityQuery",
            "shaderSubgroupRotate",
            "shaderSubgroupRotateClustered",
            "shaderFloatControls2",
            "shaderExpectAssume",
            "bresenhamLines",
            "vertexAttributeInstanceRateDivisor",
            "indexTypeUint8",
            "maintenance5",
            "pushDescriptor",
            "dynamicRenderingLocalRead",
            "maintenance6",
            "pipelineRobustness",
            "hostImageCopy",
        ];
        let missing: Vec<_> = DEMANDED.iter().filter(|name| !is_offered(name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn enabling_checks_each_feature() {
        let multiview = crate::physical::registry::feature_struct(
            vk::StructureType::PHYSICAL_DEVICE_MULTIVIEW_FEATURES.as_raw(),
        );
        let multiview = multiview.expect("in the registry");
        let mut enabled = Enabled::default();
        assert_eq!(enabled.add(multiview, [true, false, false].into_iter()), Ok(()));
        assert!(enabled.has("multiview") && !enabled.has("multiviewGeometryShader"));
        let refused = enabled.add(multiview, [true, true, false].into_iter());
        assert_eq!(refused, Err(NotOffered("multiviewGeometryShader")));
    }

    #[test]
    fn what_the_offered_version_demands_is_offered() {
        assert!(is_offered("robustBufferAccess"));
        assert!(is_offered("multiview"));
    }
}
