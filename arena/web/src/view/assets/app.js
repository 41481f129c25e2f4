// The page of one match, or of two side by side.

import { weaves } from './fabric.js';
import { header, visit } from './site.js';
import { Match } from './match.js';
import { Beside } from './beside.js';
import { Judge } from './judge.js';

function open({ site, beside, ...view }) {
  visit(site);
  let [ends, drawn] = [null, []];
  const judge = site?.judge ? new Judge(view, site, (now) => draw(now)) : null;
  const draw = (now) => {
    ends?.abort();
    ends = new AbortController();
    const shown = beside ? new Beside(beside) : new Match(now, { signal: ends.signal });
    drawn.forEach((node) => node.remove());
    drawn = [weaves(), header(shown.heading, ...(judge ? [judge.node] : [])), shown.main, shown.controls];
    document.body.append(...drawn);
    // Neighbors and matches on the same deal open at the turn that is shown here.
    for (const link of document.querySelectorAll('nav.site a[rel], nav.site .same a')) {
      link.addEventListener('click', () => { link.hash = shown.isAtEnd ? '' : location.hash; });
    }
  };
  draw(view);
}

open(JSON.parse(document.getElementById('view').textContent));
