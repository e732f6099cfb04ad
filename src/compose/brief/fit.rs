//! Cuts what there is to tell to the room that it has.

use serde::Serialize;

use super::{
    Gathered,
    room::{Form, Item, Section, share_out},
    shape::{BriefAtom, BriefMolecule, Briefing, LeftOut},
};
use crate::base::Result;

/// Characters that count as a token.
const TOKEN: usize = 4;
/// How to get what there was no room for.
const HOW: &str = "raise max_tokens, ask about fewer paths, or read one: query_graph get, kb_query, graph_context";
/// How to find what was not looked at.
const OLDER: &str = "graph_query {filter: {resolved: true, text}} finds older work";

impl Gathered {
    /// Keeps what fits into so many tokens, whole things only, and counts the rest.
    pub(super) fn fit(self, mut told: Briefing, tokens: usize) -> Result<Briefing> {
        let sections = [
            section(40, &self.atoms, BriefAtom::shorten)?,
            section(10, &self.molecules, BriefMolecule::shorten)?,
            section(15, &self.failing, |_| None)?,
            section(10, &self.kb, |_| None)?,
            section(15, &self.work, |_| None)?,
            section(5, &self.changes, |_| None)?,
            section(5, &self.unknown, |_| None)?,
        ];
        let frame = self.frame(&told)?;
        let mut forms = share_out((tokens * TOKEN).saturating_sub(frame), &sections).into_iter();
        let mut forms = || forms.next().unwrap_or_default().into_iter();
        let mut left_out = self.left_out;
        left_out.atoms += keep(self.atoms, forms(), &mut told.atoms, BriefAtom::shorten);
        left_out.molecules +=
            keep(self.molecules, forms(), &mut told.molecules, BriefMolecule::shorten);
        left_out.failing += keep(self.failing, forms(), &mut told.failing, |_| None);
        left_out.kb += keep(self.kb, forms(), &mut told.kb, |_| None);
        left_out.work += keep(self.work, forms(), &mut told.work, |_| None);
        left_out.changes += keep(self.changes, forms(), &mut told.changes, |_| None);
        left_out.unknown += keep(self.unknown, forms(), &mut told.unknown, |_| None);
        let texts = told.atoms.iter().map(|atom| atom.knowledge_bytes);
        let texts = texts.chain(told.molecules.iter().map(|molecule| molecule.knowledge_bytes));
        left_out.knowledge = texts.filter(|bytes| *bytes > 0).count();
        if left_out != LeftOut::default() {
            let unfit = LeftOut { older: 0, ..left_out.clone() } != LeftOut::default();
            left_out.how = match (unfit, left_out.older) {
                (true, 0) => HOW.to_owned(),
                (true, _) => format!("{HOW}; {OLDER}"),
                (false, _) => OLDER.to_owned(),
            };
            told.left_out = Some(left_out);
        }
        told.measure()?;
        Ok(told)
    }

    /// Characters of the answer without its things, at the most.
    fn frame(&self, told: &Briefing) -> Result<usize> {
        const MANY: usize = 99_999;
        let some = |is_some: bool| if is_some { MANY } else { 0 };
        let lists = [
            ("atoms", !self.atoms.is_empty()),
            ("molecules", !self.molecules.is_empty()),
            ("failing", !self.failing.is_empty()),
            ("kb", !self.kb.is_empty()),
            ("work", !self.work.is_empty()),
            ("changes", !self.changes.is_empty()),
            ("unknown", !self.unknown.is_empty()),
        ];
        let names = lists.iter().filter(|(_, is_some)| *is_some);
        let names: usize = names.map(|(name, _)| name.len() + r#""":[],"#.len()).sum();
        let left_out = LeftOut {
            knowledge: some(!self.atoms.is_empty()),
            atoms: some(!self.atoms.is_empty()),
            molecules: some(!self.molecules.is_empty()),
            failing: some(!self.failing.is_empty()),
            kb: some(!self.kb.is_empty()),
            work: some(!self.work.is_empty()),
            changes: some(!self.changes.is_empty()),
            unknown: some(!self.unknown.is_empty()),
            older: self.left_out.older,
            how: match self.left_out.older {
                0 => HOW.to_owned(),
                _ => format!("{HOW}; {OLDER}"),
            },
        };
        let empty = Briefing { left_out: Some(left_out), used_tokens: MANY, ..told.clone() };
        Ok(serde_json::to_string(&empty)?.chars().count() + names)
    }
}

impl Briefing {
    /// Says how long it is, which is a part of it.
    fn measure(&mut self) -> Result<()> {
        loop {
            let used = serde_json::to_string(self)?.chars().count().div_ceil(TOKEN);
            if used <= self.used_tokens {
                return Ok(());
            }
            self.used_tokens = used;
        }
    }
}

impl BriefAtom {
    /// Its name alone, where it has a text and does not fit with it.
    fn shorten(&self) -> Option<Self> {
        let text = self.knowledge.as_ref()?;
        let mut paths = self.paths.clone();
        paths.truncate(1);
        let paths_omitted = self.paths_omitted + self.paths.len() - paths.len();
        Some(BriefAtom {
            knowledge: None,
            knowledge_bytes: text.len(),
            paths,
            paths_omitted,
            ..self.clone()
        })
    }
}

impl BriefMolecule {
    fn shorten(&self) -> Option<Self> {
        let text = self.knowledge.as_ref()?;
        Some(BriefMolecule { knowledge: None, knowledge_bytes: text.len(), ..self.clone() })
    }
}

fn section<T: Serialize>(
    share: usize,
    things: &[T],
    shorten: impl Fn(&T) -> Option<T>,
) -> Result<Section> {
    let size =
        |thing: &T| -> Result<usize> { Ok(serde_json::to_string(thing)?.chars().count() + 1) };
    let item = |thing: &T| {
        let short = shorten(thing).map(|short| size(&short)).transpose()?;
        Ok(Item { whole: size(thing)?, short })
    };
    Ok(Section { share, items: things.iter().map(item).collect::<Result<_>>()? })
}

/// Moves what has room to where it is told; answers how many have none.
fn keep<T>(
    things: Vec<T>,
    forms: impl Iterator<Item = Form>,
    told: &mut Vec<T>,
    shorten: impl Fn(&T) -> Option<T>,
) -> usize {
    let all = things.len();
    told.extend(things.into_iter().zip(forms).filter_map(|(thing, form)| match form {
        Form::Whole => Some(thing),
        Form::Short => shorten(&thing),
        Form::LeftOut => None,
    }));
    all - told.len()
}
