// The page with two matches of one deal side by side.

import { weaves } from './fabric.js';
import { header, visit } from './site.js';
import { Beside } from './beside.js';
import { load } from './judge.js';

const numbers = location.pathname.split('/').slice(-2);
const views = await Promise.all(numbers.map((number) => load(`/data/view/${number}`)));
visit({ name: views[0].site.name });
const shown = new Beside(views);
document.body.append(weaves(), header(shown.heading), shown.main, shown.controls);
