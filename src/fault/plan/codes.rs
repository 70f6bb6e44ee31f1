//! Result codes by their words in plans, and which command may return which.

use crate::generated::commands::COMMANDS;
use crate::physical::registry::{self, Command};

/// Words and values of `VkResult`.
pub static CODES: &[(&str, i32)] = &[
    ("not_ready", 1),
    ("timeout", 2),
    ("incomplete", 5),
    ("suboptimal", 1_000_001_003),
    ("pipeline_compile_required", 1_000_297_000),
    ("incompatible_shader_binary", 1_000_482_000),
    ("out_of_host_memory", -1),
    ("out_of_device_memory", -2),
    ("initialization_failed", -3),
    ("device_lost", -4),
    ("memory_map_failed", -5),
    ("layer_not_present", -6),
    ("extension_not_present", -7),
    ("feature_not_present", -8),
    ("incompatible_driver", -9),
    ("too_many_objects", -10),
    ("format_not_supported", -11),
    ("fragmented_pool", -12),
    ("unknown", -13),
    ("validation_failed", -1_000_011_001),
    ("surface_lost", -1_000_000_000),
    ("native_window_in_use", -1_000_000_001),
    ("out_of_date", -1_000_001_004),
    ("out_of_pool_memory", -1_000_069_000),
    ("invalid_external_handle", -1_000_072_003),
    ("fragmentation", -1_000_161_000),
    ("not_permitted", -1_000_174_001),
    ("invalid_opaque_capture_address", -1_000_257_000),
    ("full_screen_exclusive_mode_lost", -1_000_255_000),
    ("image_usage_not_supported", -1_000_023_000),
    ("invalid_drm_format_modifier_plane_layout", -1_000_158_000),
    ("compression_exhausted", -1_000_338_000),
    ("not_enough_space", -1_000_483_000),
];

/// The word of a code.
#[must_use]
pub fn word(code: i32) -> Option<&'static str> {
    CODES.iter().find(|row| row.1 == code).map(|row| row.0)
}

/// The code of a word; `VK_ERROR_OUT_OF_DEVICE_MEMORY` and the like are understood too.
#[must_use]
pub fn code(text: &str) -> Option<i32> {
    let lower = text.to_ascii_lowercase();
    let bare = lower.strip_prefix("vk_").unwrap_or(&lower);
    let bare = bare.strip_prefix("error_").unwrap_or(bare);
    let bare = bare.strip_suffix("_khr").unwrap_or(bare);
    let bare = bare.strip_suffix("_ext").unwrap_or(bare);
    CODES.iter().find(|row| row.0 == bare).map(|row| row.1)
}

/// Codes that layers and broken applications cause, never a planned fault.
const GENERIC: [i32; 2] = [-13, -1_000_011_001];
/// `VK_ERROR_TOO_MANY_OBJECTS`, which `vkAllocateMemory` lists no more but old drivers return.
const TOO_MANY_OBJECTS: i32 = -10;

/// Whether the registry lets a command return a code.
#[must_use]
pub fn is_legal(command: &Command, code: i32) -> bool {
    code != 0 && (command.successes.contains(&code) || command.errors.contains(&code))
        || code == TOO_MANY_OBJECTS && command.name == "vkAllocateMemory"
}

/// What an enumeration returns that wrote less than there is, which a call that does nothing has not.
const INCOMPLETE: i32 = 5;

/// The codes that a fault can make a command return: all that the registry lists but success, the generic ones and
/// `VK_INCOMPLETE`.
pub fn legal(command: &Command) -> impl Iterator<Item = i32> + '_ {
    let listed = command.errors.iter().chain(command.successes).copied();
    listed.filter(|code| ![0, INCOMPLETE].contains(code) && !GENERIC.contains(code) && word(*code).is_some())
}

/// The name that a command is counted under: `vkQueueSubmit2KHR` counts as `vkQueueSubmit2`, and so on, where the
/// version without the suffix exists.
#[must_use]
pub fn canonical(name: &str) -> Option<&'static str> {
    let command = registry::command(name)?;
    let bare = ["KHR", "EXT"].iter().find_map(|suffix| name.strip_suffix(suffix));
    let core = bare.and_then(registry::command).filter(|core| {
        // Of the same name but not the same command are only those that do something else; they differ in codes.
        core.level == command.level
    });
    Some(core.unwrap_or(command).name)
}

/// Whether a command returns a `VkResult`.
#[must_use]
pub fn can_fail(command: &Command) -> bool {
    !command.errors.is_empty()
}

/// All commands of Vulkan by name.
pub fn commands() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_words_and_words_have_codes() {
        for (word_, value) in CODES {
            assert_eq!((code(word_), word(*value)), (Some(*value), Some(*word_)));
        }
        assert_eq!(code("VK_ERROR_OUT_OF_DATE_KHR"), Some(-1_000_001_004));
        assert_eq!(code("nonsense"), None);
    }

    #[test]
    fn legality_is_the_registrys() {
        let allocate = registry::command("vkAllocateMemory").expect("a command");
        assert!(is_legal(allocate, -2) && is_legal(allocate, TOO_MANY_OBJECTS));
        assert!(!is_legal(allocate, -4) && !is_legal(allocate, 0));
        let acquire = registry::command("vkAcquireNextImageKHR").expect("a command");
        assert!(is_legal(acquire, 2) && legal(acquire).all(|code| code != -13));
        assert_eq!(canonical("vkQueueSubmit2KHR"), Some("vkQueueSubmit2"));
        assert_eq!(canonical("vkCreateSwapchainKHR"), Some("vkCreateSwapchainKHR"));
        assert_eq!(canonical("vkSumbit"), None);
    }
}
