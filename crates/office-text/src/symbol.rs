//! Characters of symbol fonts.

/// Unicode characters for `A` to `z` in the font Symbol.
const GREEK: &str = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ";

/// Hexadecimal codes of other characters in the font Symbol, each followed by the character.
const SYMBOLS: &str = "22∀ 24∃ 27∍ 2A∗ 2D− 40≅ A3≤ A5∞ AB↔ AC← AD↑ AE→ AF↓ B0° B1± B3≥ B4× B6∂ B7• B8÷ B9≠ BA≡ BB≈ C7∩ C8∪ \
    CE∈ CF∉ D1∇ D6√ DE⇒ E5∑ F2∫";
const WINGDINGS: &str = "4A☺ 6C● 9F● 6E■ A7■ 6F☐ A8☐ 71☐ 76❖ D8➢ DF← E0→ E1↑ E2↓ FB✗ FC✓ FD☒ FE☑";
const WINGDINGS_2: &str = "50✓ 52☑ 53☒ 54☒ A3☐";

/// Returns the character for a hexadecimal code in a font, if it is known. Fonts map codes to the
/// private use area, too.
pub(super) fn symbol(font: &str, code: &str) -> Option<char> {
    let code = u32::from_str_radix(code, 16).ok()?;
    if !(0xF000..=0xF0FF).contains(&code) && code > 0xFF {
        return char::from_u32(code).filter(|letter| !is_private(*letter));
    }
    let code = code & 0xFF;
    let font = font.to_ascii_lowercase();
    if font.starts_with("wingdings") {
        wingding(&font, code)
    } else if font == "symbol" {
        greek(code)
    } else {
        char::from_u32(code).filter(|letter| !letter.is_control())
    }
}

fn is_private(letter: char) -> bool {
    matches!(letter, '\u{E000}'..='\u{F8FF}')
}

fn greek(code: u32) -> Option<char> {
    let from_a = code
        .checked_sub(0x41)
        .and_then(|at| usize::try_from(at).ok());
    if let Some(letter) = from_a.and_then(|at| GREEK.chars().nth(at)) {
        return Some(letter);
    }
    let symbol = of_table(SYMBOLS, code);
    symbol.or_else(|| char::from_u32(code).filter(|code| matches!(code, ' '..='~')))
}

/// Returns the character after the code in a table.
fn of_table(table: &str, code: u32) -> Option<char> {
    let code = format!("{code:02X}");
    let mut words = table.split(' ');
    words
        .find_map(|word| word.strip_prefix(&code))?
        .chars()
        .next()
}

fn wingding(font: &str, code: u32) -> Option<char> {
    let is_second = font == "wingdings 2";
    of_table(if is_second { WINGDINGS_2 } else { WINGDINGS }, code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_all_known_codes() {
        for (font, pairs) in [
            (
                "Symbol",
                "22∀ 24∃ 27∍ 2A∗ 2D− 40≅ 41Α 57Ω 5E⊥ A3≤ A5∞ AB↔ AC← AD↑ AE→ AF↓ B0° B1± B3≥ B4× B6∂ B7• B8÷ B9≠ BA≡ \
                 BB≈ C7∩ C8∪ CE∈ CF∉ D1∇ D6√ DE⇒ E5∑ F2∫ 311 3D=",
            ),
            (
                "Wingdings",
                "4A☺ 6C● 9F● 6E■ A7■ 6F☐ 71☐ A8☐ 76❖ D8➢ DF← E0→ E1↑ E2↓ FB✗ FC✓ FD☒ FE☑",
            ),
            ("Wingdings 2", "50✓ 52☑ 53☒ 54☒ A3☐"),
            ("Calibri", "41A E4ä"),
        ] {
            for pair in pairs.split_whitespace() {
                let (code, letter) = pair.split_at(2);

                for code in [format!("F0{code}"), format!("00{code}")] {
                    let shown = symbol(font, &code).map(String::from);
                    assert_eq!(shown.as_deref(), Some(letter), "{font} {code}");
                }
            }
            assert_eq!(symbol(font, "F07F"), None, "{font}");
        }
    }

    #[test]
    fn maps_codes_by_font() {
        for (font, code, expected) in [
            ("Symbol", "F061", Some('α')),
            ("Symbol", "F07A", Some('ζ')),
            ("Symbol", "0057", Some('Ω')),
            ("Symbol", "F0B3", Some('≥')),
            ("Wingdings", "F0FC", Some('✓')),
            ("Wingdings 2", "F052", Some('☑')),
            ("Wingdings", "F021", None),
            ("Segoe UI", "2610", Some('☐')),
            ("Any", "E123", None),
            ("Any", "no", None),
        ] {
            assert_eq!(symbol(font, code), expected, "{font} {code}");
        }
    }
}
