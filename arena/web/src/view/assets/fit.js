// The size of the cards of a match: as large as the window allows.

// The height of a card less its width, and the least width of a card, in the size of the page's letters.
const ROOMY = { rest: 9, least: 11 };
const COMPACT = { rest: 6.2, least: 8 };
const BETWEEN = 0.8;
// With more seats, or less room than this, cards are compact.
const WIDE_MAX = 2;
const ROOM = 26;
const TRIES = 4;

// Keeps the cards as large as the room for them allows. They are hidden until their first size is known, so that nothing
// jumps.
export function fitted(seats) {
  seats.classList.add('unfitted');
  new ResizeObserver(() => fit(seats)).observe(seats);
}

// Gives the cards the largest size at which all of them fit into the room for them. Narrow windows scroll instead.
function fit(seats) {
  const letter = parseFloat(getComputedStyle(document.documentElement).fontSize);
  // Browsers round the width up.
  const [width, height] = [(seats.clientWidth - 1) / letter, seats.clientHeight / letter - BETWEEN];
  const count = seats.childElementCount;
  const isCompact = count > WIDE_MAX || height < ROOM;
  const { rest, least } = isCompact ? COMPACT : ROOMY;
  const rows = (columns) => Math.ceil(count / columns);
  const size = (columns) => Math.min((width + BETWEEN) / columns, (height + BETWEEN) / rows(columns) - rest) - BETWEEN;
  const columns = Array.from({ length: count }, (_, less) => less + 1).reduce((best, one) => (size(one) > size(best) + 0.1 ? one : best));
  seats.classList.toggle('compact', isCompact);
  seats.classList.remove('unfitted');
  // Text that takes another line in a narrow card makes the card smaller, which may take a line more. What does not fit at
  // the least width scrolls, and then keeps its size.
  let [wanted, excess] = [Math.max(size(columns), least), 0];
  for (let tries = 0; tries === 0 || (tries < TRIES && excess > 0 && wanted - excess / rows(columns) >= least); tries += 1) {
    wanted = Math.floor(20 * (wanted - excess / rows(columns))) / 20;
    seats.style.setProperty('--card', `${wanted}rem`);
    seats.style.setProperty('--columns', Math.max(Math.min(columns, Math.floor((width + BETWEEN) / (wanted + BETWEEN))), 1));
    excess = Math.max(seats.scrollHeight - seats.clientHeight - 1, 0) / letter;
  }
  // What scrolls must be reachable by keyboard.
  if (excess > 0) seats.tabIndex = 0;
  else seats.removeAttribute('tabindex');
}
