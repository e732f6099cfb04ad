use super::*;

#[test]
fn matching() {
    for (pattern, path, expected) in [
        ("src/pages/checkout/**", "src/pages/checkout/a/b.tsx", true),
        ("src/pages/checkout/**", "src/pages/other.tsx", false),
        ("src/*.ts", "src/a.ts", true),
        ("src/*.ts", "src/a/b.ts", false),
        ("src/payments/stripe-*.ts", "src/payments/stripe-gateway.ts", true),
        ("src/shared/email-client.ts", "src/shared/email-client.ts", true),
        ("src/shared/email-client.ts", "src/shared/email-client.tsx", false),
        ("**/*.md", "README.md", true),
        ("**/*.md", "docs/a/b.md", true),
        ("**", ".github/workflows/ci.yml", true),
        ("src/*", "src/.env", true),
        ("src/{a,b/c}/*.ts", "src/b/c/x.ts", true),
        ("src/[ab].ts", "src/b.ts", true),
        ("src/\\*.ts", "src/*.ts", true),
        ("src/\\*.ts", "src/a.ts", false),
        ("SRC/*.ts", "src/a.ts", false),
    ] {
        assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
    }
}

/// A key that a path does not have would hide the pattern from it.
#[test]
fn a_path_has_every_key_of_every_pattern_that_matches_it() {
    let patterns = [
        "src/pages/checkout/**",
        "src/*.ts",
        "**/*.md",
        "**",
        "*",
        "src/{a,b/c}/*.ts",
        "src/x-{a,b/c}",
        "q-{r/s,t}*",
        "w_{**/k,l}",
        "a-x\\/b*",
        "v-?\\/u*",
        "src/**/x/*.t?",
        "**/Cargo.toml",
        "a/**/b/**/c.d",
        "[ab]/x.y",
        "{src,lib}/**/*.rs",
        "src/\\*.ts",
        "src/[!/]x.ts",
        "**/.env*",
        "src/x.{ts,tsx}",
        "a/b",
        "src/**/*.test.ts",
        "*/y/*",
        "src/a\\/b.ts",
        "src/{x,y}.ts/z",
    ];
    let paths = [
        "src/x-b/c",
        "q-r/sz",
        "w_a/k",
        "a-x/b1",
        "v-1/u2",
        "src/pages/checkout/a/b.tsx",
        "src/a.ts",
        "README.md",
        "docs/a.b/c.md",
        "src/b/c/x.ts",
        "src/a/q.ts",
        "src/q/x/b.ts",
        "crates/x/Cargo.toml",
        "Cargo.toml",
        "a/b/c.d",
        "a/q/b/r/c.d",
        "a/x.y",
        "lib/m/n.rs",
        "src/*.ts",
        ".env",
        "x/.env.local",
        "src/x.tsx",
        "a/b",
        "src/q/r.test.ts",
        "q/y/z",
        "src/x.ts/z",
    ];
    let mut hits = 0;
    for pattern in patterns {
        for path in paths.iter().filter(|path| matches(pattern, path)) {
            hits += 1;
            let has = path_keys(path);
            for key in keys(pattern) {
                assert!(
                    has.contains(&key),
                    "{pattern} matches {path}, which has no {key}: {has:?}"
                );
            }
        }
    }
    assert!(hits > 40, "{hits}");
}

#[test]
fn the_most_telling_key_comes_first() {
    for (pattern, expected) in [
        ("src/a.ts", &["=src/a.ts"][..]),
        ("src/pages/**", &["src/pages/", "/pages/", "/src/"]),
        ("src/**/login/*.ts", &["src/", "/login/", "/src/", "*.ts", "*.ts"]),
        ("**/*.md", &["*.md", "*.md"]),
        ("**/Cargo.toml", &["/Cargo.toml/"]),
        ("src/x.{ts,tsx}", &["src/", "/src/", "x.*"]),
        ("**/stripe-*-v2.test.ts", &["*-v2.test.ts", "stripe-*", "*.ts"]),
        ("**/*.?s", &[]),
        ("**", &[]),
        ("[]/a/b]/*", &[]),
        ("[!]/a]/b/*", &["/b/"]),
    ] {
        assert_eq!(keys(pattern).collect::<Vec<_>>(), expected, "{pattern}");
    }
}

#[test]
fn files_are_looked_for_where_they_can_be() {
    let directory = |directory: &str, levels| Place::Directory(directory.to_owned(), levels);
    for (pattern, expected) in [
        ("src/a.rs", Place::Path("src/a.rs".to_owned())),
        ("src/pages/**", directory("src/pages", None)),
        ("src/*.ts", directory("src", Some(1))),
        ("src/*/x/?.ts", directory("src", Some(3))),
        ("*.md", directory("", Some(1))),
        ("**/*.md", directory("", None)),
        ("src/{a,b/c}/*.ts", directory("src", None)),
        ("src/a\\/b*", directory("src", None)),
    ] {
        assert_eq!(place(pattern), expected, "{pattern}");
    }
}

#[test]
fn what_is_refused_and_what_is_mended() {
    for (pattern, expected) in [
        ("src/**", Ok("src/**")),
        (" ./src/** ", Ok("src/**")),
        ("src/pages/", Ok("src/pages/**")),
        (".//src//./a//*.ts", Ok("src/a/*.ts")),
        ("a..b/*", Ok("a..b/*")),
        ("", Err("is empty")),
        ("./", Err("is empty")),
        ("/etc/*", Err("is absolute")),
        ("C:\\x\\*", Err("is absolute")),
        ("c:/x", Err("is absolute")),
        ("\\\\host\\x", Err("is absolute")),
        // Found by hostile input: taken once, and refused or changed when it came again.
        ("./\\*..", Err("is absolute")),
        ("./ a", Ok("a")),
        ("../x", Err("`..` segment")),
        ("src/../x", Err("`..` segment")),
        ("src/..", Err("`..` segment")),
        ("src/[a", Err("not a valid glob")),
        ("src/{a", Err("not a valid glob")),
        ("src/a}", Err("not a valid glob")),
    ] {
        let actual = normalise("paths[0]", pattern).map_err(|error| error.into_fault("").message);
        match (expected, &actual) {
            (Ok(expected), Ok(actual)) => assert_eq!(actual, expected, "{pattern}"),
            (Err(part), Err(message)) => {
                assert!(message.contains(part), "{pattern}: {message}")
            }
            _ => panic!("{pattern}: {actual:?}"),
        }
    }
    assert!(normalise("p", &"a".repeat(512)).is_ok());
    assert!(normalise("p", &"ä".repeat(512)).is_ok());
    assert!(normalise("p", &"a".repeat(513)).is_err());
    let nested = |depth| "{".repeat(depth) + &"}".repeat(depth);
    assert!(normalise("p", &nested(64)).is_ok());
    assert!(normalise("p", &nested(65)).is_err());
    assert!(!matches(&nested(300), "a"), "though somebody stored it");
}
