//! What can be wrong with a module.

/// Why a module cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpirvError {
    /// Not SPIR-V, or cut off.
    #[error("malformed module at word {0}")]
    Malformed(usize),
    /// An id that is not defined, or not where it is used.
    #[error("id %{0} is not defined here")]
    UnknownId(u32),
    /// An id of another kind or type than its use needs.
    #[error("id %{0} has the wrong type for its use")]
    WrongType(u32),
    /// Control flow that is not structured.
    #[error("control flow at %{0} is not structured")]
    Unstructured(u32),
    /// A function that calls itself.
    #[error("function %{0} is recursive")]
    Recursive(u32),
    /// No entry point of this name and stage.
    #[error("no entry point {0:?} of this stage")]
    NoEntryPoint(String),
    /// Larger than this compiler accepts.
    #[error("{0} exceeds what is supported")]
    TooLarge(&'static str),
    /// Valid perhaps, but not supported.
    #[error("{0} is not supported")]
    Unsupported(String),
    /// A resource that the pipeline layout does not have.
    #[error("descriptor set {set} binding {binding} is not in the pipeline layout")]
    MissingBinding {
        /// Descriptor set.
        set: u32,
        /// Binding.
        binding: u32,
    },
}

impl SpirvError {
    /// Shorthand for [`SpirvError::Unsupported`].
    pub(super) fn unsupported(what: impl Into<String>) -> SpirvError {
        SpirvError::Unsupported(what.into())
    }
}

/// Result of everything here.
pub(super) type Result<T> = std::result::Result<T, SpirvError>;
