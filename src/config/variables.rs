//! The variables of the environment that Lahar knows, for the reference and for those that are misspelt.

use crate::fault::plan::nearest;

/// A variable.
#[derive(Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub doc: &'static str,
}

const fn variable(name: &'static str, doc: &'static str) -> Variable {
    Variable { name, doc }
}

/// All of them.
pub static VARIABLES: &[Variable] = &[
    variable("LAHAR_PLAN", "the fault plan, a file"),
    variable(
        "LAHAR_FAULT",
        "rules in one line, behind those of the file: `lose@submit#3 read`",
    ),
    variable(
        "LAHAR_DUMP_DIR",
        "a directory that gets a crash dump at each loss",
    ),
    variable(
        "LAHAR_TRACE",
        "`calls`, `commands`, `faults`, with commas between them: what is told on standard error",
    ),
    variable(
        "LAHAR_REPORT",
        "a file that gets what the process did, as JSON; for tools",
    ),
    variable(
        "LAHAR_PROFILE",
        "the device to look like: `discrete` (the default), `unified`, `minimal`, `tiler`, `workstation`, or a file",
    ),
    variable(
        "LAHAR_THREADS",
        "worker threads, 1 to 256; default: the cores that the process may use",
    ),
    variable(
        "LAHAR_BACKEND",
        "what runs shaders: `interp` or a back end that the machine has; default: the best",
    ),
    variable(
        "LAHAR_POISON",
        "a byte, as `0xab`: what new memory and undefined contents (of attachments and images) get, to find missing initialization; default: new memory is zero",
    ),
    variable(
        "LAHAR_LEAKS",
        "`1`: what an application leaves behind when it destroys a device is told, on standard error and to messengers",
    ),
    variable(
        "LAHAR_FUEL",
        "how often the loops of a shader may turn before the watchdog stops it",
    ),
    variable(
        "LAHAR_LOSS",
        "`strict` (after a loss every call says so; the default) or `weak` (what was done before is still told)",
    ),
    variable(
        "LAHAR_TIMEOUT_MS",
        "milliseconds that a queue waits, or works on a submission, at most; default: no limit",
    ),
    variable(
        "LAHAR_FAULTS",
        "`trap` (the default), `check` or `off`: how accesses of shaders are watched",
    ),
    variable(
        "LAHAR_DUMP",
        "`ir`: prints each shader's IR after every pass; for work on Lahar itself",
    ),
];

/// Variables that are Lahar's by their beginning, but not known; tests have some of their own.
pub(super) fn misspelt(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut warnings: Vec<String> = names
        .filter(|name| name.starts_with("LAHAR_") && !name.starts_with("LAHAR_TEST") && name != "LAHAR_BLESS")
        .filter(|name| VARIABLES.iter().all(|known| known.name != name))
        .map(|name| {
            let meant = nearest(&name, VARIABLES.iter().map(|known| known.name));
            let meant = meant.map_or(String::new(), |meant| format!("; did you mean {meant}?"));
            format!("{name} is no variable that this driver knows{meant}")
        })
        .collect();
    warnings.sort();
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_that_is_read_is_in_the_table() {
        let source = include_str!("mod.rs");
        for (at, _) in source.match_indices("get(\"LAHAR_") {
            let name = source[at + 5..].split('"').next().unwrap_or_default();
            assert!(VARIABLES.iter().any(|known| known.name == name), "{name}");
        }
    }

    #[test]
    fn misspelt_variables_are_told_with_what_was_meant() {
        let names = ["LAHAR_PLAN", "LAHAR_THREDS", "LAHAR_XYZZY_FROB", "PATH"].map(str::to_owned);
        assert_eq!(
            misspelt(names.into_iter()),
            [
                "LAHAR_THREDS is no variable that this driver knows; did you mean LAHAR_THREADS?",
                "LAHAR_XYZZY_FROB is no variable that this driver knows",
            ]
        );
    }
}
