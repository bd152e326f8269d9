//! Names that somebody may have meant.
//!
//! Whoever has to say that a name is unknown asks it for the names that come near. A guess is shown
//! and never acted on.

/// How many names are shown.
const MOST: usize = 3;

/// The names that come near the wanted one, the nearest first: first those that differ in case
/// only, then those that begin with it or that it begins with, then those with few typing errors.
/// Two that are equally near stand in the order of the alphabet.
pub fn near<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let wanted = folded(wanted);
    let mut ranked: Vec<_> = names
        .into_iter()
        .map(str::trim)
        .filter_map(|name| Some((distance(&wanted, &folded(name))?, name)))
        .collect();
    ranked.sort_unstable();
    ranked.dedup();
    ranked.into_iter().map(|(_, name)| name).take(MOST).collect()
}

/// A sentence that shows them, quoted; none where no name comes near.
pub fn did_you_mean<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let quoted: Vec<_> = near(wanted, names).into_iter().map(|name| format!("{name:?}")).collect();
    let (last, before) = quoted.split_last()?;
    let all =
        if before.is_empty() { last.clone() } else { format!("{} or {last}", before.join(", ")) };
    Some(format!("Did you mean {all}?"))
}

fn folded(name: &str) -> Vec<char> {
    name.trim().to_lowercase().chars().collect()
}

/// How far apart two names are; `None` where they have nothing to do with each other.
fn distance(wanted: &[char], name: &[char]) -> Option<(u8, usize)> {
    let (short, long) = if wanted.len() <= name.len() { (wanted, name) } else { (name, wanted) };
    if short.is_empty() {
        return None;
    }
    let longer = long.len() - short.len();
    if wanted == name {
        return Some((0, 0));
    }
    // One or two letters begin too many names.
    if short.len() >= 3 && long.starts_with(short) {
        return Some((1, longer));
    }
    // A third of the letters may be wrong, and never more than three.
    let most = (long.len() / 3).clamp(1, 3);
    (longer <= most)
        .then(|| errors(short, long))
        .filter(|errors| *errors <= most)
        .map(|errors| (2, errors))
}

/// How many letters are wrong, missing, too many, or changed places with the one beside.
fn errors(one: &[char], other: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=other.len()).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut line = vec![row + 1];
        for (column, there) in other.iter().enumerate() {
            let replaced = above[column] + usize::from(letter != there);
            let mut least = replaced.min(above[column + 1] + 1).min(line[column] + 1);
            let swapped =
                row > 0 && column > 0 && *letter == other[column - 1] && one[row - 1] == *there;
            if swapped {
                least = least.min(before[column - 1] + 1);
            }
            line.push(least);
        }
        before = std::mem::replace(&mut above, line);
    }
    above.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_comes_first_and_three_are_enough() {
        let names = ["bob", "alicia", "alice.w", "ALICE", "alcie", "alive", "carol", ""];
        assert_eq!(near("alice", names), ["ALICE", "alice.w", "alcie"]);
        assert_eq!(near("carla", ["carlo", "clara", "sarla"]), ["carlo", "sarla"]);
    }

    #[test]
    fn a_prefix_is_near_in_both_directions_unless_it_is_short() {
        assert_eq!(near("alice", ["alice@example.org"]), ["alice@example.org"]);
        assert_eq!(near("alice@example.org", ["alice"]), ["alice"]);
        assert_eq!(near("al", ["alexander"]), Vec::<&str>::new());
    }

    #[test]
    fn what_has_nothing_to_do_with_it_is_not_shown() {
        assert_eq!(near("alice", ["bob", "carol", "dave"]), Vec::<&str>::new());
        assert_eq!(near("bob", ["rob", "bo", "bbo", "tim"]), ["bbo", "bo", "rob"]);
        assert_eq!(near("x", []), Vec::<&str>::new());
        assert_eq!(near("", ["a"]), Vec::<&str>::new());
    }

    #[test]
    fn letters_beyond_ascii_and_blanks_around_count_as_people_count_them() {
        assert_eq!(near("Jörg", [" jörg ", "jurg"]), ["jörg", "jurg"]);
        assert_eq!(near("ÅSA", ["åsa"]), ["åsa"]);
    }

    #[test]
    fn the_sentence_quotes_each_name() {
        assert_eq!(did_you_mean("bob", ["rob"]).as_deref(), Some(r#"Did you mean "rob"?"#));
        let said = did_you_mean("bob", ["rob", "bo", "bbo"]);
        assert_eq!(said.as_deref(), Some(r#"Did you mean "bbo", "bo" or "rob"?"#));
        assert_eq!(did_you_mean("bob", ["alice"]), None);
    }
}
