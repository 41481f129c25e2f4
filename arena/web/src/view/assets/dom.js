// Elements of the page. Strings always become text nodes, so no name and no note can become markup.

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';

export function html(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG_NAMESPACE, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Replaces the children of an element. Ignores `null` and `undefined`.
export function refill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// A count with its noun, such as "2 turns".
export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

// Changes a text only if it differs, so that screen readers announce it once.
export function say(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

// The number of a seat in its colour.
export function dot(seat) {
  return svg('svg', { class: `dot seat-${seat % 10}`, viewBox: '0 0 20 20', 'aria-hidden': 'true' },
    svg('circle', { cx: 10, cy: 10, r: 10 }), svg('text', { x: 10, y: 10 }, String(seat + 1)));
}

// A number, or a text with numbers, with true minus signs.
export function signed(text) {
  return String(text).replace(/(?<![\w.-])-(?=\d)/g, '\u2212');
}

// A time in microseconds, as text with a suitable unit.
export function duration(us) {
  if (us < 1000) return `${us} \u00b5s`;
  if (us < 1e6) return `${digits(us / 1000)} ms`;
  return `${digits(us / 1e6)} s`;
}

function digits(value) {
  return String(Number(value.toPrecision(value < 100 ? 2 : 3)));
}
