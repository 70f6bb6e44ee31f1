//! Rules about which part knows of which.

use super::SourceFile;

/// Names of instruction sets and their registers.
const ISA_WORDS: [&str; 8] = ["avx", "x86", "x64", "xmm", "ymm", "zmm", "sse2", "sse4"];
/// Where they belong, and where a back end is chosen by name.
const ISA_PLACES: [&str; 2] = ["src/shader/codegen/", "src/shader/kernel.rs"];

pub(super) fn instruction_sets_stay_in_codegen(files: &[SourceFile]) -> Vec<String> {
    let mut wrong = Vec::new();
    let engine = |file: &&SourceFile| {
        file.is_rust()
            && (file.path.starts_with("src/") || file.path.starts_with("icd/"))
            && !ISA_PLACES.iter().any(|place| file.path.starts_with(place))
    };
    for file in files.iter().filter(engine) {
        for (number, line) in file.code() {
            // A back end is chosen through the `Backend` enum, and named in the configuration.
            let line = line.to_lowercase();
            let rest = ["backend::avx2", "backend::avx512", "interp, avx2 or avx512"]
                .iter()
                .fold(line, |line, name| line.replace(name, ""));
            if let Some(word) = ISA_WORDS.iter().find(|word| names(&rest, word)) {
                wrong.push(file.at(number, &format!("`{word}` is known to shader/codegen only")));
            }
        }
    }
    wrong
}

/// Whether the line holds a word that begins with `word` (digits may follow: `avx2`, `x86_64`).
fn names(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphabetic)
    })
}

/// Files below `inside` do not use the modules in `hidden`.
struct Layer {
    inside: &'static str,
    hidden: &'static [&'static str],
    /// Parts of hidden modules that are plain data.
    shown: &'static [&'static str],
}

/// Parts of the engine that hold objects of the API, or work on them.
const OBJECTS: &[&str] = &[
    "command", "config", "device", "fault", "physical", "query", "resource", "sync", "wsi",
];

const LAYERS: [Layer; 8] = [
    Layer {
        inside: "src/shader/",
        hidden: OBJECTS,
        shown: &["resource::format"],
    },
    Layer {
        inside: "src/shader/",
        hidden: &["raster", "compute", "descriptor::pool", "descriptor::layout"],
        shown: &[],
    },
    Layer {
        inside: "src/shader/ir/",
        hidden: &["vk", "shader::spirv", "shader::codegen", "shader::interp"],
        shown: &[],
    },
    Layer {
        inside: "src/shader/passes/",
        hidden: &["vk", "shader::spirv", "shader::codegen"],
        shown: &[],
    },
    Layer {
        inside: "src/shader/codegen/",
        hidden: &["vk", "shader::spirv", "resource", "descriptor"],
        shown: &[],
    },
    Layer {
        inside: "src/shader/interp/",
        hidden: &["vk", "shader::spirv", "shader::codegen", "resource", "descriptor"],
        // The way into machine code, and its trap handler.
        shown: &["shader::codegen::entry"],
    },
    Layer {
        inside: "src/raster/",
        hidden: OBJECTS,
        shown: &["resource::format", "device::workers"],
    },
    Layer {
        inside: "src/compute/",
        hidden: OBJECTS,
        shown: &["resource::format", "device::workers"],
    },
];

/// What the line uses of the crate: `crate::a::b` and, from `crate::{a, b::c}`, each name.
fn uses(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        let rest = &line[at + "crate::".len()..];
        let list = rest
            .strip_prefix('{')
            .map_or(rest, |list| list.split('}').next().unwrap_or(list));
        let names: Vec<&str> = if list.len() < rest.len() {
            list.split(',').collect()
        } else {
            vec![rest]
        };
        for name in names {
            let path: String = name
                .trim()
                .chars()
                .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
                .collect();
            found.push(path);
        }
    }
    found
}

fn is_within(path: &str, module: &str) -> bool {
    path.strip_prefix(module)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

pub(super) fn modules_see_only_what_they_may(files: &[SourceFile]) -> Vec<String> {
    let mut wrong = Vec::new();
    for layer in &LAYERS {
        let inside = |file: &&SourceFile| {
            file.is_rust() && file.path.starts_with(layer.inside) && !file.path.ends_with("tests.rs")
        };
        for file in files.iter().filter(inside) {
            // Tests, at the end of a file, may use anything.
            let code = file
                .code()
                .take_while(|(_, line)| !line.starts_with("#[cfg(test)]"));
            for (number, line) in code {
                for path in uses(line) {
                    let hidden = layer.hidden.iter().any(|module| is_within(&path, module));
                    if hidden && !layer.shown.iter().any(|module| is_within(&path, module)) {
                        wrong.push(file.at(number, &format!("{} does not know crate::{path}", layer.inside)));
                    }
                }
            }
        }
    }
    wrong
}

pub(super) fn every_module_is_on_the_map(files: &[SourceFile]) -> Vec<String> {
    let map = files
        .iter()
        .find(|file| file.path == "ARCHITECTURE.md")
        .map_or("", |file| &file.text);
    let mut wrong = Vec::new();
    for file in files.iter().filter(|file| file.path == "src/lib.rs") {
        for (number, line) in file.code() {
            let module = line
                .strip_prefix("pub mod ")
                .or_else(|| line.strip_prefix("mod "));
            let Some(module) = module.and_then(|rest| rest.strip_suffix(';')) else {
                continue;
            };
            if ![format!("`{module}/`"), format!("`{module}.rs`")]
                .iter()
                .any(|name| map.contains(name))
            {
                wrong.push(file.at(number, &format!("ARCHITECTURE.md does not name `{module}`")));
            }
        }
    }
    wrong
}
