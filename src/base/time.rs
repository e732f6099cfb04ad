//! Time: RFC 3339 UTC with milliseconds, fixed width, so that text order is time order.

use std::{
    fmt,
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use chrono::{DateTime, Datelike, Duration, NaiveDate, SecondsFormat, Timelike, Utc};
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

    /// The instant `millis` after 1970, or the nearest that a clock may show: what is stored has years of four digits, and
    /// a clock that is far off must not make a file that nobody reads.
    fn bounded(millis: i64) -> Self {
        const LAST: i64 = 253_402_300_799_999;
        Timestamp::from_millis(millis.clamp(0, LAST))
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

/// The form of every text. An answer has dozens of them, and most of the time it takes would go into a formatter and a
/// parser for all forms: so this one has its own, and chrono's are for the others.
const FORM: &[u8; 24] = b"0000-00-00T00:00:00.000Z";
/// Where the numbers stand in it: year, month, day, hour, minute, second, millisecond.
const NUMBERS: [std::ops::Range<usize>; 7] = [0..4, 5..7, 8..10, 11..13, 14..16, 17..19, 20..23];

impl Timestamp {
    /// The text in [`FORM`]; none of a year that has not four digits.
    fn write(self) -> Option<[u8; FORM.len()]> {
        let year = u32::try_from(self.0.year()).ok().filter(|year| *year <= 9999)?;
        let (time, mut text) = (self.0.time(), *FORM);
        let numbers = [
            year,
            self.0.month(),
            self.0.day(),
            time.hour(),
            time.minute(),
            time.second(),
            self.0.timestamp_subsec_millis(),
        ];
        for (mut number, place) in numbers.into_iter().zip(NUMBERS) {
            for digit in text[place].iter_mut().rev() {
                *digit = b'0' + (number % 10) as u8;
                number /= 10;
            }
        }
        Some(text)
    }

    /// The instant of a text in [`FORM`]; none of any other.
    fn read(text: &[u8]) -> Option<Self> {
        let is_alike =
            |(byte, form): (&u8, &u8)| byte == form || (*form == b'0' && byte.is_ascii_digit());
        if text.len() != FORM.len() || !text.iter().zip(FORM).all(is_alike) {
            return None;
        }
        let number =
            |digits: &[u8]| digits.iter().fold(0, |n, digit| n * 10 + u32::from(digit - b'0'));
        let [year, month, day, hour, minute, second, milli] =
            NUMBERS.map(|place| number(&text[place]));
        let date = NaiveDate::from_ymd_opt(year.cast_signed(), month, day)?;
        Some(Timestamp(date.and_hms_milli_opt(hour, minute, second, milli)?.and_utc()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.write().as_ref().map(|text| std::str::from_utf8(text)) {
            Some(Ok(text)) => f.write_str(text),
            _ => f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true)),
        }
    }
}

/// A text that is not an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is not a time in the format of RFC 3339 between the years 0 and 9999 in UTC")]
pub struct NoInstant;

impl FromStr for Timestamp {
    type Err = NoInstant;

    fn from_str(text: &str) -> Result<Self, NoInstant> {
        if let Some(instant) = Self::read(text.as_bytes()) {
            return Ok(instant);
        }
        let parsed = DateTime::parse_from_rfc3339(text).map_err(|_| NoInstant)?.to_utc();
        // Its place on the globe may put it into a year that has no four digits, and could not be read back.
        // So may a leap second at the end of the last one.
        let instant = Self::from_millis(parsed.timestamp_millis());
        match instant.0.year() {
            0..=9999 => Ok(instant),
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
            D::Error::custom(format!("`{shown}` is not a time in the format of RFC 3339"))
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

/// The source of the current time.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The clock of the system.
    System,
    /// Milliseconds since 1970, which a test changes through its own handle.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stays at `at` until a test changes it.
    pub fn fixed(at: Timestamp) -> Self {
        Clock::Fixed(Arc::new(AtomicI64::new(at.millis())))
    }

    /// The current time.
    #[allow(clippy::disallowed_methods, reason = "the one home of the present")]
    pub fn now(&self) -> Timestamp {
        match self {
            Clock::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH);
                let millis = since.map_or(0, |since| since.as_millis());
                Timestamp::bounded(i64::try_from(millis).unwrap_or(i64::MAX))
            }
            Clock::Fixed(millis) => Timestamp::bounded(millis.load(Ordering::Relaxed)),
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
    fn a_clock_shows_nothing_that_cannot_be_read_back() {
        for (millis, expected) in [
            (i64::MIN, "1970-01-01T00:00:00.000Z"),
            (-1, "1970-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "9999-12-31T23:59:59.999Z"),
            (i64::MAX, "9999-12-31T23:59:59.999Z"),
        ] {
            let now = Clock::Fixed(Arc::new(AtomicI64::new(millis))).now().to_string();
            assert_eq!(now, expected);
            assert_eq!(now.parse::<Timestamp>().unwrap().to_string(), expected);
        }
    }

    #[test]
    fn the_usual_form_is_written_and_read_as_any_other() {
        let day = 24 * 60 * 60 * 1000;
        for millis in (-719_528 * day..2_932_897 * day).step_by(37 * day as usize + 86_399_977) {
            let instant = Timestamp::from_millis(millis);
            let text = instant.0.to_rfc3339_opts(SecondsFormat::Millis, true);
            assert_eq!(instant.to_string(), text);
            assert_eq!(Timestamp::read(text.as_bytes()), Some(instant), "{text}");
        }
        for odd in [
            "2026-02-29T00:00:00.000Z",
            "2026-01-02T03:04:60.000Z",
            "2026-01-02T24:00:00.000Z",
            "2026-01-02t03:04:05.678z",
            "2026-01-02T03:04:05.67Z",
            "2026-01-02T03:04:05,678Z",
            "٢٠٢٦-01-02T03:04:05Z",
        ] {
            assert_eq!(Timestamp::read(odd.as_bytes()), None, "{odd}");
        }
        for millis in [i64::MAX, i64::MIN, 253_402_300_800_000, -62_167_219_200_001] {
            let instant = Timestamp::from_millis(millis);
            assert_eq!(instant.to_string(), instant.0.to_rfc3339_opts(SecondsFormat::Millis, true));
        }
    }

    #[test]
    fn what_could_not_be_read_back_is_no_instant() {
        for text in
            ["9999-12-31T23:59:60Z", "9999-12-31T23:59:60.999Z", "9999-12-31T22:59:60.5-01:00"]
        {
            assert_eq!(text.parse::<Timestamp>(), Err(NoInstant), "{text}");
        }
        let leap: Timestamp = "2016-12-31T23:59:60.5Z".parse().unwrap();
        assert_eq!(leap.to_string().parse(), Ok(leap));
    }

    #[test]
    fn minutes_before() {
        let at: Timestamp = "2026-01-02T03:04:05.000Z".parse().unwrap();
        assert_eq!(at.minus_minutes(60).to_string(), "2026-01-02T02:04:05.000Z");
    }
}
