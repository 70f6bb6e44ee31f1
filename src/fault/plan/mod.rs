//! The fault plan: a file, or a line, that says what breaks, and when.
//!
//! ```toml
//! version = 1
//! seed = 7                    # optional
//!
//! [[rule]]
//! name = "third submit"       # optional
//! when = { event = "submit", nth = 3 }
//! lose = { access = "read", precision = 4096 }
//! ```
//!
//! A rule is scope, trigger, fault and options. What there is stands in the tables of [`tables`]: parser, messages and
//! reference are made from them.
//!
//! ```text
//! syntax  TOML and the one-line form, read into one tree
//! read    the tree, checked against the tables, becomes a plan (model)
//! codes   result codes, and which command may return which
//! profile device profiles, which are read in the same way
//! run     a plan as it runs on a device: counts, and decides
//! ```

pub mod codes;
mod error;
mod hidden;
mod model;
mod objects;
mod profile;
mod read;
mod reference;
mod run;
mod syntax;
pub mod tables;
pub mod watch;

pub use error::{PlanError, nearest};
pub use hidden::Hidden;
pub use model::{
    Corrupt, Event, Fault, Lose, Pattern, Physical, Plan, Point, Poison, Report, Rule, SwapchainState,
    Target, Touch, When,
};
pub use objects::makes;
pub use profile::{DeviceProfile, PROFILE_NAMES, profile_reference};
pub use reference::reference;
pub use run::{Armed, Decision, Happening, PlanRun, Process, RuleState, thread_number};

/// An address inside the first device window that is never given out: its last 64 KiB.
pub const UNMAPPED_ADDRESS: u64 = 0x10ff_ffff_0000;

/// Largest plan, in bytes.
pub const MAX_PLAN_BYTES: u64 = 1 << 20;

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// Where it is malformed, with the place and what was expected.
    pub fn parse(text: &str) -> Result<Plan, PlanError> {
        let plan = syntax::toml(text).and_then(|root| read::plan(&root));
        Plan::finish(plan, text)
    }

    /// Reads a plan in its one-line form: `lose@submit#3 read; fail@allocate#2 out_of_device_memory`.
    ///
    /// # Errors
    /// As for [`Plan::parse`].
    pub fn parse_line(text: &str) -> Result<Plan, PlanError> {
        let plan = syntax::line(text).and_then(|root| read::plan(&root));
        Plan::finish(plan, text)
    }

    fn finish(plan: Result<Plan, error::At>, text: &str) -> Result<Plan, PlanError> {
        if text.len() as u64 > MAX_PLAN_BYTES {
            return Err(error::At::new(0, "larger than 1 MiB").locate(""));
        }
        let mut plan = plan.map_err(|at| at.locate(text))?;
        text.clone_into(&mut plan.text);
        Ok(plan)
    }

    /// Adds the rules of another plan behind its own; the seed is the first that is not 0.
    pub fn append(&mut self, other: Plan) {
        self.seed = if self.seed == 0 { other.seed } else { self.seed };
        self.rules.extend(other.rules);
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(&other.text);
    }

    /// Heaps that have only so much room, with how many bytes.
    pub fn budgets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.rules.iter().filter_map(Rule::budget)
    }

    /// Whether any rule watches shaders' accesses.
    #[must_use]
    pub fn watches(&self) -> bool {
        self.rules.iter().any(|rule| rule.watches().is_some())
    }

    /// What all its rules together hide.
    #[must_use]
    pub fn hidden(&self) -> Hidden {
        hidden::all(&self.rules)
    }
}

#[cfg(test)]
mod tests;
