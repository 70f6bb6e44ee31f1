//! `cargo xtask tidy`: the rules of `ARCHITECTURE.md` that the compiler does not know.

mod layers;
mod rules;

use crate::TaskResult;
use crate::shell::workspace;
use std::{fs, path::Path};

/// A file of the source tree.
pub(crate) struct SourceFile {
    /// Relative to the workspace, with `/`.
    path: String,
    text: String,
}

impl SourceFile {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Lines with their numbers, from 1.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    /// Lines with their numbers, comments left out.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines()
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
            .map(|(number, line)| (number, line.split(" // ").next().unwrap_or(line)))
    }

    fn at(&self, line: usize, what: &str) -> String {
        format!("{}:{line}: {what}", self.path)
    }
}

/// A rule: what is wrong in a tree.
type Rule = fn(&[SourceFile]) -> Vec<String>;

const RULES: [Rule; 9] = [
    rules::unsafe_is_where_it_may_be,
    rules::unsafe_says_why,
    rules::files_are_short,
    rules::nothing_is_left_to_do,
    rules::no_machine_is_named,
    rules::allow_gives_its_reason,
    layers::instruction_sets_stay_in_codegen,
    layers::modules_see_only_what_they_may,
    layers::every_module_is_on_the_map,
];

/// Not part of the source tree.
const SKIPPED: [&str; 2] = ["target", ".git"];

fn collect(dir: &Path, root: &Path, files: &mut Vec<SourceFile>) -> TaskResult {
    let mut entries = fs::read_dir(dir)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if SKIPPED.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(&path, root, files)?;
        } else if let Ok(text) = fs::read_to_string(&path) {
            let path = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            files.push(SourceFile { path, text });
        }
    }
    Ok(())
}

/// Checks the tree; an error if a rule is broken.
pub(crate) fn run() -> TaskResult {
    let root = workspace();
    let mut files = Vec::new();
    collect(&root, &root, &mut files)?;
    let wrong: Vec<String> = RULES.iter().flat_map(|rule| rule(&files)).collect();
    for line in &wrong {
        eprintln!("{line}");
    }
    if wrong.is_empty() {
        println!("tidy: {} files, {} rules, all kept", files.len(), RULES.len());
        Ok(())
    } else {
        Err(format!("tidy: {} place(s) break a rule", wrong.len()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of one file.
    pub(crate) fn tree(path: &str, text: &str) -> Vec<SourceFile> {
        vec![SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        }]
    }

    #[test]
    fn each_rule_finds_what_it_is_for() {
        let long = "\n".repeat(801);
        let cases: [(Rule, &str, &str); 10] = [
            (
                rules::unsafe_is_where_it_may_be,
                "src/sync/mod.rs",
                "//! Doc.\nfn f() {}\n",
            ),
            (
                rules::unsafe_is_where_it_may_be,
                "src/sync/fence.rs",
                "fn f() { unsafe { g() } }\n",
            ),
            (
                rules::unsafe_says_why,
                "icd/src/a.rs",
                "fn f() {\n    unsafe { g() }\n}\n",
            ),
            (rules::files_are_short, "src/sync/fence.rs", &long),
            (
                rules::nothing_is_left_to_do,
                "src/sync/fence.rs",
                "fn f() { todo!() }\n",
            ),
            (
                rules::no_machine_is_named,
                "README.md",
                "see /home/someone/notes\n",
            ),
            (
                rules::allow_gives_its_reason,
                "src/lib.rs",
                "#[allow(\n    dead_code\n)]\nfn f() {}\n",
            ),
            (
                layers::instruction_sets_stay_in_codegen,
                "src/raster/mod.rs",
                "fn avx2() {}\n",
            ),
            (
                layers::modules_see_only_what_they_may,
                "src/shader/ir/op.rs",
                "use crate::vk;\n",
            ),
            (
                layers::every_module_is_on_the_map,
                "src/lib.rs",
                "pub mod secret;\n",
            ),
        ];
        for (rule, path, text) in cases {
            assert!(!rule(&tree(path, text)).is_empty(), "{path}: {text}");
        }
    }

    #[test]
    fn rules_let_good_code_pass() {
        let good = "//! Doc.\n#![forbid(unsafe_code)]\n#[allow(dead_code, reason = \"x\")]\nfn f() {}\n";
        for rule in &RULES[..8] {
            assert_eq!(rule(&tree("src/sync/mod.rs", good)), Vec::<String>::new());
        }
        let good = "fn f() {\n    // SAFETY: it is.\n    unsafe { g() }\n}\n";
        assert!(rules::unsafe_says_why(&tree("icd/src/a.rs", good)).is_empty());
    }
}
