// The least that a bot in JavaScript does: it draws its start card in the corner, and then passes.
let starts = {};
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") say({ type: "hello", protocol: 1 });
  if (message.type === "start") {
    starts = Object.fromEntries(message.cards.starts.map((card) => [card.id, card.cells]));
    say({ type: "ready" });
  }
  if (message.type === "turn") {
    let move = { pass: true };
    if (message.state.phase === "start") {
      const card = message.state.offer[0];
      const cells = starts[card].flatMap((text, row) =>
        [...text].flatMap((cell, col) => (cell === "X" ? [[row, col]] : [])));
      move = { card, cells };
    }
    say({ type: "move", id: message.id, move });
  }
  if (message.type === "quit") process.exit(0);
});
