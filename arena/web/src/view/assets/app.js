// The page of one match, or of two side by side.

import { weaves } from './fabric.js';
import { header, visit } from './site.js';
import { Match } from './match.js';
import { Beside } from './beside.js';
import { Judge, judged, load } from './judge.js';

function open({ site, beside, ...view }) {
  visit(site);
  let [ends, drawn, latest] = [null, [], view];
  let [shown, count] = [null, beside ? 0 : judged(view)[0]];
  // A match that plays, or in which somebody is, stays as it is until all is judged.
  const redraw = (now, isLast) => {
    const isUsed = shown.isPlaying || shown.main.contains(document.activeElement);
    const [known] = judged(now);
    if (known === count || (isUsed && !isLast)) return;
    const focused = document.activeElement;
    draw(now);
    count = known;
    focused.focus();
  };
  const words = (isJudging) => {
    const [known, all] = judged(latest);
    return [known < all ? 'Judge this match' : '', isJudging || (known > 0 && known < all) ? `${known} of ${all} moves judged` : ''];
  };
  const bring = async (_, isNew, isLast) => {
    const seen = isNew ? await load(`/data/view/${site.match}`).catch(() => null) : null;
    if (!seen) return;
    delete seen.site;
    latest = seen;
    redraw(seen, isLast);
  };
  const judge = site?.judge && location.protocol !== 'file:' ? new Judge(`/match/${site.match}/judge`, site.judge, words, bring) : null;
  const draw = (now) => {
    ends?.abort();
    ends = new AbortController();
    shown = beside ? new Beside(beside) : new Match(now, { signal: ends.signal });
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
