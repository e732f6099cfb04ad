//! Fits a briefing into its tokens.

use serde::Serialize;

use super::{
    Gathered,
    room::{Form, Item, Section, share_out},
    shape::{BriefAtom, BriefMolecule, Briefing, LeftOut},
};
use crate::base::Result;

/// Characters that count as a token.
const TOKEN: usize = 4;
/// How to read what did not fit.
const HOW: &str = "raise max_tokens, ask about fewer paths, or read one: query_graph get, kb_query, graph_context";
/// How to find what was not read.
const OLDER: &str = "graph_query {filter: {resolved: true, text}} finds older work";

impl Gathered {
    /// Keeps the items that fit into `tokens`, whole ones only, and counts the rest.
    pub(super) fn fit(self, mut briefing: Briefing, tokens: usize) -> Result<Briefing> {
        let sections = [
            section(40, &self.atoms, BriefAtom::shorten)?,
            section(10, &self.molecules, BriefMolecule::shorten)?,
            section(15, &self.failing, |_| None)?,
            section(10, &self.kb, |_| None)?,
            section(15, &self.work, |_| None)?,
            section(5, &self.changes, |_| None)?,
            section(5, &self.unknown, |_| None)?,
        ];
        let frame = self.frame(&briefing)?;
        let mut forms = share_out((tokens * TOKEN).saturating_sub(frame), &sections).into_iter();
        let mut forms = || forms.next().unwrap_or_default().into_iter();
        let mut left_out = self.left_out;
        left_out.atoms += keep(self.atoms, forms(), &mut briefing.atoms, BriefAtom::shorten);
        left_out.molecules +=
            keep(self.molecules, forms(), &mut briefing.molecules, BriefMolecule::shorten);
        left_out.failing += keep(self.failing, forms(), &mut briefing.failing, |_| None);
        left_out.kb += keep(self.kb, forms(), &mut briefing.kb, |_| None);
        left_out.work += keep(self.work, forms(), &mut briefing.work, |_| None);
        left_out.changes += keep(self.changes, forms(), &mut briefing.changes, |_| None);
        left_out.unknown += keep(self.unknown, forms(), &mut briefing.unknown, |_| None);
        let texts = briefing.atoms.iter().map(|atom| atom.knowledge_bytes);
        let texts = texts.chain(briefing.molecules.iter().map(|molecule| molecule.knowledge_bytes));
        left_out.knowledge = texts.filter(|bytes| *bytes > 0).count();
        if left_out != LeftOut::default() {
            let unfit = LeftOut { older: 0, ..left_out.clone() } != LeftOut::default();
            left_out.how = match (unfit, left_out.older) {
                (true, 0) => HOW.to_owned(),
                (true, _) => format!("{HOW}; {OLDER}"),
                (false, _) => OLDER.to_owned(),
            };
            briefing.left_out = Some(left_out);
        }
        briefing.measure()?;
        Ok(briefing)
    }

    /// Characters of the response without its items, at most.
    fn frame(&self, briefing: &Briefing) -> Result<usize> {
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
        let empty = Briefing { left_out: Some(left_out), used_tokens: MANY, ..briefing.clone() };
        Ok(serde_json::to_string(&empty)?.chars().count() + names)
    }
}

impl Briefing {
    /// Sets `used_tokens`, whose own digits count too.
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
    /// The atom without its text; none where it has no text.
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
    items: &[T],
    shorten: impl Fn(&T) -> Option<T>,
) -> Result<Section> {
    let size = |item: &T| -> Result<usize> { Ok(serde_json::to_string(item)?.chars().count() + 1) };
    let measured = |item: &T| {
        let short = shorten(item).map(|short| size(&short)).transpose()?;
        Ok(Item { whole: size(item)?, short })
    };
    Ok(Section { share, items: items.iter().map(measured).collect::<Result<_>>()? })
}

/// Moves the items that fit to `kept`, and returns how many do not.
fn keep<T>(
    items: Vec<T>,
    forms: impl Iterator<Item = Form>,
    kept: &mut Vec<T>,
    shorten: impl Fn(&T) -> Option<T>,
) -> usize {
    let all = items.len();
    kept.extend(items.into_iter().zip(forms).filter_map(|(item, form)| match form {
        Form::Whole => Some(item),
        Form::Short => shorten(&item),
        Form::LeftOut => None,
    }));
    all - kept.len()
}
