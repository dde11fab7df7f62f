//! Shell commands in text for people.

/// Words that may stand before a program without being one that is checked.
const PREFIXES: [&str; 5] = ["exec", "do", "time", "/usr/bin/time", "-v"];

/// A piece of code in a text.
pub(super) struct Snippet {
    /// Line of the text that it starts in, from 1.
    pub(super) line: usize,
    pub(super) code: String,
    /// A line of its own is to be typed as it stands; in a sentence the arguments may be left out.
    pub(super) is_whole: bool,
}

/// The code in a page of Markdown: blocks that are fenced or indented by `indent` spaces, with lines
/// that end in a backslash joined, and what stands between backquotes.
pub(super) fn snippets(text: &str, indent: usize) -> Vec<Snippet> {
    let mut found = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let mut fenced = false;
    // A block follows an empty line, or another line of it.
    let mut may_be_block = true;
    let mut continued: Option<Snippet> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let is_fence = line.trim_start().starts_with("```");
        let is_indented =
            may_be_block && line.len() > indent && line[..].starts_with(&" ".repeat(indent));
        may_be_block = line.trim().is_empty() || is_indented || is_fence;
        let is_code = !is_fence && (fenced || is_indented || continued.is_some());
        if may_be_block || is_code {
            found.extend(inline(&paragraph, number - paragraph.len()));
            paragraph.clear();
        } else {
            paragraph.push(line);
        }
        fenced ^= is_fence;
        if !is_code {
            continue;
        }
        let part = line.trim();
        let mut snippet = continued.take().unwrap_or_else(|| Snippet {
            line: number,
            code: String::new(),
            is_whole: true,
        });
        match part.strip_suffix('\\') {
            Some(start) => {
                snippet.code += start;
                continued = Some(snippet);
            }
            None => {
                snippet.code += part;
                found.push(snippet);
            }
        }
    }
    let end = text.lines().count() + 1;
    found.extend(inline(&paragraph, end - paragraph.len()));
    found
}

/// What stands between backquotes in a paragraph, which starts in line `first`.
fn inline(paragraph: &[&str], first: usize) -> Vec<Snippet> {
    let text = paragraph.join("\n");
    let mut line = first;
    let mut found = Vec::new();
    for (place, part) in text.split('`').enumerate() {
        if place % 2 == 1 {
            found.push(Snippet {
                line,
                // A bar is escaped in a table.
                code: part.replace('\n', " ").replace("\\|", "|"),
                is_whole: false,
            });
        }
        line += part.matches('\n').count();
    }
    found
}

/// The commands in a piece of code that start one of `programs`: words, the name of the program first,
/// without its directory. An error if the quotes are not in pairs.
pub(super) fn commands(code: &str, programs: &[&str]) -> Result<Vec<Vec<String>>, String> {
    if !programs.iter().any(|program| code.contains(program)) {
        return Ok(Vec::new());
    }
    let Some(words) = shlex::split(code) else {
        // An apostrophe in a drawing or in another language.
        let starts = programs.iter().any(|program| code.starts_with(program));
        return if starts {
            Err("quotes that are not in pairs".to_owned())
        } else {
            Ok(Vec::new())
        };
    };
    let mut simple = vec![Vec::new()];
    for word in words {
        let ends = matches!(word.as_str(), "|" | "&&" | "&" | ";") || word.ends_with(';');
        let kept = word.trim_end_matches(';');
        if !ends || word != kept && !kept.is_empty() {
            simple
                .last_mut()
                .expect("there is one")
                .push(kept.to_owned());
        }
        if ends {
            simple.push(Vec::new());
        }
    }
    Ok((simple.iter())
        .filter_map(|words| program(words, programs))
        .collect())
}

fn program(words: &[String], programs: &[&str]) -> Option<Vec<String>> {
    let start = (words.iter()).position(|word| {
        let is_assignment = word.contains('=') && !word.starts_with('-');
        !PREFIXES.contains(&word.as_str()) && !is_assignment
    })?;
    let name = words[start].rsplit('/').next()?;
    let arguments = words[start + 1..]
        .iter()
        .take_while(|word| !matches!(word.as_str(), ">" | "2>" | "<"));
    programs.contains(&name).then(|| {
        [name.to_owned()]
            .into_iter()
            .chain(arguments.cloned())
            .collect()
    })
}
