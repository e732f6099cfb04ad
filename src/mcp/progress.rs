//! `notifications/progress`: how far a long call is, for a client that asked for it.

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

/// Between two notifications, and before the first: what is over sooner needs none.
const PACE: Duration = Duration::from_millis(100);

/// The steps of a call on another thread, on their way to the client.
pub(super) struct Heard {
    token: ProgressToken,
    steps: watch::Receiver<(usize, usize)>,
}

impl Heard {
    /// The call's end, and the server's end.
    pub fn new(token: ProgressToken) -> (Progress, Self) {
        let (told, steps) = watch::channel((0, 0));
        let next = Mutex::new(Instant::now() + PACE);
        let progress = Progress::heard_by(move |done, expected| {
            let now = Instant::now();
            // A tick is cheap until a notification is due.
            let Ok(mut next) = next.lock() else { return };
            if now >= *next {
                *next = now + PACE;
                told.send_replace((done, expected));
            }
        });
        (progress, Heard { token, steps })
    }

    /// Waits for the next notification; forever, where the call reports nothing more. Safe to drop.
    pub async fn next(&mut self) -> ProgressNotificationParam {
        if self.steps.changed().await.is_err() {
            pending::<()>().await;
        }
        let (done, expected) = *self.steps.borrow_and_update();
        let told = ProgressNotificationParam::new(self.token.clone(), done as f64);
        // Where the total is not known, it is what has been done so far.
        if expected > done { told.with_total(expected as f64) } else { told }
    }
}

/// Sends it, and waits until it is written: no notification may follow the response.
pub(super) async fn send(peer: &Peer<RoleServer>, told: ProgressNotificationParam) {
    if let Err(error) = peer.notify_progress(told).await {
        tracing::debug!(%error, "the client is not told how far a call is");
    }
}
