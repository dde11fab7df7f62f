//! The files of the page, which are part of the program.

/// A file of the page.
#[derive(Copy, Clone, Debug)]
pub struct PageFile {
    /// Its path, without a slash in front.
    pub path: &'static str,
    pub content_type: &'static str,
    pub contents: &'static [u8],
}

macro_rules! page_files {
    ($($path:literal),+ $(,)?) => {
        /// All files of the page.
        pub const PAGE_FILES: &[PageFile] = &[$(PageFile {
            path: $path,
            content_type: content_type($path),
            contents: include_bytes!(concat!("../web/", $path)),
        }),+];
    };
}

page_files![
    "index.html",
    "style.css",
    "icon.svg",
    "app.js",
    "api.js",
    "board.js",
    "charts.js",
    "dashboard.js",
    "explorer.js",
    "fleet.js",
    "games.js",
    "live.js",
    "parts.js",
    "play.js",
    "position.js",
    "rules.js",
    "vendor/htm-preact.js",
    "vendor/uplot.js",
    "vendor/uplot.css",
    "vendor/LICENSES.txt",
];

const fn content_type(path: &str) -> &'static str {
    match path.as_bytes() {
        [.., b'.', b'j', b's'] => "text/javascript; charset=utf-8",
        [.., b'.', b'c', b's', b's'] => "text/css; charset=utf-8",
        [.., b'.', b's', b'v', b'g'] => "image/svg+xml",
        [.., b'.', b't', b'x', b't'] => "text/plain; charset=utf-8",
        _ => "text/html; charset=utf-8",
    }
}

/// The file at a path of the page; `/` is the page itself.
pub(crate) fn find(path: &str) -> Option<&'static PageFile> {
    let name = match path.strip_prefix('/')? {
        "" => "index.html",
        name => name,
    };
    PAGE_FILES.iter().find(|file| file.path == name)
}

/// Its contents: in a debug build from the source tree while that exists, so that the page can be
/// changed without building.
pub(crate) fn contents(file: &PageFile) -> Vec<u8> {
    if cfg!(debug_assertions) {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/web/");
        if let Ok(contents) = std::fs::read(format!("{source}{}", file.path)) {
            return contents;
        }
    }
    file.contents.to_vec()
}
