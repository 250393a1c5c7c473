//! A small agent loop with budgets over any model.
