//! Decoders.

/// Decodes one level of base64, base32 is unknown, or hexadecimal text.
pub(super) fn decoded(name: &str, text: &str) -> Option<String> {
    let letters: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let bytes = match name {
        "base64" | "basenc" => from_base64(&letters)?,
        "xxd" => from_hexadecimal(&letters)?,
        _ => return None,
    };
    String::from_utf8(bytes).ok().filter(|text| {
        !text.contains(|letter: char| letter.is_control() && !matches!(letter, '\n' | '\t'))
    })
}

fn from_base64(letters: &[u8]) -> Option<Vec<u8>> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut buffer, mut bits, mut bytes) = (0_u32, 0, Vec::new());
    for letter in letters.iter().filter(|letter| **letter != b'=') {
        let digit = ALPHABET.iter().position(|known| known == letter)?;
        buffer = (buffer << 6) | u32::try_from(digit).ok()?;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((buffer >> bits) & 0xff).ok()?);
        }
        buffer &= 0xffff;
    }
    Some(bytes)
}

fn from_hexadecimal(letters: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u32> = letters
        .iter()
        .map(|letter| char::from(*letter).to_digit(16))
        .collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    pairs
        .map(|pair| u8::try_from(pair.iter().fold(0, |number, digit| number * 16 + digit)).ok())
        .collect()
}
