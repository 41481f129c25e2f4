// Requests of a person's page to the arena.

// Sends a request to the arena: POST with a body, GET without. Returns null if the match has not begun.
export async function ask(path, body) {
  const telling = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(path, body === undefined ? {} : telling).catch(() => null);
  if (!answer) throw new Error('The arena does not answer.');
  if (answer.status === 503) return null;
  if (!answer.ok) throw new Error('The arena did not understand this page: load it again.');
  return answer.json();
}
