//! `graph log --follow`: what happens, as it happens, in whichever process.

use crate::base::hint::{cmd, hint};
use std::{thread, time::Duration};

use super::{
    super::{
        Shell,
        interrupt::Stop,
        output::{Done, Failure, Outcome, QUIET, styled},
    },
    one,
};
use crate::{app::Wanted, base::ErrorCode, compose::TitledEvent};

/// Between two reads of the event log: soon enough for a person, and almost no work.
const PACE: Duration = Duration::from_millis(200);
/// Events that are read at once.
const BATCH: usize = 500;
/// The column of names, which are not known yet.
const NAMES: usize = 8;

/// Shows the last events and then new ones, until Ctrl-C or until the reader is gone.
pub fn run(wanted: Wanted<'_>, limit: usize, shell: &mut Shell) -> Outcome {
    let stop = Stop::on_interrupt()?;
    let mut after = None;
    if shell.is_new() && !shell.out.json {
        let path = shell.app.config().db_path.value.display().to_string();
        let note = format!("waiting for {}", super::plain(&path));
        shell.out.note(styled(QUIET, note))?;
    }
    while !stop.is_pressed() && shell.out.has_reader() {
        // Reading creates no file.
        if shell.is_new() {
            if after.is_some() {
                return Err(gone(shell).into());
            }
        } else {
            match look(&mut after, wanted, limit, shell) {
                // Another process has locked the whole file; its changes are shown afterwards.
                Err(Failure::Error(error)) if error.code() == ErrorCode::Busy => {}
                looked => looked?,
            }
        }
        thread::sleep(PACE);
    }
    Ok(Done::Ok)
}

/// Shows what came since the last look, or at the first one the last of what there is.
fn look(
    after: &mut Option<i64>,
    wanted: Wanted<'_>,
    limit: usize,
    shell: &mut Shell,
) -> Result<(), Failure> {
    let place = match *after {
        Some(place) => place,
        None => {
            let mut entries = shell.app.log(&shell.ctx, wanted, limit)?;
            entries.reverse();
            // What is written between the two reads is shown by the second.
            let place = match entries.last() {
                Some(entry) => entry.event.seq,
                None => 0,
            };
            show(&entries, shell)?;
            *after = Some(place);
            place
        }
    };
    let (entries, reached) = shell.app.log_after(&shell.ctx, place, wanted, BATCH)?;
    show(&entries, shell)?;
    *after = Some(reached);
    Ok(())
}

fn show(entries: &[TitledEvent], shell: &mut Shell) -> Result<(), Failure> {
    let out = &mut shell.out;
    for entry in entries {
        match out.json {
            true => out.object_line(entry)?,
            false => one(entry, NAMES, out)?,
        }
    }
    Ok(out.flush()?)
}

fn gone(shell: &Shell) -> crate::base::Fault {
    let path = shell.app.config().db_path.value.display();
    crate::base::Fault::new(ErrorCode::NotFound, format!("the file was deleted or moved: {path}"))
        .hint(hint![cmd("graph doctor"), " shows which file is meant, and why"])
}
