//! The documents as text: fenced blocks and inline code.

use std::path::{Path, PathBuf};

/// Makes a list of texts that stand between blanks.
macro_rules! list {
    ($($text:literal)*) => { &[$($text),*] };
}

/// Every document of the project, relative to its top folder.
pub(crate) const DOCUMENTS: &[&str] = list! {
    "README.md" "protocol.md" "ARCHITECTURE.md" "CONTRIBUTING.md" "CHANGELOG.md" "SECURITY.md"
    "docs/benchmarks.md" "docs/bots.md" "docs/guide/SUMMARY.md" "docs/guide/add-a-game.md"
    "docs/guide/check.md" "docs/guide/coach.md" "docs/guide/compare.md" "docs/guide/contest.md" "docs/guide/contest-by-hand.md"
    "docs/guide/debug.md" "docs/guide/handicaps.md" "docs/guide/host.md" "docs/guide/positions.md" "docs/guide/suites.md"
    "docs/guide/machines.md" "docs/guide/python.md" "docs/guide/results.md" "docs/guide/schedules.md"
    "docs/guide/security.md" "docs/guide/tournaments.md" "docs/guide/watch.md" "docs/guide/write-a-bot.md"
    "docs/guide/your-own-game.md" "docs/cluster.md" "docs/compare.md" "docs/containment.md"
    "docs/decisions/0001-deal-not-seed.md" "docs/decisions/0002-one-engine.md"
    "docs/decisions/0003-engine-without-io.md" "docs/decisions/0004-types-are-the-protocol.md"
    "docs/decisions/0005-asked-at-once.md" "docs/decisions/0006-three-types-of-failure.md"
    "docs/decisions/0007-supervisor-and-fork-server.md" "docs/decisions/0008-start-of-a-process.md"
    "docs/decisions/0009-layers-are-tried.md" "docs/decisions/0010-freeze-outside-turns.md"
    "docs/decisions/0011-cores-and-sessions.md" "docs/decisions/0012-fresh-process-for-each-match.md"
    "docs/decisions/0013-journal-is-the-state.md" "docs/decisions/0014-cluster-belongs-to-others.md"
    "docs/decisions/0015-deal-is-the-unit.md" "docs/decisions/0016-pages-know-no-rules.md"
    "docs/decisions/0017-pages-read-files.md" "docs/decisions/0018-person-speaks-the-protocol.md"
    "docs/decisions/0019-left-out.md" "docs/decisions/0020-tests-in-one-place.md"
    "docs/decisions/0021-own-results-have-a-tag.md" "docs/decisions/0022-a-bot-is-its-name.md"
    "docs/decisions/0023-second-answer-on-request.md" "docs/decisions/0024-positions-are-deals-and-moves.md"
    "docs/decisions/0025-coach-is-no-bot.md" "docs/decisions/0026-python-has-its-own-workspace.md"
    "docs/decisions/0027-a-game-may-be-a-program.md" "docs/decisions/0028-a-seed-may-be-committed.md"
    "docs/decisions/0029-reading-is-kept.md"
    "docs/decisions/0030-kernel-tells.md"
    "docs/decisions/0031-held.md"
    "docs/decisions/0032-a-game-says.md" "docs/decisions/0033-lots.md"
    "docs/decisions/0034-draw.md" "docs/decisions/0035-host.md"
    "docs/decisions/README.md" "docs/invariants.md" "docs/notes/README.md" "docs/notes/builds.md"
    "docs/notes/engine.md" "docs/notes/matches.md" "docs/notes/start.md" "docs/notes/turn.md"
    "docs/reference/README.md" "docs/reference/commands.md" "docs/reference/dialogue-doodle.md"
    "docs/reference/dialogue-patchwork.md" "docs/reference/game-protocol.md" "docs/reference/oracle.md"
    "docs/reference/protocol-details.md" "docs/reference/recipes.md" "docs/reference/schedules.md"
    "docs/reference/seeds.md" "docs/reference/standings.md" "docs/rules-doodle.md" "docs/rules-patchwork.md"
    "docs/statistics.md" "docs/schema/README.md" "results/README.md" "results/ladder-doodle.md"
    "results/ladder-patchwork.md" "bots/README.md" "tests/suites/README.md" "tests/vectors/README.md"
};

/// A fenced block.
#[derive(Debug)]
pub(crate) struct Block {
    /// File and line of the block, for messages.
    pub(crate) place: String,
    /// The words after the opening fence.
    pub(crate) info: String,
    /// Its lines, each with its newline.
    pub(crate) text: String,
}

/// Returns the project's top folder.
pub(crate) fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace").to_owned()
}

pub(crate) fn path(document: &str) -> PathBuf {
    top().join(document)
}

pub(crate) fn read(document: &str) -> String {
    std::fs::read_to_string(path(document)).unwrap_or_else(|error| panic!("{document}: {error}"))
}

/// Returns the fenced blocks of a document, in order.
pub(crate) fn blocks(document: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in (1..).zip(read(document).lines()) {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                let place = format!("{document} line {number}");
                open = Some(Block { place, info: info.trim().to_owned(), text: String::new() });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(block), None) => block.text.push_str(&(line.to_owned() + "\n")),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{document}: a fenced block is not closed");
    found
}

/// Returns the first block of a document with this info string.
pub(crate) fn block(document: &str, info: &str) -> Block {
    let found = blocks(document).into_iter().find(|block| block.info == info);
    found.unwrap_or_else(|| panic!("{document} has no block {info:?}"))
}

/// Returns the text outside of fenced blocks.
pub(crate) fn prose(document: &str) -> String {
    let mut fenced = false;
    let text = read(document);
    let outside = text.lines().filter(|line| {
        let fence = line.starts_with("```");
        fenced ^= fence;
        !fence && !fenced
    });
    outside.collect::<Vec<_>>().join("\n")
}

/// Returns the pieces of inline code.
pub(crate) fn code_spans(document: &str) -> Vec<String> {
    prose(document).split('`').skip(1).step_by(2).map(str::to_owned).collect()
}
