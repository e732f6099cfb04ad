//! Divides the size of a briefing: each kind of item gets its share first, and the rest goes to the most useful kinds.

/// The characters of an item, and those of its short form where it has one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub whole: usize,
    pub short: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Whole,
    Short,
    LeftOut,
}

/// Items of one kind, the most useful first, and the percentage of the room that is reserved for them.
#[derive(Debug)]
pub(super) struct Section {
    pub share: usize,
    pub items: Vec<Item>,
}

/// Fits whole items into `room` characters. The share of a kind is safe from kinds before it, and an item that does not
/// fit is skipped in favour of later ones.
pub(super) fn share_out(room: usize, sections: &[Section]) -> Vec<Vec<Form>> {
    let mut left = room;
    let mut forms: Vec<Vec<Form>> = Vec::with_capacity(sections.len());
    for section in sections {
        let mut share = (room * section.share / 100).min(left);
        let form = |item: &Item| {
            if item.whole > share {
                return Form::LeftOut;
            }
            share -= item.whole;
            left -= item.whole;
            Form::Whole
        };
        forms.push(section.items.iter().map(form).collect());
    }
    for (section, forms) in sections.iter().zip(&mut forms) {
        let waiting = section.items.iter().zip(forms).filter(|(_, form)| **form == Form::LeftOut);
        for (item, form) in waiting {
            let (cost, fitting) = match item.short {
                _ if item.whole <= left => (item.whole, Form::Whole),
                Some(short) if short <= left => (short, Form::Short),
                _ => continue,
            };
            left -= cost;
            *form = fitting;
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(room: usize, sections: &[(usize, &[(usize, usize)])], expected: &[&str]) {
        let item =
            |&(whole, short): &(usize, usize)| Item { whole, short: (short > 0).then_some(short) };
        let sections: Vec<Section> = sections
            .iter()
            .map(|(share, items)| Section {
                share: *share,
                items: items.iter().map(item).collect(),
            })
            .collect();
        let letter = |form: &Form| match form {
            Form::Whole => 'w',
            Form::Short => 's',
            Form::LeftOut => '-',
        };
        let forms = share_out(room, &sections);
        let shown: Vec<String> =
            forms.iter().map(|forms| forms.iter().map(letter).collect()).collect();
        assert_eq!(shown, expected, "{room}");
    }

    #[test]
    fn everything_where_there_is_room() {
        check(100, &[(50, &[(30, 0), (30, 0)]), (50, &[(40, 0)])], &["ww", "w"]);
    }

    #[test]
    fn no_kind_is_crowded_out_by_one_before_it() {
        check(100, &[(60, &[(50, 0), (50, 0)]), (40, &[(20, 0), (20, 0)])], &["w-", "ww"]);
    }

    #[test]
    fn what_is_left_goes_in_the_order_of_use() {
        check(100, &[(20, &[(50, 0)]), (20, &[(50, 0), (10, 0)])], &["w", "-w"]);
    }

    #[test]
    fn a_short_form_stands_for_what_does_not_fit() {
        check(100, &[(60, &[(500, 10), (20, 0), (500, 90)]), (0, &[(5, 0)])], &["sw-", "w"]);
    }

    #[test]
    fn no_room_is_no_room() {
        check(0, &[(100, &[(1, 0), (2, 1)])], &["--"]);
    }
}
