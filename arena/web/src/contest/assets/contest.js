// Renews what a page of a contest shows. Forms stay as they are, and without this module the page needs a reload.

const EVERY_MS = 5_000;
const RENEWED = ['news', 'table', 'versions', 'check'];

async function renew() {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!answer.ok || document.hidden) return;
  const now = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const id of RENEWED) {
    const [old, next] = [document, now].map((page) => page.getElementById(id));
    if (old && next && old.innerHTML !== next.innerHTML) old.replaceWith(next);
  }
}

setInterval(() => renew().catch(() => {}), EVERY_MS);
