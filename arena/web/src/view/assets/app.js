// The page of one match.

import { weaves } from './fabric.js';
import { header, visit } from './site.js';
import { Match } from './match.js';

function open({ site, ...view }) {
  visit(site);
  const match = new Match(view);
  document.body.append(weaves(), header(match.heading), match.main, match.controls);
}

open(JSON.parse(document.getElementById('view').textContent));
