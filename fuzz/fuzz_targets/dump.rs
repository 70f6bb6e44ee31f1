//! Any bytes as a crash dump: the reader and all printers must take them.
#![no_main]

use lahar::fault::dump::{self, Dump};
use libfuzzer_sys::fuzz_target;

fn print(dump: &Dump) {
    assert!(!dump::to_text(dump).is_empty());
    assert!(!dump::to_json(dump).is_empty());
    let page = dump::to_html(dump);
    assert!(page.ends_with("</html>\n") && !page.contains("<script"));
    assert_eq!(dump::to_diff(dump, dump), "no difference\n");
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut dump) = dump::read(bytes) else { return };
    print(&dump);
    // A wrong checksum would keep the contents from being looked at.
    for section in &mut dump.sections {
        section.intact = true;
    }
    print(&dump);
});
