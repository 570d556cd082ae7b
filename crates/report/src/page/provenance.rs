//! Where results come from: a chart's caption, a page's last lines.

use fanout_record::Manifest;

/// The commit and the command, for a chart.
pub(crate) fn caption(manifest: &Manifest) -> String {
    format!("{}; command: {}", commit(manifest), command(manifest))
}

/// All that a reader needs in order to judge or repeat the run, in Markdown.
pub(crate) fn provenance(manifest: &Manifest) -> String {
    let host = &manifest.host;
    let governor =
        host.governor.as_ref().map(|governor| format!(", governor {governor}")).unwrap_or_default();
    let cores = if host.cores.get() == 1 { "1 core".to_owned() } else { format!("{} cores", host.cores) };
    format!(
        "Made by `{}` at {}, started {}.\n{}, {} ({}), on {}, {cores}{governor}, {}.\n",
        command(manifest).replace('`', "'"),
        commit(manifest),
        manifest.started,
        manifest.rustc,
        manifest.target,
        manifest.profile,
        host.cpu.split_whitespace().collect::<Vec<_>>().join(" "),
        host.kernel,
    )
}

/// The commit as people write it, and whether anything differed from it.
fn commit(manifest: &Manifest) -> String {
    let dirty = if manifest.dirty { ", with uncommitted changes" } else { "" };
    match &manifest.commit {
        Some(commit) => format!("commit {}{dirty}", commit.chars().take(7).collect::<String>()),
        None => "an unknown commit".to_owned(),
    }
}

/// The command as a shell takes it.
fn command(manifest: &Manifest) -> String {
    manifest.command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "_@%+=:,./-".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_asks_for_it() {
        assert_eq!(quoted("--limit=20"), "--limit=20");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
