//! The C ABI of Lahar: an installable Vulkan client driver.
