//! Tests: precedence, the search for the file, and the errors.

mod refused;

use std::fs;

use super::*;

/// A directory to work in, as if it were the working directory.
struct Place {
    directory: tempfile::TempDir,
    around: Surroundings,
}

impl Place {
    fn new() -> Place {
        let directory = tempfile::tempdir().unwrap();
        let around = Surroundings {
            directory: directory.path().canonicalize().unwrap(),
            variables: BTreeMap::new(),
        };
        Place { directory, around }
    }

    fn with(text: &str) -> Place {
        let place = Place::new();
        place.write(FILE_NAME, text);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// The smallest thing that passes for a repository.
    fn repository(&self, name: &str) -> PathBuf {
        self.write(&format!("{name}/.git/HEAD"), "ref: refs/heads/trunk\n");
        fs::create_dir_all(self.path(name).join(".git/refs")).unwrap();
        fs::create_dir_all(self.path(name).join(".git/objects")).unwrap();
        self.path(name)
    }

    fn load(&self) -> Result<Config, ConfigError> {
        Config::load(Options::default(), &self.around)
    }
}

fn in_file(path: &Path, line: u64) -> Source {
    Source::File { path: path.to_path_buf(), line: Some(line) }
}

/// The values alone, for comparing configurations of different origin.
fn values(config: Config) -> impl PartialEq + fmt::Debug {
    (
        config.agent_identity.value,
        config.db_path.value,
        config.claim_ttl_minutes.value,
        config.toolsets.value,
        config.durability.value,
        config.max_message_mb.value,
    )
}

#[test]
fn the_documented_file_is_exactly_the_defaults() {
    let text = include_str!("../../graph.config.yaml");
    assert_eq!(text, documented_text(), "write the second to graph.config.yaml");
    let place = Place::new();
    let defaults = place.load().unwrap();
    assert_eq!(defaults.file, None);
    assert_eq!(defaults.db_path.value, place.path("graph.db"));
    place.write(FILE_NAME, text);
    assert_eq!(values(place.load().unwrap()), values(defaults));
}

#[test]
fn nothing_set_means_defaults() {
    for text in ["", "\n", "# only a comment\n", "---\n", "agent_identity:\n", "{}"] {
        let config = Place::with(text).load().unwrap();
        assert!(config.file.is_some(), "{text:?}");
        for source in [
            &config.agent_identity.source,
            &config.db_path.source,
            &config.claim_ttl_minutes.source,
            &config.toolsets.source,
            &config.durability.source,
            &config.max_message_mb.source,
        ] {
            assert_eq!(source, &Source::Default, "{text:?}");
        }
    }
}

#[test]
fn option_beats_environment_beats_file_beats_default() {
    let mut place = Place::with(
        "agent_identity: from-file\ndb_path: data/f.db\nclaim_ttl_minutes: 5\ntoolsets: [work]\n\
         durability: normal\nmax_message_mb: 1024\n",
    );
    let path = place.path(FILE_NAME);
    let config = place.load().unwrap();
    assert_eq!(config.agent_identity.value.as_deref(), Some("from-file"));
    assert_eq!(config.agent_identity.source, in_file(&path, 1));
    assert_eq!(config.db_path.value, place.path("data/f.db"));
    assert_eq!(config.db_path.source, in_file(&path, 2));
    assert_eq!(config.claim_ttl_minutes.value, 5);
    assert_eq!(config.toolsets.source, in_file(&path, 4));
    assert_eq!(config.durability.value, Durability::Normal);
    assert_eq!(config.max_message_mb.value, 1024);

    place.around.variables = BTreeMap::from([
        ("GRAPH_AGENT", "from-env".into()),
        ("GRAPH_DB", "e.db".into()),
        ("GRAPH_TOOLSETS", " work,work, ".into()),
        ("GRAPH_BRANCH", "feature/x".into()),
    ]);
    let config = place.load().unwrap();
    assert_eq!(config.agent_identity.value.as_deref(), Some("from-env"));
    assert_eq!(config.db_path.value, place.path("e.db"));
    assert_eq!(config.db_path.source, Source::Environment("GRAPH_DB"));
    assert_eq!(config.toolsets.value, [Domain::Work]);
    assert_eq!(config.toolsets.source, Source::Environment("GRAPH_TOOLSETS"));
    assert_eq!(config.branch.value.as_deref(), Some("feature/x"));
    assert_eq!(config.branch.source, Source::Environment("GRAPH_BRANCH"));

    let options = Options {
        db: Some("/o.db".into()),
        agent: Some("from-option".to_owned()),
        toolsets: Some("work".to_owned()),
        config: None,
    };
    let config = Config::load(options, &place.around).unwrap();
    assert_eq!(config.agent_identity.value.as_deref(), Some("from-option"));
    assert_eq!(config.db_path.value, Path::new("/o.db"));
    assert_eq!(config.db_path.source, Source::Option("--db"));
    assert_eq!(config.toolsets.source, Source::Option("--toolsets"));
}

#[test]
fn a_variable_set_to_nothing_is_not_set() {
    let mut place = Place::new();
    for name in VARIABLES {
        place.around.variables.insert(name, OsString::new());
    }
    assert_eq!(place.load().unwrap().db_path.source, Source::Default);
}

#[test]
fn bad_files_name_key_file_and_line() {
    for (text, message, hint) in [
        (
            "\nclaim_ttl: 5\n",
            "2: unknown key `claim_ttl`",
            Some("did you mean `claim_ttl_minutes`?"),
        ),
        (
            "zzz: 5\n",
            "1: unknown key `zzz`",
            Some(
                "known: agent_identity, db_path, claim_ttl_minutes, toolsets, durability, max_message_mb",
            ),
        ),
        (
            "durability: full\n# a\ndurability: normal\n",
            "3: `durability` is set twice, first in line 1",
            Some("keep one of them"),
        ),
        (
            "claim_ttl_minutes: 0\n",
            "1: `claim_ttl_minutes` is 0, but must be a whole number from 1 to 525600",
            None,
        ),
        (
            "claim_ttl_minutes: -1\n",
            "1: `claim_ttl_minutes` is -1, but must be a whole number from 1 to 525600",
            None,
        ),
        (
            "max_message_mb: 1.5\n",
            "1: `max_message_mb` is 1.5, but must be a whole number from 1 to 1024",
            None,
        ),
        (
            "max_message_mb: \"64\"\n",
            "1: `max_message_mb` is the text \"64\", but must be a whole number from 1 to 1024",
            None,
        ),
        (
            "max_message_mb: [1]\n",
            "1: `max_message_mb` is a list, but must be a whole number from 1 to 1024",
            None,
        ),
        ("db_path: \"a\\0b\"\n", "1: `db_path` contains NUL, which cannot be in a path", None),
        (
            "durability: ful\n",
            "1: `durability` has `ful`, which is not known; did you mean `full`?",
            None,
        ),
        (
            "toolsets: [work, wrok]\n",
            "1: `toolsets` has `wrok`, which is not known; did you mean `work`?",
            None,
        ),
        (
            "toolsets: []
",
            "1: `toolsets` names no toolset; known: work, knowledge, memory, kb",
            None,
        ),
        ("toolsets: [1]\n", "1: `toolsets` must be a list of names", None),
        (
            "agent_identity: 7\n",
            "1: `agent_identity` is 7, but must be text; put it in quotes",
            None,
        ),
        ("agent_identity: {a: b}\n", "1: `agent_identity` is a mapping, but must be text", None),
        ("agent_identity: \"\"\n", "1: `agent_identity` is empty: it needs a name", None),
        (
            "agent_identity: \"a\\nb\"\n",
            "1: `agent_identity` has a control character; use plain text",
            None,
        ),
        ("db_path: \"\"\n", "1: `db_path` is empty: it needs a path", None),
        (
            "db_path: ~/x.db\n",
            "1: `db_path` begins with `~`, and the home directory is not known",
            None,
        ),
    ] {
        let place = Place::with(text);
        let error = place.load().unwrap_err();
        let expected = format!("{}:{message}", place.path(FILE_NAME).display());
        assert_eq!(error.message, expected);
        assert_eq!(error.hint.as_deref(), hint, "{text}");
    }
}

#[test]
fn what_is_not_a_mapping_is_refused_with_its_line() {
    for (text, line) in [
        ("- work\n", 1),
        ("work\n", 1),
        ("durability: [full\nx: 1\n", 2),
        ("durability: full\n---\ndurability: full\n", 3),
        ("? [a]\n: 1\n", 1),
    ] {
        let place = Place::with(text);
        let message = place.load().unwrap_err().message;
        let expected = format!("{}:{line}: not readable", place.path(FILE_NAME).display());
        assert!(message.starts_with(&expected), "{message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

#[test]
fn a_file_that_was_named_must_be_there() {
    let mut place = Place::new();
    let options = Options { config: Some("none.yaml".into()), ..Options::default() };
    let error = Config::load(options, &place.around).unwrap_err();
    let path = place.path("none.yaml");
    assert_eq!(error.message, format!("option --config: there is no file {}", path.display()));

    place.around.variables.insert("GRAPH_CONFIG", "none".into());
    let error = place.load().unwrap_err();
    assert!(error.message.starts_with("environment GRAPH_CONFIG: there is no file"));

    let named = place.write("else/where.yaml", "db_path: x.db\n");
    let options = Options { config: Some("else/where.yaml".into()), ..Options::default() };
    let config = Config::load(options, &place.around).unwrap();
    let file = config.file.unwrap();
    assert_eq!((file.value, file.source), (named, Source::Option("--config")));
    // Relative to the file, not to the working directory.
    assert_eq!(config.db_path.value, place.path("else/x.db"));
}

#[test]
fn a_found_file_that_cannot_be_read_is_an_error() {
    let place = Place::new();
    fs::create_dir(place.path(FILE_NAME)).unwrap();
    let message = place.load().unwrap_err().message;
    assert!(message.contains("cannot be read: it is not a regular file"), "{message}");
    fs::remove_dir(place.path(FILE_NAME)).unwrap();
    fs::write(place.path(FILE_NAME), b"\xff\xfe").unwrap();
    let message = place.load().unwrap_err().message;
    assert!(message.contains("not UTF-8"), "{message}");
}

#[test]
fn the_search_ends_at_the_repository() {
    let mut place = Place::with("claim_ttl_minutes: 1\n");
    let root = place.repository("repository");
    let below = root.join("a/b");
    fs::create_dir_all(&below).unwrap();
    place.around.directory = below.clone();
    let config = place.load().unwrap();
    assert_eq!(config.file, None);
    assert_eq!(config.db_path.value, root.join(DEFAULT_DB));

    place.write("repository/graph.config.yaml", "claim_ttl_minutes: 2\n");
    assert_eq!(place.load().unwrap().claim_ttl_minutes.value, 2);
    place.write("repository/a/graph.config.yaml", "claim_ttl_minutes: 3\n");
    assert_eq!(place.load().unwrap().claim_ttl_minutes.value, 3);

    // Outside git the search ends at the root of the file system.
    place.around.directory = place.path("else/where");
    fs::create_dir_all(&place.around.directory).unwrap();
    assert_eq!(place.load().unwrap().claim_ttl_minutes.value, 1);
}

#[test]
fn a_linked_worktree_shares_file_and_database_with_the_main_one() {
    let mut place = Place::new();
    let root = place.repository("main");
    place.write("main/.git/worktrees/side/commondir", "../..\n");
    place.write("main/.git/worktrees/side/HEAD", "ref: refs/heads/side\n");
    place.write("side/.git", "gitdir: ../main/.git/worktrees/side\n");
    place.around.directory = place.path("side");
    let config = place.load().unwrap();
    assert_eq!(config.db_path.value, root.join(DEFAULT_DB));

    place.write("main/graph.config.yaml", "db_path: here.db\n");
    assert_eq!(place.load().unwrap().db_path.value, root.join("here.db"));
    // Its own file wins over that of the main one.
    place.write("side/graph.config.yaml", "db_path: side.db\n");
    assert_eq!(place.load().unwrap().db_path.value, place.path("side/side.db"));
}

#[test]
fn a_git_that_leads_to_no_repository_gets_no_database_of_its_own() {
    let mut place = Place::new();
    let refused = |place: &Place, dot_git: &str| {
        let error = place.load().unwrap_err();
        let expected = format!("{}: leads to no repository", place.path(dot_git).display());
        assert!(error.message.starts_with(&expected), "{error}");
        assert!(error.hint.unwrap().contains("--db"));
    };
    // The main working tree was moved; it may be inside another repository.
    place.write("side/.git", "gitdir: ../main/.git/worktrees/side\n");
    place.around.directory = place.path("side");
    refused(&place, "side/.git");
    let db = Options { db: Some("other.db".into()), ..Options::default() };
    assert!(Config::load(db, &place.around).is_ok(), "a file that is named is known");
    place.repository("outer");
    place.write("outer/side/.git", "gitdir: nowhere\n");
    place.around.directory = place.path("outer/side");
    fs::create_dir(place.path("outer/side/below")).unwrap();
    refused(&place, "outer/side/.git");
    place.around.directory = place.path("outer/side/below");
    refused(&place, "outer/side/.git");

    let root = place.repository("main");
    fs::remove_file(root.join(".git/HEAD")).unwrap();
    place.around.directory = root.clone();
    refused(&place, "main/.git");
    // One that exists is not created.
    place.write("main/graph.db", "");
    assert_eq!(place.load().unwrap().db_path.value, root.join(DEFAULT_DB));
    fs::create_dir_all(place.path("empty/.git")).unwrap();
    place.around.directory = place.path("empty");
    assert_eq!(place.load().unwrap().db_path.value, place.path("empty/graph.db"));
}

#[test]
fn home_is_expanded_where_no_shell_does_it() {
    let mut place = Place::with("db_path: ~/x/y.db\n");
    place.around.variables.insert("HOME", "/home/ana".into());
    let config = place.load().unwrap();
    assert_eq!(config.db_path.value, Path::new("/home/ana/x/y.db"));
}
