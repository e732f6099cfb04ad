//! Globs: which patterns are valid, what they match, and how the matching ones are found among many.
//!
//! `*` stays within a directory, `**` crosses directories, dotfiles are files like any other. Compiling a pattern costs more
//! than matching it, so that patterns are kept under a [key](keys): something that every path they match must have.
//! Only those whose key a path has are compiled.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use globset::{GlobBuilder, GlobMatcher};

use super::{Fault, Result, text};

/// Limit on the characters of one pattern.
pub const MAX_CHARS: usize = 512;
/// Limit on the opening braces of one pattern: the compiler panics if they are nested deeper than 250.
const MAX_BRACES: usize = 64;
/// Limit on cached compiled patterns; one more empties the cache.
const KEPT: usize = 512;
/// The separators of the parts of a name.
const SEPARATORS: [char; 3] = ['-', '_', '.'];

/// A pattern in the form in which it is stored: relative, without `./`, and a directory as all that is in it.
pub fn normalise(field: &str, pattern: &str) -> Result<String> {
    let refuse = |problem: &str| {
        let shown = text::shorten(pattern, 120);
        Err(Fault::invalid(field, format!("{problem}: `{shown}`"))
            .hint("give a glob relative to the repository's root, such as src/pages/**")
            .into())
    };
    let trimmed = pattern.trim();
    let mut written = trimmed.to_owned();
    // A pattern with `//` or `/./` would never match, since normalised paths have neither.
    for (twice, once) in [("//", "/"), ("/./", "/")] {
        while written.contains(twice) && !trimmed.starts_with('/') {
            written = written.replace(twice, once);
        }
    }
    let mut relative = written.as_str();
    while let Some(rest) = relative.strip_prefix("./") {
        relative = rest.trim_start();
    }
    // A directory is stored as a pattern for all files in it, which is two characters longer.
    let length = relative.chars().count() + if relative.ends_with('/') { 2 } else { 0 };
    if length > MAX_CHARS {
        return refuse(&format!("has {length} characters; at most {MAX_CHARS} are allowed"));
    }
    if relative.is_empty() || relative == "." {
        return refuse("is empty: it needs a glob");
    }
    let drive = relative.as_bytes();
    // Also after `./`: a stored pattern must be accepted again unchanged.
    if trimmed.starts_with('/')
        || relative.starts_with(['/', '\\'])
        || (drive.len() >= 2 && drive[0].is_ascii_alphabetic() && drive[1] == b':')
    {
        return refuse("is absolute; a pattern is relative to the repository's root");
    }
    if relative.split(['/', '\\']).any(|segment| segment == "..") {
        return refuse("has a `..` segment");
    }
    if let Err(problem) = build(relative) {
        return refuse(&format!("is not a valid glob ({problem})"));
    }
    Ok(match relative.strip_suffix('/') {
        Some(directory) => format!("{}/**", directory.trim_end_matches('/')),
        None => relative.to_owned(),
    })
}

/// Whether a stored pattern matches a normalised path.
pub fn matches(pattern: &str, path: &str) -> bool {
    match literal(pattern) {
        true => pattern == path,
        false => compiled(pattern).is_some_and(|glob| glob.is_match(path)),
    }
}

fn build(pattern: &str) -> Result<GlobMatcher, String> {
    // Checked here as well, since a table that was edited by hand was not checked before.
    if pattern.chars().count() > MAX_CHARS || pattern.matches('{').count() > MAX_BRACES {
        return Err(format!("over {MAX_CHARS} characters or {MAX_BRACES} braces"));
    }
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| error.kind().to_string())
}

/// The compiled pattern; none if a manual edit made it an invalid glob.
///
/// The cached value depends on the text alone, so that it is never stale.
fn compiled(pattern: &str) -> Option<Arc<GlobMatcher>> {
    static COMPILED: LazyLock<Mutex<HashMap<String, Option<Arc<GlobMatcher>>>>> =
        LazyLock::new(Mutex::default);
    let mut kept = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.get(pattern) {
        return known.clone();
    }
    if kept.len() >= KEPT {
        kept.clear();
    }
    let matcher = build(pattern).ok().map(Arc::new);
    kept.insert(pattern.to_owned(), matcher.clone());
    matcher
}

fn is_special(letter: char) -> bool {
    matches!(letter, '*' | '?' | '[' | ']' | '{' | '}' | '\\')
}

fn literal(text: &str) -> bool {
    !text.contains(is_special)
}

/// The location of the files that a pattern may match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// This file only.
    Path(String),
    /// In this directory, which is empty for all of the repository, down to so many levels if that is known.
    Directory(String, Option<usize>),
}

/// Where to search for the files that a stored pattern matches.
pub fn place(pattern: &str) -> Place {
    if literal(pattern) {
        return Place::Path(pattern.to_owned());
    }
    let segments = segments(pattern);
    let leading = segments.iter().take_while(|segment| literal(segment)).count();
    let (directory, rest) = segments.split_at(leading);
    // A slash within a segment is one that stands in braces, or is escaped.
    let bounded = rest.iter().all(|segment| !segment.contains("**") && !segment.contains('/'));
    Place::Directory(directory.join("/"), bounded.then_some(rest.len()))
}

/// The keys that a pattern can be stored under, the most specific first; empty if every path must be compared.
///
/// A path that it matches has all of them. Each is made when it is asked for: most patterns are ruled out by the first.
pub fn keys(pattern: &str) -> impl Iterator<Item = String> {
    let is_literal = literal(pattern);
    let segments = if is_literal { Vec::new() } else { segments(pattern) };
    let leading = segments.iter().take_while(|segment| literal(segment)).count();
    let exact = is_literal.then(|| exact_key(pattern));
    let directory = (leading > 0).then(|| directory_key(&segments[..leading].join("/")));
    // A slash within braces, or an escaped one, puts the path's last name somewhere in the middle.
    let last = segments.last().copied().filter(|last| !literal(last) && !last.contains('/'));
    let ends = last.into_iter().flat_map(|last| {
        let head = last.find(is_special).map_or(last, |at| &last[..at]);
        let tail = last.rfind(is_special).map_or(last, |at| &last[at + 1..]);
        [
            tail.find(SEPARATORS).map(|at| tail_key(&tail[at..])),
            head.rfind(SEPARATORS).map(|at| head_key(&head[..=at])),
            tail.rfind('.').map(|at| tail_key(&tail[at..])),
        ]
    });
    // From the end: what stands last is named most particularly.
    let count = segments.len();
    let order = (leading..count).rev().chain((0..leading).rev());
    let named = order.map(move |at| segments[at]).filter(|segment| literal(segment));
    exact.into_iter().chain(directory).chain(named.map(segment_key)).chain(ends.flatten())
}

/// The keys that a path has: whatever pattern matches it is kept under one of them, or under none.
fn path_keys(path: &str) -> Vec<String> {
    let mut keys = vec![exact_key(path)];
    keys.extend(path.match_indices('/').map(|(at, _)| directory_key(&path[..at])));
    keys.extend(path.split('/').map(segment_key));
    let name = path.rsplit('/').next().unwrap_or(path);
    for (at, _) in name.match_indices(SEPARATORS) {
        keys.push(head_key(&name[..=at]));
        keys.push(tail_key(&name[at..]));
    }
    keys
}

/// Many paths, found by the keys that they have.
#[derive(Debug)]
pub struct Paths<S> {
    all: Vec<S>,
    /// The places of the paths that have a key, ascending.
    having: HashMap<String, Vec<usize>>,
}

impl<S: AsRef<str>> Paths<S> {
    /// Normalised paths, each of which keeps its place.
    pub fn new(all: Vec<S>) -> Self {
        let mut having: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, path) in all.iter().enumerate() {
            for key in path_keys(path.as_ref()) {
                let places = having.entry(key).or_default();
                // A segment may stand in a path twice.
                if places.last() != Some(&at) {
                    places.push(at);
                }
            }
        }
        Paths { all, having }
    }

    /// All of them.
    pub fn all(&self) -> &[S] {
        &self.all
    }

    /// The keys that a pattern which matches one of them may be kept under, sorted; the empty one is that of patterns
    /// which have none.
    pub fn keys(&self) -> Vec<&str> {
        let mut keys: Vec<&str> = self.having.keys().map(String::as_str).collect();
        keys.push("");
        keys.sort_unstable();
        keys
    }

    /// The places of those that a stored pattern matches, ascending.
    pub fn matching(&self, pattern: &str) -> Vec<usize> {
        let mut places: Option<Vec<usize>> = None;
        // All keys of a pattern must be there; to look is much cheaper than to compile.
        for key in keys(pattern) {
            let Some(others) = self.having.get(&key) else { return Vec::new() };
            match &mut places {
                None => places = Some(others.clone()),
                Some(places) => places.retain(|at| others.binary_search(at).is_ok()),
            }
            if places.as_ref().is_some_and(Vec::is_empty) {
                return Vec::new();
            }
        }
        let mut places = places.unwrap_or_else(|| (0..self.all.len()).collect());
        places.retain(|at| matches(pattern, self.all[*at].as_ref()));
        places
    }
}

fn exact_key(path: &str) -> String {
    ["=", path].concat()
}

fn directory_key(directory: &str) -> String {
    [directory, "/"].concat()
}

fn segment_key(segment: &str) -> String {
    ["/", segment, "/"].concat()
}

/// The beginning of a name, up to one of its separators.
fn head_key(head: &str) -> String {
    [head, "*"].concat()
}

/// The end of a name, from one of its separators.
fn tail_key(tail: &str) -> String {
    ["*", tail].concat()
}

/// The parts between slashes; a slash within braces or brackets parts nothing.
fn segments(pattern: &str) -> Vec<&str> {
    let (mut start, mut braces, mut class, mut parts) = (0, 0_usize, None, Vec::new());
    let mut letters = pattern.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (letter, class) {
            // A class ends at its first `]`, unless that is its first letter.
            (']', Some(first)) if at > first => class = None,
            ('!' | '^', Some(first)) if at == first => class = Some(at + 1),
            (_, Some(_)) => {}
            ('\\', None) => drop(letters.next()),
            ('[', None) => class = Some(at + 1),
            ('{', None) => braces += 1,
            ('}', None) => braces = braces.saturating_sub(1),
            ('/', None) if braces == 0 => {
                parts.push(&pattern[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&pattern[start..]);
    parts
}

#[cfg(test)]
mod tests;
