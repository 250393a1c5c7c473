//! Formulas on one line.

use super::{Frame, Story};
use crate::error::DocumentError;
use crate::xml::{Element, Xml};

impl Story<'_> {
    pub(super) fn begin_math(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
    ) -> Result<Option<Frame>, DocumentError> {
        let sign = match element.local() {
            "t" => return Ok(Some(Frame::Text)),
            "sup" => "^",
            "sub" => "_",
            "den" => "/",
            "num" => "",
            "rad" => "√",
            "d" => {
                self.write("(");
                return Ok(Some(Frame::Closed(')')));
            }
            "r" => {
                self.begin_run();
                return Ok(Some(Frame::Other));
            }
            "naryPr" => {
                let mut sign = "∫".to_owned();
                xml.within(|_, inner| {
                    if inner.local() == "chr" {
                        sign = inner.attribute("val").unwrap_or_default().into_owned();
                    }
                })?;
                self.write(&sign);
                return Ok(None);
            }
            "deg" | "rPr" | "ctrlPr" => {
                xml.skip()?;
                return Ok(None);
            }
            _ => return Ok(Some(Frame::Other)),
        };
        self.write(sign);
        Ok(Some(Frame::Raised(self.position())))
    }
}
