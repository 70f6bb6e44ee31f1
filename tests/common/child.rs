//! Programs and tests in processes of their own.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
};

/// Set in the process that runs the body of a test; its value is the test's name.
const CHILD: &str = "LAHAR_TEST_CHILD";

/// Whether this process was started by [`isolated`].
pub fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Runs `body` as the test `name` in a process of its own with these settings: fault plans and the like are of a
/// whole process, and devices are numbered in it. What that process printed, or `None` in that process itself.
pub fn isolated(name: &str, settings: &[(&str, &str)], body: impl FnOnce()) -> Option<String> {
    if std::env::var(CHILD).is_ok_and(|child| child == name) {
        body();
        return None;
    }
    // Built here, so that the child need not.
    super::library();
    let mut command = Command::new(std::env::current_exe().expect("a running test has a path"));
    command
        .args(["--exact", name, "--nocapture", "--include-ignored"])
        .env(CHILD, name)
        .envs(settings.iter().copied());
    let output = command.output().expect("the test runs again");
    let text = both(&output);
    assert!(output.status.success(), "{name}: {}\n{text}", output.status);
    assert!(
        text.contains("1 passed"),
        "{name} is the name of no test:\n{text}"
    );
    Some(text)
}

/// Runs `capture` of the test `name` in two processes, which must leave the same file, and `replay` of it in a third.
pub fn capture_and_replay(name: &str, capture: impl FnOnce(&Path), replay: impl FnOnce(&Path)) {
    const FILE: &str = "LAHAR_TEST_CAPTURE";
    if is_child() {
        let file = PathBuf::from(std::env::var(FILE).expect("set by the parent"));
        if file.exists() {
            replay(&file);
        } else {
            capture(&file);
        }
        return;
    }
    let scratch = scratch(name);
    let files = ["first", "second"].map(|name| scratch.join(name));
    for file in &files {
        isolated(name, &[(FILE, file.to_str().expect("a path"))], || ());
    }
    let [first, second] = files.each_ref().map(|file| fs::read(file).expect("a capture"));
    assert!(first == second, "two runs capture differently");
    isolated(name, &[(FILE, files[0].to_str().expect("a path"))], || ());
}

/// All that a process printed.
pub fn both(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A directory for the files of a test, empty.
pub fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        fs::remove_dir_all(&path).expect("the old files go");
    }
    fs::create_dir_all(&path).expect("the target directory is writable");
    path
}

/// A program with Lahar as the only driver.
pub fn client(program: impl AsRef<std::ffi::OsStr>) -> Command {
    static MANIFEST: OnceLock<PathBuf> = OnceLock::new();
    let manifest = MANIFEST.get_or_init(super::manifest);
    let mut command = Command::new(program);
    command
        .env("VK_DRIVER_FILES", manifest)
        .env("VK_ICD_FILENAMES", manifest)
        .env("VK_LOADER_LAYERS_DISABLE", "~implicit~");
    for name in [
        "LAHAR_PLAN",
        "LAHAR_DUMP_DIR",
        "LAHAR_THREADS",
        "LAHAR_BACKEND",
        "LAHAR_FUEL",
    ] {
        command.env_remove(name);
    }
    command
}

/// The demo; draws `frames` pictures of this size into `out`.
pub fn demo(out: &Path, frames: u32, size: [u32; 2]) -> Command {
    let program = super::library().with_file_name("lahar-demo");
    let mut command = client(program);
    command
        .arg("--out")
        .arg(out)
        .args(["--frames", &frames.to_string()])
        .args(["--width", &size[0].to_string(), "--height", &size[1].to_string()]);
    command
}

/// Runs it; what it printed. Fails if it does.
pub fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = both(&output);
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    text
}
