//! Numbers with their nouns.

/// Formats a count: `1 match`, `2 matches`, `0 bots`.
pub fn count(number: u64, noun: &str) -> String {
    let ending = match noun {
        _ if number == 1 => "",
        noun if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{number} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn nouns_agree_with_their_number() {
        assert_eq!(
            [count(1, "match"), count(2, "match"), count(0, "bot")],
            ["1 match", "2 matches", "0 bots"]
        );
    }
}
