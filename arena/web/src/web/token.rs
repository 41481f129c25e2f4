//! The secret in the link of a page that others on the network can reach.

use std::fmt;

use rand::TryRng;

use referee::error::Error;
use referee::record::hex;

/// Bytes of a token.
const TOKEN_BYTES: usize = 16;

/// A random secret, as hexadecimal digits. What is printed for debugging does not have it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// Where the system has no random bytes.
    pub fn random() -> Result<Token, Error> {
        let mut bytes = [0; TOKEN_BYTES];
        let filled = rand::rngs::SysRng.try_fill_bytes(&mut bytes);
        filled.map_err(|error| Error::host(format!("cannot make a token: {error}")))?;
        Ok(Token(hex(&bytes)))
    }

    /// For the link, and for nothing else.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether somebody says this token. Looks at every byte, so that the time tells nothing.
    pub fn is(&self, said: &str) -> bool {
        let pairs = self.0.bytes().zip(said.bytes());
        self.0.len() == said.len() && pairs.fold(0, |differs, (one, other)| differs | (one ^ other)) == 0
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
