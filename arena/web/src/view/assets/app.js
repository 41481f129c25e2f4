// The page of one match.

import { weaves } from './fabric.js';
import { header, visit } from './site.js';
import { Match } from './match.js';

function open({ site, ...view }) {
  visit(site);
  const match = new Match(view);
  document.body.append(weaves(), header(match.heading), match.main, match.controls);
  // Neighbors and matches on the same deal open at the turn that is shown here.
  for (const link of document.querySelectorAll('nav.site a[rel], nav.site .same a')) {
    link.addEventListener('click', () => { link.hash = match.isAtEnd ? '' : location.hash; });
  }
}

open(JSON.parse(document.getElementById('view').textContent));
