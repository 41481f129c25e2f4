// Light or dark: the theme of the system, or the reader's choice.

import { html } from './dom.js';

const THEMES = { system: 'light dark', light: 'light', dark: 'dark' };

export function themeSwitch() {
  const select = html('select', {}, ...Object.keys(THEMES).map((name) => html('option', { value: name }, name)));
  const set = (name) => { document.documentElement.style.colorScheme = THEMES[name]; };
  select.addEventListener('change', () => {
    set(select.value);
    remember(select.value);
  });
  select.value = remembered() in THEMES ? remembered() : 'system';
  set(select.value);
  return html('label', { class: 'theme' }, html('span', {}, 'Theme'), select);
}

// Browsers may store nothing for a page from the disk. The theme of the system then applies.
function remember(theme) {
  try { localStorage.setItem('quilt-theme', theme); } catch { /* not kept */ }
}

function remembered() {
  try { return localStorage.getItem('quilt-theme') ?? 'system'; } catch { return 'system'; }
}
