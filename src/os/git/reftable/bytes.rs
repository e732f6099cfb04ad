//! Reading numbers and names from bytes that may be damaged.

use std::io;

/// The error for a table that is not as the format says.
pub fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("a table is damaged: {what}"))
}

/// Bytes that are read from the front.
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> io::Result<&'a [u8]> {
        let (taken, rest) =
            self.0.split_at_checked(count).ok_or_else(|| damaged("it is cut off"))?;
        self.0 = rest;
        Ok(taken)
    }

    /// An unsigned number of `count` bytes, the highest first.
    pub fn number(&mut self, count: usize) -> io::Result<u64> {
        Ok(self.take(count)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// A number of as many bytes as it needs: seven bits in each, and one added for every further byte.
    pub fn varint(&mut self) -> io::Result<u64> {
        let mut byte = self.number(1)?;
        let mut value = byte & 0x7f;
        while byte & 0x80 != 0 {
            byte = self.number(1)?;
            value = value
                .checked_add(1)
                .and_then(|value| value.checked_mul(128))
                .ok_or_else(|| damaged("a number is too large"))?
                | (byte & 0x7f);
        }
        Ok(value)
    }

    /// As many bytes as a number before them says.
    pub fn counted(&mut self) -> io::Result<&'a [u8]> {
        let count = self.varint()?;
        self.take(usize::try_from(count).map_err(|_| damaged("a number is too large"))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (bytes, expected) in [
            (&[0x00][..], Some(0)),
            (&[0x7f], Some(127)),
            (&[0x80, 0x00], Some(128)),
            (&[0x80, 0x7f], Some(255)),
            (&[0x81, 0x00], Some(256)),
            (&[0xff, 0x7f], Some(16_511)),
            (&[0x80], None),
            (&[], None),
            (&[0xff; 12], None),
        ] {
            assert_eq!(Bytes(bytes).varint().ok(), expected, "{bytes:?}");
        }
        assert_eq!(Bytes(&[1, 2, 3]).number(3).unwrap(), 0x01_02_03);
        assert!(Bytes(&[5, 1]).counted().is_err());
    }
}
