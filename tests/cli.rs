//! The command-line tool: running programs with faults, discovering points, sweeping, installing.

mod common;

use common::child::{both, scratch};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// The tool, with the driver beside it, in a clean environment.
fn tool(arguments: &[&str]) -> Command {
    let library = common::library();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lahar"));
    for name in [
        "LAHAR_PLAN",
        "LAHAR_FAULT",
        "LAHAR_DUMP_DIR",
        "LAHAR_REPORT",
        "LAHAR_TRACE",
    ] {
        command.env_remove(name);
    }
    command.env("VK_LOADER_LAYERS_DISABLE", "~implicit~");
    let at = arguments
        .iter()
        .position(|argument| *argument == "--")
        .unwrap_or(arguments.len());
    let takes_driver = ["run", "sweep"].contains(&arguments[0]) || arguments.contains(&"--discover");
    command.args(&arguments[..at]);
    if takes_driver {
        command.arg("--driver").arg(library);
    }
    command.args(&arguments[at..]);
    command
}

fn output(arguments: &[&str]) -> Output {
    tool(arguments).output().expect("the tool runs")
}

fn demo() -> String {
    common::library()
        .with_file_name("lahar-demo")
        .display()
        .to_string()
}

fn path(path: &Path) -> String {
    path.display().to_string()
}

/// The demo, drawing small pictures into a directory.
fn demo_arguments(out: &Path) -> Vec<String> {
    let mut arguments = vec![demo(), "--out".to_owned(), path(out)];
    arguments.extend(["--frames", "2", "--width", "32", "--height", "32"].map(str::to_owned));
    arguments
}

fn with_program<'a>(before: &[&'a str], program: &'a [String]) -> Vec<&'a str> {
    let mut all = before.to_vec();
    all.push("--");
    all.extend(program.iter().map(String::as_str));
    all
}

#[test]
fn a_program_runs_with_a_fault_and_its_exit_code_is_the_tools() {
    let dir = scratch("cli-run");
    let program = demo_arguments(&dir);
    let ran = output(&with_program(
        &["run", "--fault", "lose@submit#2 read", "--trace", "faults"],
        &program,
    ));
    let said = both(&ran);
    assert!(ran.status.success(), "{said}");
    assert!(
        said.contains("device lost before") && said.contains("lahar: device 1 rule 1: lose"),
        "{said}"
    );
    assert!(
        dir.join("frame-001.png").exists(),
        "it went on with another device"
    );
    let dumps = path(&dir.join("dumps"));
    let ran = output(&with_program(
        &["run", "--fault", "lose@draw#1 read", "--dump-dir", &dumps],
        &program,
    ));
    assert!(ran.status.success() && fs::read_dir(&dumps).expect("made").count() == 1);

    for (program, code) in [
        (&["false"][..], 1),
        (&["sh", "-c", "exit 7"], 7),
        (&["/nonexistent/program"], 127),
    ] {
        let program: Vec<String> = program.iter().map(|part| (*part).to_owned()).collect();
        assert_eq!(
            output(&with_program(&["run"], &program)).status.code(),
            Some(code),
            "{program:?}"
        );
    }
    let killed = ["sh", "-c", "kill -9 $$"].map(str::to_owned);
    assert_eq!(output(&with_program(&["run"], &killed)).status.code(), Some(137));
    for (option, value, says) in [
        ("--fault", "lose@sumbit read", "did you mean `submit`?"),
        ("--threads", "0", "expected a number from 1 to 256"),
        ("--loss", "maybe", "expected strict or weak"),
        ("--trace", "all", "expected calls, commands or faults"),
        ("--plan", "/", "not a regular file"),
        ("--profile", "nope", "expected discrete, unified, minimal"),
        ("--report", "/nonexistent/x.json", "no directory /nonexistent"),
    ] {
        let bad = output(&["run", option, value, "--", "true"]);
        assert_eq!(bad.status.code(), Some(1), "{option}");
        assert!(both(&bad).contains(says), "{}", both(&bad));
    }
    let file = scratch("cli-driver").join("driver.so");
    fs::write(&file, "no driver").expect("written");
    let mut bad = Command::new(env!("CARGO_BIN_EXE_lahar"));
    let bad = bad.args(["run", "--driver", &path(&file), "--", "true"]).output();
    assert!(both(&bad.expect("the tool runs")).contains("not a shared library"));
}

#[test]
fn plans_are_checked_and_explained_by_the_drivers_rules() {
    let dir = scratch("cli-plan");
    let file = |name: &str, text: &str| {
        let path = dir.join(name);
        fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let good = file(
        "good.toml",
        "version = 1\n[[rule]]\nwhen = { event = \"map\", nth = 2 }\nfail = \"memory_map_failed\"\n",
    );
    let bad = file(
        "bad.toml",
        "version = 1\n[[rule]]\nwhen = { event = \"mpa\" }\nfail = \"memory_map_failed\"\n",
    );
    let long = file("long.toml", &"#".repeat((1 << 20) + 1));
    assert!(both(&output(&["plan", &good])).contains("1 rule(s), all understood"));
    let said = both(&output(&["plan", &bad]));
    assert!(
        said.contains("bad.toml:3:18: unknown event `mpa`") && said.contains("did you mean `map`?"),
        "{said}"
    );
    assert!(both(&output(&["plan", &long])).contains("larger than 1 MiB"));
    let said = both(&output(&["plan", "--explain", &good]));
    assert!(
        said.contains("at number 2 of the event `map`, on device 1: fail with memory_map_failed"),
        "{said}"
    );
    let line =
        "fail@allocate object_type=image min_size=64 out_of_device_memory; lose@command read touches=0x10";
    let said = both(&output(&["plan", "--explain", "--fault", line]));
    assert!(
        said.contains("type of object image, at least 64 bytes: fail")
            && said.contains("touching 0x10 to 0x10: lose"),
        "{said}"
    );
    assert!(both(&output(&["plan", "--explain"])).contains("swapchain"));
    assert_eq!(output(&["plan"]).status.code(), Some(2));
}

#[test]
fn points_are_discovered_with_their_legal_codes() {
    let dir = scratch("cli-discover");
    let program = demo_arguments(&dir);
    let found = output(&with_program(&["plan", "--discover", "--json"], &program));
    let points: serde_json::Value =
        serde_json::from_slice(&found.stdout).unwrap_or_else(|_| panic!("{}", both(&found)));
    let point = |event: &str| {
        let list = points.as_array().expect("a list");
        list.iter()
            .find(|point| point["event"] == event)
            .unwrap_or_else(|| panic!("{event}: {points}"))
            .clone()
    };
    assert_eq!(point("vkCreateDevice")["device"], 0);
    let submit = point("vkQueueSubmit");
    assert_eq!(
        (&submit["device"], &submit["count"]),
        (&serde_json::json!(1), &serde_json::json!(3))
    );
    assert!(
        submit["codes"]
            .as_array()
            .expect("codes")
            .contains(&"device_lost".into())
    );
    assert!(point("draw")["count"].as_u64().expect("a count") >= 2);
    let again = output(&with_program(&["plan", "--discover", "--json"], &program));
    assert_eq!(found.stdout, again.stdout, "the same in every run");
}

fn sweep(out: &Path, more: &[&str], program: &[String]) -> (Option<i32>, String, serde_json::Value) {
    let out_text = path(out);
    let mut arguments = vec!["sweep", "--out", &out_text, "--time-limit", "120"];
    arguments.extend(more);
    let swept = output(&with_program(&arguments, program));
    let results = fs::read_to_string(out.join("results.json")).unwrap_or_else(|_| panic!("{}", both(&swept)));
    let results = serde_json::from_str(&results).expect("JSON");
    (swept.status.code(), both(&swept), results)
}

#[test]
fn a_sweep_judges_the_demo_well_and_finds_a_planted_bug() {
    let dir = scratch("cli-sweep");
    let program = demo_arguments(&dir.join("pictures-{run}"));
    let events = [
        "--event",
        "vkAllocateMemory",
        "--event",
        "vkQueueSubmit",
        "--event",
        "draw",
        "--each",
        "2",
    ];
    let (code, said, results) = sweep(&dir.join("good"), &events, &program);
    assert_eq!(code, Some(0), "{said}");
    let runs = results["runs"].as_array().expect("runs");
    let verdict = |rule: &str| {
        let run = runs.iter().find(|run| run["rule"] == rule);
        run.unwrap_or_else(|| panic!("{rule}: {results}"))["verdict"].clone()
    };
    assert_eq!(verdict("fail@vkQueueSubmit#1 device_lost"), "recovered");
    assert_eq!(verdict("lose@draw#1 read"), "recovered");
    assert_eq!(verdict("fail@vkAllocateMemory#1 out_of_host_memory"), "ended");
    for name in ["junit.xml", "index.html", "run-0001.txt"] {
        assert!(dir.join("good").join(name).exists(), "{name}");
    }
    let (_, said, again) = sweep(
        &dir.join("good"),
        &[&events[..], &["--resume"]].concat(),
        &program,
    );
    assert!(
        said.contains("0 of them still to do") && again == results,
        "{said}"
    );

    let mut careless = program;
    careless.push("--careless".to_owned());
    let (code, said, results) = sweep(&dir.join("bad"), &events[..2], &careless);
    assert_eq!(code, Some(3), "{said}");
    assert!(
        results["runs"]
            .as_array()
            .expect("runs")
            .iter()
            .any(|run| run["verdict"] == "misused"),
        "{results}"
    );
}

/// What a run with a fault leaves: trace, exit status and report, dump.
fn traces(dir: &Path, threads: &str) -> (String, String, PathBuf) {
    let out = dir.join("out");
    let (report, dumps) = (path(&dir.join("report.json")), path(&dir.join("dumps")));
    let program = demo_arguments(&out);
    let before = [
        "run",
        "--fault",
        "fail@map#3 memory_map_failed times=1 device=2; lose@draw#2 write; seed=3",
        "--threads",
        threads,
        "--trace",
        "calls,commands,faults",
        "--report",
        &report,
        "--dump-dir",
        &dumps,
    ];
    let ran = output(&with_program(&before, &program));
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    let trace: String = said
        .lines()
        .filter(|line| !line.contains("crash dump written"))
        .collect::<Vec<_>>()
        .join("\n");
    let report = fs::read_to_string(report).unwrap_or_else(|_| panic!("{said}"));
    // A verdict follows from these two.
    let report = format!("{}: {report}", ran.status);
    let dump = fs::read_dir(dumps)
        .expect("made")
        .next()
        .expect("a dump")
        .expect("readable")
        .path();
    (trace, report, dump)
}

#[test]
fn runs_are_identical_for_any_number_of_threads() {
    // A patient reader can ask for more.
    let runs = std::env::var("LAHAR_TEST_RUNS").map_or(2, |runs| runs.parse().expect("a number"));
    let first = traces(&scratch("cli-same-first"), "1");
    assert!(
        first.0.contains("vkQueueSubmit(device 1 queue 0") && first.0.contains("vkCmdDraw"),
        "{}",
        first.0
    );
    for run in 0..runs {
        for threads in ["1", "2", "4"] {
            let again = traces(&scratch("cli-same-again"), threads);
            assert_eq!(first.0, again.0, "trace of run {run} with {threads} threads");
            assert_eq!(first.1, again.1, "report of run {run} with {threads} threads");
            let differs = output(&["dump", &path(&first.2), "--diff", &path(&again.2)]);
            assert!(both(&differs).contains("no difference"), "{}", both(&differs));
        }
    }
}

#[test]
fn a_program_that_does_not_end_is_ended() {
    let dir = scratch("cli-hung");
    // It asks the driver for nothing, so there is nothing to sweep: the discovering run says so.
    let program = ["true".to_owned()];
    let out = path(&dir);
    let swept = output(&with_program(&["sweep", "--out", &out], &program));
    assert_eq!(swept.status.code(), Some(1), "{}", both(&swept));
    assert!(
        both(&swept).contains("no report of the program"),
        "{}",
        both(&swept)
    );
    let program = demo_arguments(&dir.join("pictures"));
    let swept = output(&with_program(
        &["sweep", "--out", &out, "--event", "nothing*"],
        &program,
    ));
    assert_eq!(swept.status.code(), Some(1), "{}", both(&swept));
    assert!(
        both(&swept).contains("none is chosen by --event"),
        "{}",
        both(&swept)
    );
    for wrong in [["--jobs", "0"], ["--time-limit", "0"], ["--each", "many"]] {
        let swept = output(&with_program(&["sweep", wrong[0], wrong[1]], &program));
        assert_eq!(swept.status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn the_manifest_is_installed_and_removed() {
    let dir = scratch("cli-install");
    let install = |more: &[&str]| {
        let library = common::library().display().to_string();
        let mut command = Command::new(env!("CARGO_BIN_EXE_lahar"));
        command
            .arg("install")
            .args(["--driver", &library])
            .args(more)
            .env("XDG_DATA_HOME", &dir);
        command.output().expect("the tool runs")
    };
    let manifest: PathBuf = dir.join("vulkan/icd.d/lahar_icd.json");
    assert!(install(&[]).status.success());
    let text: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&manifest).expect("written")).expect("JSON");
    assert!(
        text["ICD"]["library_path"]
            .as_str()
            .expect("a path")
            .ends_with("libvulkan_lahar.so")
    );
    assert!(install(&["--uninstall"]).status.success() && !manifest.exists());
    assert!(both(&install(&["--uninstall"])).contains("is not there"));
}

#[test]
fn the_rest_of_the_tool_says_something() {
    for (arguments, says) in [
        (&["info"][..], "profile discrete"),
        (&["info", "--profiles"], "profile tiler: like a telephone"),
        (
            &["info", "--profile", "workstation"],
            "queue family 2: 2 queue(s), TRANSFER",
        ),
        (&["completions", "bash"], "_lahar"),
        (&["manual"], ".TH lahar"),
        (&["help"], "sweep"),
    ] {
        let said = output(arguments);
        assert!(
            said.status.success() && both(&said).contains(says),
            "{arguments:?}: {}",
            both(&said)
        );
    }
    assert_eq!(output(&["nonsense"]).status.code(), Some(2));
}
