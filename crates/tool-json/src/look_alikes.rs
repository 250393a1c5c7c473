//! Names that look like other names: letters of other alphabets, and digits that look like letters.

/// ASCII letters and digits, each followed by letters that look like it: those of Unicode's `confusables.txt` from alphabets
/// with many of them, and the lowercase Cyrillic letters that look like small capitals.
const LOOK_ALIKES: &str = "\
    2ƧϨꙄᒿ 3ƷȜЗӠⳌꝪꞫ 4Ꮞꮞ 5Ƽ 6бᏮⳒⳓꮾ 8Ȣȣ 9ⳊⳋꝮꝯ AΑАᎪᗅꓮ BΒВᏴᗷℬⲂꓐꞴ CϹСᏟℂℭⅭⲤꓚ DᎠᗞᗪⅅⅮꓓ EΕЕᎬℰⴹꓰ FϜᖴℱꓝꞘ GԌᏀᏳꓖ \
    HΗНᎻᕼℋℌℍⲎꓧ JͿЈᎫᒍꓙꞲ KΚКᏦᛕⲔꓗK LᏞᒪℒⅬⳐꓡ MΜϺМᎷᗰᛖℳⅯⲘꓟ NΝℕⲚꓠ OΟОՕⲞⵔꓳ PΡРᏢᑭℙⲢꓑ QԚℚⵕ RƦᎡᏒᖇℛℜℝꓣ SЅՏᏕᏚꓢ \
    TΤТᎢⲦꓔ UՍሀᑌꓴ VѴᏙᐯⅤⴸꓦ WԜᎳᏔꓪ XΧХᚷⅩⲬⵝꓫꞳ YΥϒУҮᎩᎽⲨꓬ ZΖᏃℤℨⲌꓜ aɑαаꭤ bƄЬвᏏᑲᖯ cϲсᴄⅽⲥꮯ dԁᏧᑯⅆⅾꓒ eеҽℯⅇꬲ fſƒքẝꞙꬵ \
    gƍɡցᶃℊ hһնհᏂℎ iıɩɪιіւᎥℹⅈⅰⲓꙇꭵ jȷϳјյⅉ kкκᴋĸ lƖǀΙІӀӏᛁℐℑℓⅠⅼⲒⵏꓲꞁꞮ mмᴍⅿ nոռпη oοσϭоօᴏᴑℴⲟꬽ pþƿρϱϸрⲣ qԛգզ rгᴦⲅꭇꭈꮁ \
    sƽѕꜱꮪ tтτᴛ uʋυսᴜꞟꭎꭒ vνѵᴠⅴꮩ wɯшѡԝաᴡⲽꮃ xхᕁᕽⅹ yɣʏγуүყᶌỿℽⲩꭚ zᴢⲍꮓ";

/// Returns a form that names which look alike share.
pub fn skeleton(name: &str) -> String {
    let letters: String = name.chars().map(prototype).collect();
    letters.replace("rn", "m")
}

/// Returns the ASCII letter that a letter looks like; zero looks like `O`, and one like `l`.
fn prototype(letter: char) -> char {
    let ascii = match letter {
        '\0'..='\x7f' => letter,
        // Characters of full width, and those of mathematics in 13 styles of letters and 5 of digits.
        '\u{ff01}'..='\u{ff5e}' => shifted(letter, '\u{ff01}', 94, '!'),
        '\u{1d400}'..='\u{1d6a3}' => match shifted(letter, '\u{1d400}', 52, 'A') {
            upper @ 'A'..='Z' => upper,
            // Between the cases, ASCII has six signs.
            lower => shifted(lower, '[', 26, 'a'),
        },
        '\u{1d7ce}'..='\u{1d7ff}' => shifted(letter, '\u{1d7ce}', 10, '0'),
        _ => {
            let mut groups = LOOK_ALIKES.split(' ');
            let group = groups.find(|group| group.contains(letter));
            group
                .and_then(|group| group.chars().next())
                .unwrap_or(letter)
        }
    };
    match ascii {
        '0' => 'O',
        '1' | 'I' | '|' => 'l',
        other => other,
    }
}

/// Returns the character as far after `to` as `letter` is after `from`, in rows of `count`.
fn shifted(letter: char, from: char, count: u32, to: char) -> char {
    let place = u32::from(letter).saturating_sub(from.into()) % count;
    char::from_u32(u32::from(to) + place).unwrap_or(letter)
}

/// Returns a letter of another alphabet within a word of Latin letters, which looks like none of them by accident.
pub fn foreign_letter(name: &str) -> Option<char> {
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    words.find_map(|word| {
        let is_latin = word.contains(|letter: char| letter.is_ascii_alphabetic());
        word.chars()
            .find(|letter| is_latin && is_like_latin(*letter))
    })
}

/// Returns `true` for letters of alphabets that share shapes with the Latin one.
fn is_like_latin(letter: char) -> bool {
    // Greek, Cyrillic and Armenian; Cherokee; Coptic; Lisu; and the letters of mathematics and of full width.
    matches!(letter,
        '\u{370}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}' | '\u{1c80}'..='\u{1c8f}' | '\u{2100}'..='\u{218f}'
        | '\u{2c80}'..='\u{2cff}' | '\u{a4d0}'..='\u{a4ff}' | '\u{a640}'..='\u{a69f}' | '\u{ab70}'..='\u{abbf}'
        | '\u{ff10}'..='\u{ff5a}' | '\u{1d400}'..='\u{1d7ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_share_their_skeleton() {
        for (name, imitated) in [
            ("b\u{430}sh", "bash"),
            ("\u{441}\u{43e}\u{440}\u{443}", "copy"),
            ("re\u{430}d_fil\u{435}", "read_file"),
            ("\u{ff42}\u{ff41}\u{ff53}\u{ff48}", "bash"),
            ("\u{1d41b}\u{1d41a}\u{1d42c}\u{1d421}\u{1d7cf}", "bash1"),
            ("\u{1d5a1}\u{1d5ba}sh", "Bash"),
            ("evi1", "evil"),
            ("IO", "l0"),
            ("tirne", "time"),
        ] {
            assert_eq!(skeleton(name), skeleton(imitated), "{name}");
        }
        for (name, other) in [("bash", "Bash"), ("read", "raed"), ("größe", "grose")] {
            assert_ne!(skeleton(name), skeleton(other), "{name}");
        }
    }

    #[test]
    fn finds_foreign_letter_only_within_latin_word() {
        for (name, letter) in [
            ("b\u{430}sh", Some('\u{430}')),
            ("get_b\u{3b1}sh", Some('\u{3b1}')),
            ("get_\u{43c}\u{43e}\u{441}\u{43a}\u{432}\u{430}", None),
            ("größe_日本read", None),
            ("bash", None),
        ] {
            assert_eq!(foreign_letter(name), letter, "{name}");
        }
    }
}
