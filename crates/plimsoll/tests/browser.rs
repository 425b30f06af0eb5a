//! The page that `--html` writes, opened in a real browser: it opens, steps, shows the chart, and complains about nothing.
//!
//! Needs Chromium. Without it the test says so and passes, unless `PLIMSOLL_REQUIRE_BROWSER` is set (as `.ci/run` does, which
//! installs one).

use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs before the page's own script and notes whatever goes wrong.
const LISTENER: &str = "<script>window.wrong = []; addEventListener('error', e => wrong.push(String(e.message)));\
    const complain = console.error; console.error = (...all) => { wrong.push(all.join(' ')); complain(...all); };</script>";

/// Uses the stepper as a reader would, and leaves what it saw in the document.
const READER: &str = "<script>{\
    const s = document.querySelector('section.violation');\
    const saw = [];\
    const look = () => saw.push(s.querySelector('.where').textContent + '; ' + s.querySelector('.said').textContent\
        + '; line ' + (s.querySelector('.source .now .n')?.textContent ?? 'none')\
        + '; chart ' + [...s.querySelectorAll('.chart g.now')].map(g => g.dataset.step).join());\
    look();\
    s.querySelector('[data-go=on]').click(); look();\
    s.querySelector('[data-go=last]').click(); look();\
    const key = k => s.querySelector('.stepper').dispatchEvent(new KeyboardEvent('keydown', {key: k, bubbles: true}));\
    key('ArrowLeft'); look(); key('Home'); look(); key('ArrowRight'); look();\
    saw.push(['#summary', '#buffers .plot', '.chart', '#graphs .graph .edge.cycle', '#loops .boxes', '.steps li']\
        .map(what => what + ' ' + document.querySelectorAll(what).length).join('; '));\
    const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth ? 'too wide' : 'fits';\
    const pre = document.createElement('pre'); pre.id = 'saw';\
    pre.textContent = saw.concat('wrong: ' + wrong.join('|'), wide).join('\\n'); document.body.append(pre); }</script>";

#[test]
fn the_page_opens_and_steps_without_a_complaint() {
    let Some(browser) = browser() else {
        assert!(std::env::var_os("PLIMSOLL_REQUIRE_BROWSER").is_none(), "no browser is installed");
        eprintln!("skipped: no Chromium here");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("report.html");
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/client-server-progress.pml");
    let status = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["check", "--quiet", "--html"])
        .args([&page, &model])
        .output()
        .expect("plimsoll runs");
    assert_eq!(status.status.code(), Some(1));
    let text = std::fs::read_to_string(&page).expect("a page");
    for from_elsewhere in ["http://", "https://", "src=", "@import"] {
        let found = text.replace("http://www.w3.org/2000/svg", "").contains(from_elsewhere);
        assert!(!found, "the page wants something from elsewhere: {from_elsewhere}");
    }
    let prepared = text.replacen("<head>", &format!("<head>{LISTENER}"), 1).replacen(
        "</body>",
        &format!("{READER}</body>"),
        1,
    );
    std::fs::write(&page, prepared).expect("written");
    for width in ["1200", "420"] {
        let saw = open(&browser, folder.path(), &page, width);
        let lines: Vec<&str> = saw.lines().collect();
        assert_eq!(lines.len(), 9, "{saw}");
        assert_eq!(lines[0], "step 0 of 15; the beginning; line none; chart ");
        assert_eq!(lines[1], "step 1 of 15; :init:(0) i &lt; 2; line 21; chart ");
        assert!(lines[2].starts_with("step 15 of 15; server(3) ts[1]?rel"), "{saw}");
        assert!(lines[2].ends_with("(and on with step 9); line 41; chart 15"), "{saw}");
        assert!(lines[3].starts_with("step 14 of 15; client(2) ts[id]!rel"), "{saw}");
        assert_eq!(lines[4], lines[0]);
        assert_eq!(lines[5], lines[1]);
        assert_eq!(
            lines[6],
            "#summary 1; #buffers .plot 4; .chart 1; #graphs .graph .edge.cycle 7; #loops .boxes 1; .steps li 15"
        );
        assert_eq!(lines[7], "wrong: ", "at width {width}");
        assert_eq!(lines[8], "fits", "at width {width}");
    }
}

/// What the reader saw.
fn open(browser: &Path, folder: &Path, page: &Path, width: &str) -> String {
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", folder.join(format!("profile-{width}")).display()))
        .arg(format!("--window-size={width},900"))
        .args(["--virtual-time-budget=3000", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser runs");
    let document = String::from_utf8_lossy(&output.stdout).into_owned();
    let saw = document.split_once("<pre id=\"saw\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    saw.unwrap_or_else(|| panic!("the page did not get to its end:\n{document}")).0.to_string()
}

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|candidate| candidate.is_file())
}
