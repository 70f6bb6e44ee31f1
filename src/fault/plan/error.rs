//! Errors of a plan, with their place, and what was probably meant.

use std::fmt;

/// A plan that cannot be used: where, why, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct PlanError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// The line itself.
    pub source_line: String,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)?;
        if !self.source_line.trim().is_empty() {
            let mark = self.column.saturating_sub(1);
            write!(f, "\n    {}\n    {:mark$}^", self.source_line, "")?;
        }
        Ok(())
    }
}

/// Longest source line that an error shows.
const SHOWN: usize = 120;

/// An error before its place is known as line and column: a byte of the text, and a message.
#[derive(Debug)]
pub(super) struct At {
    pub(super) byte: usize,
    pub(super) message: String,
}

impl At {
    pub(super) fn new(byte: usize, message: impl Into<String>) -> At {
        At {
            byte,
            message: message.into(),
        }
    }

    /// With line and column in the text that it is about.
    pub(super) fn locate(self, text: &str) -> PlanError {
        let mut byte = self.byte.min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        let before = &text[..byte];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text[start..].lines().next().unwrap_or("");
        let column = before[start..].chars().count() + 1;
        // Tabs and control characters would misplace the mark or the cursor.
        let shown: String = line
            .chars()
            .take(SHOWN)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        PlanError {
            line: before.matches('\n').count() + 1,
            column,
            message: self.message,
            source_line: if column <= SHOWN + 1 { shown } else { String::new() },
        }
    }
}

/// `` expected `a`, `b` or `c`; did you mean `b`? ``
pub(super) fn expected<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    let meant = nearest(word, words.iter().copied())
        .map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    let list = match &quoted[..] {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    };
    format!("expected {list}{meant}")
}

/// The word that is nearest to a misspelt one, if any is near.
#[must_use]
pub fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_ascii_lowercase();
    let far = 1 + word.chars().count() / 3;
    words
        .into_iter()
        .map(|candidate| (distance(&lower, &candidate.to_ascii_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= far)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edits between two words, of which exchanging neighbours is one.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(80).collect(), b.chars().take(80).collect());
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        rows[i][0] = i;
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j - 1] + change)
                .min(rows[i - 1][j] + 1)
                .min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_and_far_ones_are_not() {
        let words = ["submit", "present", "acquire"];
        assert_eq!(nearest("sumbit", words), Some("submit"));
        assert_eq!(nearest("PRESNT", words), Some("present"));
        assert_eq!(nearest("kangaroo", words), None);
        assert_eq!(
            expected("sumbit", words),
            "expected `submit`, `present` or `acquire`; did you mean `submit`?"
        );
    }

    #[test]
    fn places_are_lines_and_columns_of_characters() {
        let error = At::new(9, "no").locate("ab\nééx=1\n");
        assert_eq!((error.line, error.column, &*error.source_line), (2, 5, "ééx=1"));
        assert_eq!(error.to_string(), "2:5: no\n    ééx=1\n        ^");
        assert_eq!(At::new(99, "end").locate("").line, 1);
    }
}
