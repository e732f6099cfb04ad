//! Completing paths of the working tree, as a shell does.

use super::App;
use crate::{db::Names, os::files};

impl App {
    /// The files and directories that a path may become, at most `limit` of them; a directory ends with a slash.
    pub fn complete_path(&self, typed: &str, limit: usize) -> Names {
        let directory = typed.rsplit_once('/').map_or("", |(directory, _)| directory);
        let mut values = files::entries(&self.config.root, directory);
        values.retain(|path| path.starts_with(typed));
        let total = values.len();
        values.truncate(limit);
        Names { values, total }
    }
}
