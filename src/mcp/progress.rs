//! `notifications/progress`: the progress of a long call, for a client that requested it.

use std::{
    future::pending,
    sync::Mutex,
    time::{Duration, Instant},
};

use rmcp::{
    Peer, RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
};
use tokio::sync::watch;

use crate::base::Progress;

/// Time between two notifications, and before the first. A shorter call sends none.
const PACE: Duration = Duration::from_millis(100);

/// The progress of a call on another thread, as notifications for the client.
pub(super) struct Notifications {
    token: ProgressToken,
    steps: watch::Receiver<(usize, usize)>,
}

impl Notifications {
    /// The progress that the call reports to, and the receiver for the server.
    pub fn new(token: ProgressToken) -> (Progress, Self) {
        let (sender, steps) = watch::channel((0, 0));
        let next = Mutex::new(Instant::now() + PACE);
        let progress = Progress::reported_to(move |done, expected| {
            let now = Instant::now();
            // A tick is cheap until a notification is due.
            let Ok(mut next) = next.lock() else { return };
            if now >= *next {
                *next = now + PACE;
                sender.send_replace((done, expected));
            }
        });
        (progress, Notifications { token, steps })
    }

    /// Waits for the next notification; forever if the call reports nothing more. Cancel safe.
    pub async fn next(&mut self) -> ProgressNotificationParam {
        if self.steps.changed().await.is_err() {
            pending::<()>().await;
        }
        let (done, expected) = *self.steps.borrow_and_update();
        let notification = ProgressNotificationParam::new(self.token.clone(), done as f64);
        // An unknown total counts as the steps done so far.
        if expected > done { notification.with_total(expected as f64) } else { notification }
    }
}

/// Sends a notification and waits until it is written, since none may follow the response.
pub(super) async fn send(peer: &Peer<RoleServer>, notification: ProgressNotificationParam) {
    if let Err(error) = peer.notify_progress(notification).await {
        tracing::debug!(%error, "a progress notification cannot be sent");
    }
}
