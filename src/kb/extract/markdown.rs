//! Markdown documents: YAML front matter between two lines `---`, then text whose first heading may be the title.
//!
//! A document without front matter declares nothing: directories have their README too.

use super::{
    super::{
        config::KbConfig,
        facts::{Facts, Problem},
    },
    Extractor, Input, Place, Vocabulary, fields, problem,
};
use crate::base::yaml::{self, Tree};

pub const EXTRACTOR: Extractor = Extractor {
    name: "markdown-2",
    places,
    wants,
    // A longer file is not a document that a person wrote.
    max_bytes: 8 << 20,
    // The front matter and the first heading are at the start.
    read_bytes: 256 << 10,
    extract,
};

/// One directory may serve several types: then a document in it has to declare its own.
fn places(config: &KbConfig) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for (kind, path) in &config.paths {
        match places.iter_mut().find(|place| place.path == *path) {
            Some(place) => place.kind = None,
            None => places.push(Place { path: path.clone(), kind: Some(kind.clone()) }),
        }
    }
    places
}

fn wants(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["md", "markdown"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

fn extract(input: &Input<'_>, words: &Vocabulary<'_>) -> Result<Facts, Problem> {
    let mut facts = Facts::default();
    let Some((front, body)) = split(input)? else {
        return Ok(facts);
    };
    let node = yaml::parse(front)?;
    let entries = match node.tree {
        Tree::Map(entries) => entries,
        Tree::Scalar(serde_json::Value::Null) => Vec::new(),
        _ => {
            let reason = format!("the front matter is {}, but must be a mapping", node.kind());
            return Err(problem(node.line, reason));
        }
    };
    fields::entity(&entries, 1, input.kind, words, &mut facts)?;
    for fact in &mut facts.entities {
        let entity = &mut fact.entity;
        entity.title = entity.title.take().or_else(|| heading(body));
        entity.text_ref.get_or_insert_with(|| input.path.to_owned());
    }
    Ok(facts)
}

/// The front matter, with the line end above it so that its lines count right, and the text below it; none where the
/// document has none.
fn split<'a>(input: &Input<'a>) -> Result<Option<(&'a str, &'a str)>, Problem> {
    let text = input.text.trim_start_matches('\u{feff}');
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else {
        return Ok(None);
    };
    let mut at = first.len();
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            return Ok(Some((&text[first.len() - 1..at], &text[at + line.len()..])));
        }
        at += line.len();
    }
    Err(problem(
        1,
        match input.cut {
            true => format!("the front matter does not end within {} bytes", input.text.len()),
            false => "the front matter begins here and has no closing `---`".to_owned(),
        },
    ))
}

/// The first heading of a text, in either way of writing one; code and comments have none.
fn heading(body: &str) -> Option<String> {
    let (mut fence, mut comment, mut above) = (None::<&str>, false, "");
    for line in body.lines() {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        if comment {
            comment = !text.contains("-->");
        } else if let Some(mark) = fence {
            if text.starts_with(mark)
                && text.trim_matches(|letter| mark.starts_with(letter)).is_empty()
            {
                fence = None;
            }
        } else if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark)) {
            fence = Some(mark);
        } else if text.starts_with("<!--") {
            comment = !text.contains("-->");
        } else if indent < 4 && !line.starts_with('\t') {
            let level = text.bytes().take_while(|byte| *byte == b'#').count();
            let rest = &text[level..];
            if (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t'])) {
                let rest = rest.trim();
                let bare = rest.trim_end_matches('#');
                // Closing marks come after a space: `C#` keeps its own.
                let title =
                    if bare.is_empty() || bare.ends_with([' ', '\t']) { bare } else { rest };
                if !title.trim().is_empty() {
                    return Some(title.trim().to_owned());
                }
            }
            let underlined = !text.is_empty()
                && (text.bytes().all(|byte| byte == b'=') || text.bytes().all(|byte| byte == b'-'));
            if underlined && !above.is_empty() {
                return Some(above.to_owned());
            }
            // A line of a list, a quote or a table is no heading, whatever is below it.
            let plain = !text.starts_with(['>', '|', '-', '*', '+', '#']);
            above = if plain { text } else { "" };
            continue;
        }
        above = "";
    }
    None
}

#[cfg(test)]
mod tests;
