//! Features of the device: one line each, by the name of the member in C. What is not listed is not offered.
//!
//! A name counts in every structure that has it, provided that the structure's version or extension is offered.

use super::{
    API_MINOR, extensions,
    registry::{FeatureStruct, basic_features},
};

/// The features that work.
const OFFERED: &[&str] = &[
    "robustBufferAccess",
    "fullDrawIndexUint32",
    "independentBlend",
    "drawIndirectFirstInstance",
    "multiDrawIndirect",
    "depthClamp",
    "depthBiasClamp",
    "shaderUniformBufferArrayDynamicIndexing",
    "shaderSampledImageArrayDynamicIndexing",
    "shaderStorageBufferArrayDynamicIndexing",
    "shaderStorageImageArrayDynamicIndexing",
    "vertexPipelineStoresAndAtomics",
    "fragmentStoresAndAtomics",
    "occlusionQueryPrecise",
    "imageCubeArray",
    "shaderClipDistance",
    "shaderCullDistance",
    "multiview",
    "deviceFault",
    "deviceFaultVendorBinary",
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::features::FEATURE_STRUCTS;

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
    fn what_the_offered_version_demands_is_offered() {
        assert!(is_offered("robustBufferAccess"));
        assert!(is_offered("multiview"));
    }
}
