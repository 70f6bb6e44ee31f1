//! The fault plan: a TOML file that says what breaks, and when.
//!
//! ```toml
//! version = 1
//! seed = 7                    # optional; written into the dump
//!
//! [[rule]]
//! name = "third submit"       # optional
//! when = { event = "submit", nth = 3 }
//! lose = { access = "read", precision = 4096 }
//! ```
//!
//! `when.event` is one of [`Event`]; `nth` counts from 1 within one device. `when.device` says which device of
//! the process is meant, from 1, which is the default: a device created after the loss works.
//! `lose.access` is `read`, `write` or `execute`; `lose.address` (default [`UNMAPPED_ADDRESS`]) and
//! `lose.instruction` are addresses; `lose.precision` (default 4096) is a power of two; `lose.description` is
//! what the fault record says.

mod run;

pub use run::PlanRun;

use super::record::AddressType;
use serde::{Deserialize, Deserializer};

/// An address inside the first device window that is never given out: its last 64 KiB.
pub const UNMAPPED_ADDRESS: u64 = 0x10ff_ffff_0000;

/// What a rule can count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// A call of `vkQueueSubmit` or `vkQueueSubmit2`, on any queue of the device. The device is lost before
    /// the submission runs, and the call itself returns `VK_ERROR_DEVICE_LOST`.
    Submit,
}

/// When a rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trigger {
    /// What is counted.
    pub event: Event,
    /// Which one, from 1.
    #[serde(default = "one", deserialize_with = "positive")]
    pub nth: u64,
    /// Which device of the process, from 1.
    #[serde(default = "one", deserialize_with = "positive")]
    pub device: u64,
}

/// How a planned loss looks in the fault records.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lose {
    /// Kind of the faulting access.
    pub access: Access,
    /// The address.
    #[serde(default = "unmapped")]
    pub address: u64,
    /// Size of the range around it, a power of two.
    #[serde(default = "page", deserialize_with = "power_of_two")]
    pub precision: u64,
    /// Address of the faulting instruction.
    #[serde(default)]
    pub instruction: Option<u64>,
    /// What the record says.
    #[serde(default)]
    pub description: Option<String>,
}

/// Kind of a planned access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Of an address that cannot be read.
    Read,
    /// Of an address that cannot be written.
    Write,
    /// Of an address that cannot be executed.
    Execute,
}

impl Access {
    /// The type in a fault record.
    #[must_use]
    pub fn address_type(self) -> AddressType {
        match self {
            Access::Read => AddressType::ReadInvalid,
            Access::Write => AddressType::WriteInvalid,
            Access::Execute => AddressType::ExecuteInvalid,
        }
    }
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// For people.
    #[serde(default)]
    pub name: Option<String>,
    /// When it applies.
    pub when: Trigger,
    /// What it does.
    pub lose: Lose,
}

/// A whole plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Its seed.
    pub seed: u64,
    /// Its rules, in order.
    pub rules: Vec<Rule>,
    /// As it was written.
    pub text: String,
}

/// A plan that cannot be used; the message gives line and column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlanError(String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(deserialize_with = "version_one")]
    #[allow(dead_code, reason = "checked when it is read")]
    version: u32,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    rule: Vec<Rule>,
}

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// Where it is malformed, with the place and what was expected.
    pub fn parse(text: &str) -> Result<Plan, PlanError> {
        let file: File =
            toml::from_str(text).map_err(|error| PlanError(error.to_string().trim_end().to_owned()))?;
        Ok(Plan {
            seed: file.seed,
            rules: file.rule,
            text: text.to_owned(),
        })
    }
}

fn one() -> u64 {
    1
}

fn page() -> u64 {
    4096
}

fn unmapped() -> u64 {
    UNMAPPED_ADDRESS
}

fn checked<'de, D: Deserializer<'de>>(from: D, ok: fn(u64) -> bool, expected: &str) -> Result<u64, D::Error> {
    let value = u64::deserialize(from)?;
    if ok(value) {
        Ok(value)
    } else {
        Err(serde::de::Error::custom(format!("{value} is not {expected}")))
    }
}

fn positive<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    checked(from, |n| n > 0, "a number from 1")
}

fn power_of_two<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    checked(from, u64::is_power_of_two, "a power of two")
}

fn version_one<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    checked(from, |n| n == 1, "a plan version this driver knows (1)").map(|n| n as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "version = 1\nseed = 7\n[[rule]]\nwhen = { event = \"submit\", nth = 3 }\nlose = { access = \"read\" }\n";

    #[test]
    fn a_plan_is_read_with_its_defaults() {
        let plan = Plan::parse(GOOD).unwrap();
        let [rule] = &plan.rules[..] else {
            panic!("one rule")
        };
        assert_eq!(
            rule.when,
            Trigger {
                event: Event::Submit,
                nth: 3,
                device: 1
            }
        );
        assert_eq!((rule.lose.address, rule.lose.precision), (UNMAPPED_ADDRESS, 4096));
        assert_eq!(plan.seed, 7);
    }

    #[test]
    fn errors_give_the_place_and_what_was_expected() {
        for (from, to, says) in [
            ("version = 1", "version = 2", "a plan version this driver knows"),
            ("version = 1\n", "", "missing field `version`"),
            ("\"submit\"", "\"sumbit\"", "expected `submit`"),
            ("nth = 3", "nth = 0", "a number from 1"),
            ("nth = 3", "nth = -1", "line 4"),
            ("nth", "nht", "unknown field `nht`"),
            ("\"read\"", "\"reed\"", "one of `read`, `write`, `execute`"),
            (
                "access = \"read\"",
                "access = \"read\", precision = 3",
                "a power of two",
            ),
            ("lose", "loose", "unknown field `loose`"),
            ("[[rule]]", "[[rule]", "line 3"),
        ] {
            let error = Plan::parse(&GOOD.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(says), "{from} -> {to}: {error}");
        }
    }

    #[test]
    fn any_text_is_read_without_harm() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize
        };
        for _ in 0..5_000 {
            let mut bytes = GOOD.as_bytes().to_vec();
            for _ in 0..=next() % 5 {
                let at = next() % bytes.len();
                match next() % 3 {
                    0 => bytes[at] = next() as u8,
                    1 if bytes.len() > 1 => drop(bytes.remove(at)),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            if let Err(error) = Plan::parse(&String::from_utf8_lossy(&bytes)) {
                assert!(!error.to_string().is_empty(), "says something");
            }
        }
    }
}
