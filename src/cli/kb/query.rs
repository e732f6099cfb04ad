//! `graph kb query`: entities by what they are and how they are linked, or links.

use clap::{Args, builder::RangedU64ValueParser};

use super::super::{
    Shell, completions,
    format::{count, freshness},
    output::{Done, NEXT, Outcome, Output, QUIET, STRONG, WARN, brief, plain, styled},
};
use crate::kb::{self, Direction, Edges, Entity, Found, RelatedTo, Relationship};

/// Which entities, or which links.
#[derive(Debug, Args)]
pub struct Query {
    /// Only those with this text in id, title or a property
    pub text: Option<String>,
    /// Of this type; again for several
    #[arg(long, value_name = "TYPE", add = completions::types())]
    pub r#type: Vec<String>,
    /// This one, whole; again for several
    #[arg(long, value_name = "ID", add = completions::entities())]
    pub id: Vec<String>,
    /// With this tag; again for all of several
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// In this status
    #[arg(long)]
    pub status: Option<String>,
    /// Of this owner
    #[arg(long)]
    pub owner: Option<String>,
    /// Of this priority
    #[arg(long)]
    pub priority: Option<String>,
    /// From this source, whole or up to its colon: agent, file
    #[arg(long)]
    pub source: Option<String>,
    /// With such a link to others, or to the one named
    #[arg(long, value_name = "RELATION[=ID]", add = completions::relations())]
    pub has: Vec<String>,
    /// Without such a link: --type req --priority must --lacks verified_by
    #[arg(long, value_name = "RELATION[=ID]", add = completions::relations())]
    pub lacks: Vec<String>,
    /// With such a link from others
    #[arg(long, value_name = "RELATION[=ID]", add = completions::relations())]
    pub has_in: Vec<String>,
    /// Without such a link from others
    #[arg(long, value_name = "RELATION[=ID]", add = completions::relations())]
    pub lacks_in: Vec<String>,
    /// Show their links too
    #[arg(long)]
    pub links: bool,
    /// List links of this relation in place of entities
    #[arg(long, value_name = "RELATION", add = completions::relations())]
    pub relation: Option<String>,
    /// List links that begin there
    #[arg(long, value_name = "ID", add = completions::entities())]
    pub from: Option<String>,
    /// List links that end there
    #[arg(long, value_name = "ID", add = completions::entities())]
    pub to: Option<String>,
    /// On this branch [default: the active one]
    #[arg(long, value_name = "NAME", add = completions::branches())]
    pub branch: Option<String>,
    /// How many to show [default: 20]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=200))]
    pub limit: Option<usize>,
    /// Go on after the page before, which names it
    #[arg(long)]
    pub cursor: Option<String>,
}

impl Query {
    fn wanted(&self) -> kb::Query {
        let related = [
            (&self.has, Direction::Out, false),
            (&self.lacks, Direction::Out, true),
            (&self.has_in, Direction::In, false),
            (&self.lacks_in, Direction::In, true),
        ];
        let related = related.into_iter().flat_map(|(patterns, direction, absent)| {
            patterns.iter().map(move |pattern| {
                let (relation, id) = match pattern.split_once('=') {
                    Some((relation, id)) => (relation, Some(id.trim().to_owned())),
                    None => (pattern.as_str(), None),
                };
                let relation = relation.trim().to_owned();
                RelatedTo { relation, direction, id, r#type: None, absent }
            })
        });
        let (relation, from, to) = (&self.relation, &self.from, &self.to);
        let edges = (relation.is_some() || from.is_some() || to.is_some()).then(|| Edges {
            relation: relation.clone(),
            from: from.clone(),
            to: to.clone(),
        });
        kb::Query {
            r#type: self.r#type.clone(),
            id: self.id.clone(),
            tags: self.tag.clone(),
            status: self.status.clone(),
            owner: self.owner.clone(),
            priority: self.priority.clone(),
            text: self.text.clone(),
            source: self.source.clone(),
            related: related.collect(),
            relationships: self.links,
            edges,
            branch: self.branch.clone(),
            limit: self.limit,
            cursor: self.cursor.clone(),
        }
    }
}

/// Shows a page of what fits.
pub fn run(ask: &Query, shell: &mut Shell) -> Outcome {
    let wanted = ask.wanted();
    let found = super::read(shell, wanted.branch.as_deref(), |tx, setting| {
        kb::query(tx, setting, &wanted)
    })?;
    let out = &mut shell.out;
    if out.json {
        out.object(&found)?;
        return Ok(Done::Ok);
    }
    print(&found, wanted.edges.is_some(), out)?;
    Ok(Done::Ok)
}

fn print(found: &Found, edges: bool, out: &mut Output) -> std::io::Result<()> {
    for one in &found.entities {
        entity(one, out)?;
    }
    if !edges && found.relationships.as_ref().is_some_and(|links| !links.is_empty()) {
        out.gap()?;
    }
    for one in found.relationships.iter().flatten() {
        link(one, out)?;
    }
    for one in &found.shortened {
        let more = format!("{} is shown in part: --id {} shows it whole", one.id, one.id);
        out.line(styled(QUIET, plain(&more)))?;
    }
    if found.relationships_omitted > 0 {
        let more = format!("… and {} more links", found.relationships_omitted);
        out.line(styled(QUIET, more))?;
    }
    let noun = if edges { "link" } else { "entity" };
    let branch = plain(&found.branch);
    if found.total == 0 {
        return out.line(format_args!("nothing on {branch} fits"));
    }
    out.gap()?;
    let total = count(found.total, noun);
    match &found.next_cursor {
        Some(cursor) => {
            let shown = match edges {
                true => found.relationships.as_ref().map_or(0, Vec::len),
                false => found.entities.len(),
            };
            let next = styled(NEXT, format!("--cursor {cursor}"));
            out.line(format_args!("{shown} of {total} on {branch}; go on with {next}"))
        }
        None => out.line(format_args!("{total} on {branch}")),
    }
}

fn entity(entity: &Entity, out: &mut Output) -> std::io::Result<()> {
    out.line(format_args!(
        "{}  {}  {}{}",
        styled(NEXT, plain(&entity.id)),
        styled(QUIET, plain(&entity.r#type)),
        styled(STRONG, brief(&entity.title)),
        freshness(entity.freshness.as_ref())
    ))?;
    let mut parts: Vec<String> = [
        (!entity.status.is_empty()).then(|| entity.status.clone()),
        entity.priority.clone(),
        entity.severity.as_ref().map(|severity| format!("severity {severity}")),
        entity.owner.as_ref().map(|owner| format!("owner {owner}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    parts.extend(entity.tags.iter().map(|tag| format!("#{tag}")));
    parts.push(entity.place().unwrap_or_else(|| entity.source.clone()));
    out.line(format_args!("    {}", plain(&parts.join("  "))))
}

fn link(link: &Relationship, out: &mut Output) -> std::io::Result<()> {
    let Relationship { relation, from, to, kind, unresolved, .. } = link;
    let kind = if kind.is_empty() { String::new() } else { format!(" ({})", plain(kind)) };
    let missing = if *unresolved { "  an end is not there" } else { "" };
    out.line(format_args!(
        "{} {} {}{kind}{}",
        styled(NEXT, plain(from)),
        plain(relation),
        styled(NEXT, plain(to)),
        styled(WARN, missing)
    ))
}
