//! The bot and the league file of the guide work as printed, and the README stays short.

use std::fs;
use std::path::Path;

use tournament::standings::Standings;

use crate::documents::markdown::block;
use crate::program::{scratch, succeed, words};

/// Maximum number of lines of the bot.
const BOT_LINES_MAX: usize = 25;
const DEALS: u64 = 20;

/// Creates a scratch folder with the guide's bot.
fn folder_with_bot() -> tempfile::TempDir {
    let (folder, bot) = (scratch(), block("docs/guide/write-a-bot.md", "python").text);
    fs::write(folder.path().join("mybot.py"), bot).expect("the folder is ours");
    folder
}

fn standings(folder: &Path) -> Standings {
    let text = fs::read_to_string(folder.join("standings.json")).expect("the tournament wrote it");
    serde_json::from_str(&text).expect("standings")
}

#[test]
fn the_readme_is_short() {
    let bytes = crate::documents::markdown::read("README.md").len();
    assert!(bytes <= 9_000, "{bytes} bytes: details belong on a page of the guide");
}

#[test]
fn the_bot_is_short_and_needs_the_standard_library_only() {
    let bot = block("docs/guide/write-a-bot.md", "python").text;
    assert!(bot.lines().count() <= BOT_LINES_MAX, "{} lines", bot.lines().count());
    let imports: Vec<&str> = bot.lines().filter(|line| line.contains("import")).collect();
    assert_eq!(imports, ["import json, sys"]);
}

#[test]
fn the_bot_plays_without_a_fault() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let (folder, deals) = (folder_with_bot(), DEALS.to_string());
    let mine = ["tournament", "--bot", "mine=python3 mybot.py", "--quiet", "--rounds", &deals, "--seed", "1"];
    for (out, more) in [("two", &["--bot", "random"][..]), ("alone", &["--seats", "1"])] {
        succeed(folder.path(), &[&mine[..], more, &["--out", out]].concat());
        let rows = standings(&folder.path().join(out)).rows;
        let row = rows.iter().find(|row| row.bot == "mine").expect("it took part");
        assert_eq!((row.matches, row.faults_total()), (DEALS, 0), "{out}");
    }
}

#[test]
fn the_league_file_plays() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = folder_with_bot();
    let league = block("docs/guide/schedules.md", "toml").text;
    fs::write(folder.path().join("league.toml"), &league).expect("the folder is ours");
    succeed(folder.path(), &words("tournament league.toml --rounds 2 --out played --quiet"));
    let standings = standings(&folder.path().join("played"));
    assert_eq!(standings.rows.len(), league.matches("[[bot]]").count());
    assert!(standings.rows.iter().all(|row| row.faults_total() == 0));
    for section in ["[tournament]", "[limits]", "[rules]", "[[bot]]"] {
        assert!(league.contains(section), "the example lacks {section}");
    }
}

#[test]
fn the_recipe_for_patchwork_is_better_than_the_template() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = scratch();
    let here = folder.path();
    for name in ["old", "new"] {
        succeed(here, &["new", "python", name]);
    }
    let guide = crate::documents::markdown::read("docs/guide/write-a-bot.md");
    let (_, recipe) = guide.split_once("```python\ndef value(").expect("a recipe");
    let (recipe, _) = recipe.split_once("```").expect("its end");
    let file = here.join("new/bot.py");
    let bot = fs::read_to_string(&file).expect("a bot");
    let (before, after) = bot.split_once("def value(").expect("a value");
    let (_, after) = after.split_once("def contact(").expect("what follows");
    fs::write(file, format!("{before}def value({recipe}\n\ndef contact({after}")).expect("a file");
    let args = ["compare", "new=python3 new/bot.py", "old=python3 old/bot.py", "--game", "patchwork"];
    let more = ["--seed", "99", "--move-time", "1m", "--max-rounds", "100", "--quiet"];
    let said = succeed(here, &[&args[..], &more].concat());
    assert!(said.starts_with("better: new is better than old"), "{said}");
}
