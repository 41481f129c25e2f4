//! The secret in the link of a page that other machines can reach.

use std::fmt;

use rand::TryRng;

use referee::error::Error;
use referee::record::hex;

/// The length of a token, in bytes.
const TOKEN_BYTES: usize = 16;

/// A random secret in hexadecimal digits. Its `Debug` output hides the secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Creates a random token.
    ///
    /// # Errors
    /// Fails if the system has no random bytes.
    pub fn random() -> Result<Token, Error> {
        let mut bytes = [0; TOKEN_BYTES];
        let filled = rand::rngs::SysRng.try_fill_bytes(&mut bytes);
        filled.map_err(|error| Error::host(format!("cannot make a token: {error}")))?;
        Ok(Token(hex(&bytes)))
    }

    /// Returns the secret, for use in the link only.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if `candidate` is this token. Compares every byte, so that the time reveals nothing.
    pub fn is(&self, candidate: &str) -> bool {
        let pairs = self.0.bytes().zip(candidate.bytes());
        self.0.len() == candidate.len() && pairs.fold(0, |differs, (one, other)| differs | (one ^ other)) == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_itself_and_nothing_else_and_is_not_shown() {
        let [one, other] = [(); 2].map(|()| Token::random().expect("random bytes"));
        assert_eq!(one.as_str().len(), 2 * TOKEN_BYTES);
        assert!(one.is(one.as_str()) && !one.is(other.as_str()));
        assert!(!one.is("") && !one.is(&one.as_str()[1..]) && !one.is(&format!("{}0", one.as_str())));
        assert!(!format!("{one:?}").contains(one.as_str()));
    }
}
