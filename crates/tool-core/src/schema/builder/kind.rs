//! What a schema describes, so that each kind has its own keywords.

use serde_json::{Map, Number, Value};

/// What a [`Schema`](crate::schema::Schema) describes; decides which of its methods there are.
///
/// Sealed: the kinds of JSON are what they are.
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
    /// What a default of this kind is made of.
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
    /// An array of items of one schema.
    Array takes Vec<Value>,
    /// A text.
    Text takes String,
    /// One of a few texts.
    Choice takes String,
    /// A number without a fraction.
    Integer takes Number,
    /// A number.
    Decimal takes f64,
    /// True or false.
    Boolean takes bool,
}
