//! Schema kinds, which select the available keywords.

use serde_json::{Map, Number, Value};

/// The kind of value that a [`Schema`](crate::schema::Schema) describes. Selects its methods.
///
/// This trait is sealed.
///
/// # Examples
/// ```
/// use tool_core::schema::Schema;
/// use tool_core::schema::kind::{Kind, Text};
///
/// fn documented<K: Kind>(schema: Schema<K>) -> Schema<K> {
///     schema.describe("See the manual.")
/// }
///
/// let schema: Schema<Text> = documented(Schema::string());
/// # let _ = schema;
/// ```
pub trait Kind: sealed::Sealed {
    /// The type of a default value of this kind.
    type Default: Into<Value>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $kind:ident takes $default:ty,)*) => {$(
        $(#[doc = $doc])*
        ///
        /// # Examples
        /// See [`Schema`](crate::schema::Schema).
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $kind {}

        impl sealed::Sealed for $kind {}

        impl Kind for $kind {
            type Default = $default;
        }
    )*};
}

kinds! {
    /// Any value.
    Any takes Value,
    /// An object with named members.
    Object takes Map<String, Value>,
    /// An array whose items share a schema.
    Array takes Vec<Value>,
    /// A string.
    Text takes String,
    /// One of a fixed set of strings.
    Choice takes String,
    /// An integer.
    Integer takes Number,
    /// A number.
    Decimal takes f64,
    /// A boolean.
    Boolean takes bool,
}
