//! Text of office documents.
