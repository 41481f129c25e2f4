//! The program answers the queries in the documents as shown. In blocks such as `json doodle explain`, each
//! query is followed by its answer.

use arena::oracle::{Answers, Oracle, Task};
use engine::rule::Rule;
use referee::games::{GameName, RulesOptions};

use crate::documents::markdown::{Block, DOCUMENTS, blocks, read};

/// Returns the game and the task of a block of queries.
pub(crate) fn task(block: &Block) -> Option<(GameName, Task)> {
    let (game, task) = block.info.strip_prefix("json ")?.split_once(' ')?;
    let task = match task {
        "moves" => Task::Moves,
        "numbers" => Task::Numbers,
        "apply" => Task::Apply,
        "explain" => Task::Explain,
        _ => return None,
    };
    Some((GameName::named(game).ok()?, task))
}

/// Returns the block with the current answers of the oracle.
pub(crate) fn refreshed(block: &Block) -> String {
    let (game, task) = task(block).expect("a block of queries");
    let mut oracle = Oracle::new(task, game, &RulesOptions::default()).expect("standard components");
    let queries = block.text.lines().step_by(2);
    let answered = queries.map(|query| {
        let mut answer = Vec::new();
        oracle.hear(query.as_bytes(), &mut Answers::new(&mut answer)).expect("memory does not break");
        format!("{query}\n{}", String::from_utf8(answer).expect("answers are UTF-8"))
    });
    answered.collect()
}

#[test]
fn queries_are_answered_as_shown() {
    let all = DOCUMENTS.iter().flat_map(|document| blocks(document));
    let queries: Vec<Block> = all.filter(|block| task(block).is_some()).collect();
    assert!(queries.len() >= 5, "only {} blocks of queries are shown", queries.len());
    for block in queries {
        assert_eq!(block.text, refreshed(&block), "{}", block.place);
    }
}

#[test]
fn the_protocol_names_every_rule() {
    let text = read("docs/reference/oracle.md");
    for rule in Rule::ALL {
        assert!(text.contains(&format!("\n| `{rule}` |")), "no row for the rule {rule}");
    }
}
