//! What the compiler says to somebody who uses `HttpModel` without its feature.

use std::convert::Infallible;

use agent_loop::ScriptedModel;

/// Not implemented, so that each call is an error with a remedy.
#[diagnostic::on_unimplemented(
    message = "`HttpModel` needs the feature `http` of `toolwright`",
    label = "the feature `http` is not enabled",
    note = "run `cargo add toolwright --features http`"
)]
pub trait FeatureHttp {}

/// Stands for the model, whose constructors it has. The rest of the program compiles with any other model.
#[derive(Debug)]
pub struct HttpModel;

impl HttpModel {
    /// Does not compile.
    ///
    /// # Errors
    /// Never.
    pub fn from_env<T: FeatureHttp>(_name: T) -> Result<ScriptedModel, Infallible> {
        Ok(ScriptedModel::new([]))
    }

    /// Does not compile.
    ///
    /// # Errors
    /// Never.
    pub fn new<T: FeatureHttp>(
        _provider: T,
        _model: &str,
        _base_url: &str,
    ) -> Result<ScriptedModel, Infallible> {
        Ok(ScriptedModel::new([]))
    }
}
