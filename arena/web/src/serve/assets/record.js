// The page of a record that was dropped on a page: the arena verifies it, and answers with the page of the match or with
// a line that says why not.

import { html } from './dom.js';
import { weaves } from './fabric.js';
import { header, visit } from './site.js';
import { Match, title } from './match.js';

visit(null);
const home = html('p', { class: 'facts' }, html('a', { href: '/' }, 'To the tournament'));
const body = sessionStorage.getItem('record');
const answer = body === null ? null : await fetch('/record', { method: 'POST', body });
const said = await answer?.text() ?? 'Drop a record on this page to see its match: a JSON file of at most 4 MiB.';
if (answer?.ok) {
  // A parser of the page would complain about its style. The data have no "<".
  const view = JSON.parse(said.split('id="view">')[1].split('</script>')[0]);
  const match = new Match(view);
  document.title = title(view);
  document.body.append(weaves(), header(html('div', {}, home, match.heading)), match.main, match.controls);
} else {
  document.body.className = 'sheet';
  document.body.append(header(html('div', { class: 'about' }, html('h1', {}, 'A record'), home)), html('main', {}, html('p', { role: 'alert' }, said)));
}
