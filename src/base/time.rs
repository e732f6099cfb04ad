//! Time: RFC 3339 UTC with milliseconds, fixed width, so that text order is time order.

use std::{
    fmt,
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use chrono::{DateTime, Datelike, Duration, SecondsFormat, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// An instant, to the millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(DateTime<Utc>);

impl Timestamp {
    /// The instant `millis` after 1970.
    pub fn from_millis(millis: i64) -> Self {
        Timestamp(DateTime::from_timestamp_millis(millis).unwrap_or(DateTime::UNIX_EPOCH))
    }

    /// Milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0.timestamp_millis()
    }

    /// This instant less `minutes`; the earliest instant where that underflows.
    pub fn minus_minutes(self, minutes: u32) -> Self {
        let earlier = self.0.checked_sub_signed(Duration::minutes(minutes.into()));
        Timestamp(earlier.unwrap_or(DateTime::UNIX_EPOCH))
    }

    /// This instant and `minutes`; the same instant where that overflows.
    pub fn plus_minutes(self, minutes: u32) -> Self {
        Timestamp(self.0.checked_add_signed(Duration::minutes(minutes.into())).unwrap_or(self.0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

/// A text that is no instant of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is no instant of RFC 3339 between the years 0 and 9999 in UTC")]
pub struct NoInstant;

impl FromStr for Timestamp {
    type Err = NoInstant;

    fn from_str(text: &str) -> Result<Self, NoInstant> {
        let parsed = DateTime::parse_from_rfc3339(text).map_err(|_| NoInstant)?.to_utc();
        // Its place on the globe may put it into a year that has no four digits, and could not be read back.
        match parsed.year() {
            0..=9999 => Ok(Self::from_millis(parsed.timestamp_millis())),
            _ => Err(NoInstant),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| {
            let shown = super::text::shorten(&text, 60);
            D::Error::custom(format!("`{shown}` is no instant of RFC 3339"))
        })
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

/// Where the present comes from.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The machine's clock.
    System,
    /// Milliseconds since 1970, moved by the test that holds the other end.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stands at `at` until it is moved.
    pub fn fixed(at: Timestamp) -> Self {
        Clock::Fixed(Arc::new(AtomicI64::new(at.millis())))
    }

    /// The present instant.
    #[allow(clippy::disallowed_methods, reason = "the one home of the present")]
    pub fn now(&self) -> Timestamp {
        match self {
            Clock::System => Timestamp::from_millis(Utc::now().timestamp_millis()),
            Clock::Fixed(millis) => Timestamp::from_millis(millis.load(Ordering::Relaxed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_fixed_width_and_round_trips() {
        for text in ["2026-01-02T03:04:05.000Z", "2026-01-02T03:04:05.678Z"] {
            assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), text);
        }
        let offset: Timestamp = "2026-01-02T05:04:05.6789+02:00".parse().unwrap();
        assert_eq!(offset.to_string(), "2026-01-02T03:04:05.678Z");
    }

    #[test]
    fn minutes_before() {
        let at: Timestamp = "2026-01-02T03:04:05.000Z".parse().unwrap();
        assert_eq!(at.minus_minutes(60).to_string(), "2026-01-02T02:04:05.000Z");
    }
}
