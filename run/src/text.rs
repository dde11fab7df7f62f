//! Names and numbers in messages for people.

use std::borrow::Cow;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::Path;

use indicatif::HumanCount;

/// The environment variable in which a script that starts the program passes its own name.
const PROGRAM: &str = "GARUDA_PROGRAM";

/// Whether a character can change how a terminal shows what follows: control characters, line and
/// paragraph separators, and marks that reverse the direction of text.
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(text: &str, is_unsafe: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_unsafe) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_unsafe(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    out.into()
}

/// Text that is safe in one line of a terminal: control characters as in `\n` and `\u{1b}`.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escape(text, is_control)
}

/// Text that is safe on a terminal: like [`one_line`], but line breaks remain.
pub fn printable(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_control(c) && c != '\n')
}

/// A path in one line of a terminal.
pub fn shown_path(path: &Path) -> String {
    one_line(&path.to_string_lossy()).into_owned()
}

/// A path as an argument that a shell passes on unchanged.
pub fn shell_path(path: &Path) -> String {
    match path.as_os_str().as_encoded_bytes().first() {
        // Not an option.
        Some(b'-') => shell_word(Path::new(".").join(path).as_os_str()),
        _ => shell_word(path.as_os_str()),
    }
}

/// A word quoted for a shell. Control characters and bytes that are not UTF-8 are written as in
/// `$'\x1b'`, which bash, zsh and ksh understand.
pub fn shell_word(word: &OsStr) -> String {
    if let Some(text) = word.to_str()
        && !text.contains(is_control)
        && let Ok(quoted) = shlex::try_quote(text)
    {
        return quoted.into_owned();
    }
    let mut out = "$'".to_owned();
    for chunk in word.as_encoded_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' | '\\' => out.extend(['\\', c]),
                c if is_control(c) => push_bytes(&mut out, c.encode_utf8(&mut [0; 4]).as_bytes()),
                c => out.push(c),
            }
        }
        push_bytes(&mut out, chunk.invalid());
    }
    out + "'"
}

fn push_bytes(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        write!(out, "\\x{byte:02x}").expect("a string takes everything");
    }
}

/// The program as it was started, quoted for a shell.
pub fn program() -> String {
    let name = env::var_os(PROGRAM).filter(|name| !name.is_empty());
    let name = name.or_else(|| env::args_os().next());
    shell_word(&name.unwrap_or_else(|| OsString::from("garuda")))
}

/// `1 game`, `1,234 games`, `2 matches`, `3 plies`
pub fn counted(n: impl Into<u64>, noun: &str) -> String {
    let n = n.into();
    let plural = match noun {
        _ if n == 1 => noun.to_owned(),
        "ply" => "plies".to_owned(),
        _ if noun.ends_with("ch") => format!("{noun}es"),
        _ => format!("{noun}s"),
    };
    format!("{} {plural}", HumanCount(n))
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;
    use std::process::Command;

    use super::*;

    const NAMES: [&[u8]; 9] = [
        b"runs/tori",
        b"my run",
        b"it's \"mine\"",
        b"$HOME `x` \\ ;|&*?",
        b"two\nlines\tand\r",
        b"\x1b[31mred\x07",
        b"\xff\xfe not UTF-8",
        "มักรุก ∞ \u{202e}olleh\u{9b}".as_bytes(),
        b"",
    ];

    #[test]
    fn shells_read_back_what_is_quoted() {
        for name in NAMES {
            let word = shell_word(OsStr::from_bytes(name));
            assert!(!word.contains(is_control), "{word:?}");
            let script = format!("printf %s {word}");
            let output = Command::new("bash").args(["-c", &script]).output();
            assert_eq!(output.unwrap().stdout, name, "{word}");
        }
        assert_eq!(shell_word(OsStr::new("runs/tori")), "runs/tori");
        assert_eq!(shell_path(Path::new("-run")), "./-run");
    }

    #[test]
    fn shown_names_are_one_line_without_control_characters() {
        for name in NAMES {
            let shown = shown_path(Path::new(OsStr::from_bytes(name)));
            assert!(!shown.contains(is_control), "{shown:?}");
        }
        assert_eq!(one_line("a\nb \u{1b}[1m"), "a\\nb \\u{1b}[1m");
        assert_eq!(one_line("มักรุก"), "มักรุก");
        assert_eq!(printable("a\nb\u{7}"), "a\nb\\u{7}");
    }

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!(counted(0u64, "game"), "0 games");
        assert_eq!(counted(1u64, "game"), "1 game");
        assert_eq!(counted(1234u64, "game"), "1,234 games");
        assert_eq!(counted(2u64, "match"), "2 matches");
        assert_eq!(counted(2u64, "ply"), "2 plies");
    }
}
