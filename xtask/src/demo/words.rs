//! What is looked for in the output of the demo and of `lahar dump`. The driver's tests look for the same, so that another
//! wording is seen there.

/// What the demo says, and what that tells of.
pub(super) const DEMO: [(&str, &str); 3] = [
    ("device lost before frame 1", "the loss in frame 1"),
    ("address: READ_INVALID", "the fault report"),
    ("making a new device", "the recovery"),
];

/// What the dump's report says.
pub(super) const DUMP: &str = "device lost (planned)";
