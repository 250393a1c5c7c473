//! Which elements are open where.
