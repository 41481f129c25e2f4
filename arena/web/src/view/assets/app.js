// The page of one match, or of two side by side.

import { weaves } from './fabric.js';
import { header, visit } from './site.js';
import { Match } from './match.js';
import { Beside } from './beside.js';

function open({ site, beside, ...view }) {
  visit(site);
  const shown = beside ? new Beside(beside) : new Match(view);
  document.body.append(weaves(), header(shown.heading), shown.main, shown.controls);
  // Neighbors and matches on the same deal open at the turn that is shown here.
  for (const link of document.querySelectorAll('nav.site a[rel], nav.site .same a')) {
    link.addEventListener('click', () => { link.hash = shown.isAtEnd ? '' : location.hash; });
  }
}

open(JSON.parse(document.getElementById('view').textContent));
