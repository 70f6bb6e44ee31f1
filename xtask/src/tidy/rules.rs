//! Rules about single files.

use super::SourceFile;

/// Where `unsafe` may be: the C ABI, memory, code memory, and the programs that call Vulkan themselves.
const UNSAFE_PLACES: [&str; 5] = ["icd/", "src/memory/", "src/shader/codegen/", "demo/", "tests/"];
/// Modules that hold such a place and so cannot forbid it for all their children.
const UNSAFE_PARENTS: [&str; 3] = ["src/lib.rs", "src/shader/mod.rs", "src/generated/mod.rs"];
/// Uniform tables, which may be long.
const LONG: [&str; 3] = [
    "src/generated/",
    "icd/src/generated/",
    "src/resource/format/table.rs",
];
const MAX_LINES: usize = 800;

const FORBID: &str = "#![forbid(unsafe_code)]";

fn is_at(path: &str, places: &[&str]) -> bool {
    places.iter().any(|place| path.starts_with(place))
}

fn has_unsafe(line: &str) -> bool {
    ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"]
        .iter()
        .any(|form| line.contains(form))
}

/// Whether the file is the root of a module below `src/` or of a crate: where `forbid` holds for all of it.
fn is_module_root(path: &str) -> bool {
    let in_engine = path.strip_prefix("src/").is_some_and(|rest| {
        let depth = rest.matches('/').count();
        depth == 0 || rest.ends_with("/mod.rs") && depth <= if rest.starts_with("shader/") { 2 } else { 1 }
    });
    in_engine || path.ends_with("/main.rs") && !path.starts_with("demo/")
}

pub(super) fn unsafe_is_where_it_may_be(files: &[SourceFile]) -> Vec<String> {
    let mut wrong = Vec::new();
    for file in files
        .iter()
        .filter(|file| file.is_rust() && !is_at(&file.path, &UNSAFE_PLACES))
    {
        let head = file.text.contains(FORBID);
        if is_module_root(&file.path) && !UNSAFE_PARENTS.contains(&&*file.path) && !head {
            wrong.push(file.at(1, "a module root without `#![forbid(unsafe_code)]`"));
        }
        // Outside the engine's modules nothing else watches.
        let code = file
            .code()
            .filter(|(_, line)| file.path.starts_with("src/") && has_unsafe(line));
        wrong.extend(code.map(|(number, _)| file.at(number, "`unsafe` outside the places for it")));
    }
    wrong
}

/// How far above an `unsafe` block its comment may begin.
const COMMENT_REACH: usize = 8;

pub(super) fn unsafe_says_why(files: &[SourceFile]) -> Vec<String> {
    let mut wrong = Vec::new();
    for file in files
        .iter()
        .filter(|file| file.is_rust() && !file.path.starts_with("xtask/"))
    {
        let lines: Vec<&str> = file.text.lines().collect();
        for (number, line) in file.code() {
            let block = line.contains("unsafe {") || line.contains("unsafe impl");
            let from = number.saturating_sub(COMMENT_REACH + 1);
            let said = lines[from..number].iter().any(|line| line.contains("SAFETY:"));
            if block && !said {
                wrong.push(file.at(number, "`unsafe` without a `// SAFETY:` comment"));
            }
        }
    }
    wrong
}

pub(super) fn files_are_short(files: &[SourceFile]) -> Vec<String> {
    files
        .iter()
        .filter(|file| file.is_rust() && !is_at(&file.path, &LONG))
        .map(|file| (file, file.text.lines().count()))
        .filter(|(_, lines)| *lines > MAX_LINES)
        .map(|(file, lines)| file.at(lines, "more than 800 lines"))
        .collect()
}

/// Whether the rules themselves are in the file, and so what they look for.
fn is_of_tidy(file: &SourceFile) -> bool {
    file.path.starts_with("xtask/src/tidy/")
}

pub(super) fn nothing_is_left_to_do(files: &[SourceFile]) -> Vec<String> {
    let words = ["todo!(", "unimplemented!(", "dbg!("];
    let mut wrong = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && !is_of_tidy(file)) {
        for (number, line) in file.code() {
            if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                wrong.push(file.at(number, &format!("`{word}` is not for finished code")));
            }
        }
    }
    wrong
}

pub(super) fn no_machine_is_named(files: &[SourceFile]) -> Vec<String> {
    let words = ["/root/", "/home/", "/tmp/"];
    let mut wrong = Vec::new();
    for file in files.iter().filter(|file| !is_of_tidy(file)) {
        for (number, line) in file.lines() {
            // Where X servers have their sockets, on every machine.
            let line = line.replace("/tmp/.X11-unix", "");
            if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                wrong.push(file.at(number, &format!("`{word}`: a path of some machine")));
            }
        }
    }
    wrong
}

pub(super) fn allow_gives_its_reason(files: &[SourceFile]) -> Vec<String> {
    let mut wrong = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && !is_of_tidy(file)) {
        for form in ["#[allow(", "#![allow(", "#[expect(", "#![expect("] {
            for (at, _) in file.text.match_indices(form) {
                let attribute = file.text[at..].split(")]").next().unwrap_or_default();
                if !attribute.contains("reason") {
                    let line = file.text[..at].lines().count() + 1;
                    wrong.push(file.at(line, "an exception without its reason"));
                }
            }
        }
    }
    wrong
}
