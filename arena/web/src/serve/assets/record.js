// The page of a record that was dropped on a page: the arena verifies it, and answers with the page of the match or with
// a line that says why not.

import { html } from './dom.js';
import { weaves } from './fabric.js';
import { header, visit } from './site.js';
import { Match } from './match.js';

visit(null);
const home = html('p', { class: 'facts' }, html('a', { href: '/' }, 'To the tournament'));
const body = sessionStorage.getItem('record');
const answer = body === null ? null : await fetch('/record', { method: 'POST', body });
const said = await answer?.text() ?? 'Drop a record on this page to see its match: a JSON file of at most 4 MiB.';
if (answer?.ok) {
  const page = new DOMParser().parseFromString(said, 'text/html');
  const match = new Match(JSON.parse(page.getElementById('view').textContent));
  document.title = page.title;
  document.body.append(weaves(), header(html('div', {}, home, match.heading)), match.main, match.controls);
} else {
  document.body.className = 'sheet';
  document.body.append(header(html('div', { class: 'about' }, html('h1', {}, 'A record'), home)), html('main', {}, html('p', { role: 'alert' }, said)));
}
