//! The closed list of error codes: what a caller may branch on.

use serde::{Serialize, Serializer};

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $wire:literal,)+) => {
        /// Every code a fault can carry; the wire names are stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl ErrorCode {
            /// All codes in the order of this file.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$variant,)+];

            /// The name on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(ErrorCode::$variant => $wire,)+ }
            }

            /// What the code means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(ErrorCode::$variant => concat!($($doc),+).trim_ascii(),)+ }
            }
        }
    };
}

codes! {
    /// An argument is missing, malformed or out of its bounds
    ValidationError = "VALIDATION_ERROR",
    /// The thing named by an id, a name or a reference does not exist
    NotFound = "NOT_FOUND",
    /// The version the caller expected is not the current one
    Conflict = "CONFLICT",
    /// The change would break a rule that holds across things
    InvariantViolation = "INVARIANT_VIOLATION",
    /// The change would close a cycle; the path is in the details
    CycleDetected = "CYCLE_DETECTED",
    /// The operation does not apply to the thing in its present state
    InvalidOperation = "INVALID_OPERATION",
    /// Open dependencies or children stand in the way; they are in the details
    Blocked = "BLOCKED",
    /// No node has this id
    NodeNotFound = "NODE_NOT_FOUND",
    /// No connection has this id
    ConnectionNotFound = "CONNECTION_NOT_FOUND",
    /// The ontology has no such node type
    InvalidNodeType = "INVALID_NODE_TYPE",
    /// The ontology has no such connection type
    InvalidConnectionType = "INVALID_CONNECTION_TYPE",
    /// The ontology does not allow this connection between these types
    InvalidTopology = "INVALID_TOPOLOGY",
    /// A property that the connection type requires is missing
    RequiredPropertyMissing = "REQUIRED_PROPERTY_MISSING",
    /// There is no ontology yet
    OntologyNotFound = "ONTOLOGY_NOT_FOUND",
    /// There is an ontology already
    OntologyAlreadyExists = "ONTOLOGY_ALREADY_EXISTS",
    /// The type exists already
    TypeAlreadyExists = "TYPE_ALREADY_EXISTS",
    /// Content and encoding do not fit each other
    InvalidEncoding = "INVALID_ENCODING",
    /// Storage refused new content
    FileCreationFailed = "FILE_CREATION_FAILED",
    /// Stored content cannot be read back
    ContentReadFailed = "CONTENT_READ_FAILED",
    /// Other processes kept the database locked for longer than the wait
    Busy = "BUSY",
    /// The database or its directory cannot be written
    ReadOnly = "READ_ONLY",
    /// The disk is full; nothing was written
    StorageFull = "STORAGE_FULL",
    /// The database file is damaged, gone, or not one of ours
    StorageCorrupt = "STORAGE_CORRUPT",
    /// A defect of the server; the request id finds its cause in the log
    InternalError = "INTERNAL_ERROR",
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
