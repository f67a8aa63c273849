import { CHART_PLOT, SERVICE_STYLES } from '../charts/frame.ts';

/** The page's policy lets nothing else run. A test says what it must be after a change of the script. */
export const PAGE_SCRIPT_HASH = 'sha256-39XMYvXp+N4IlBc2pwUX/EkFVrrYUNnbm5huBMU7KWQ=';

/**
 * What a page does: it hides the rows and charts that nobody chose, and leaves the choice in its address; it folds what stands above them on
 * a narrow screen; and it tells the values of a chart one by one, to those who move through them with the keyboard. It makes no markup, and
 * text of others only ever becomes text. Without it everything is shown. Indents and remarks are left out, since every page has it.
 */
export const PAGE_SCRIPT = `'use strict';
(() => {
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const show = (part, isShown) => part.toggleAttribute('hidden', !isShown);
const isHidden = (part) => part.hasAttribute('hidden');

function filterRows(form) {
  const fold = form.parentElement;
  const controls = all('select, input', form);
  const marks = all('[data-at]');
  const rows = marks.filter((mark) => mark.matches('tr'));
  const holders = all('tbody, .scroll, details, .intervals, .plots, .charts').filter((part) => part.querySelector('[data-at]'));
  const series = all('.chart [class*=" s"]');
  const plots = all('svg[data-row]').map((svg) => ({ svg, box: svg.getAttribute('viewBox').split(' ').map(Number) }));

  const isChosen = ({ type, checked, value }) => (type === 'checkbox' ? checked : value !== '');
  const isAbout = (mark, words) => {
    const own = mark.dataset.at.split(' ');
    return words.every((word) => own.includes(word) || own.every((other) => other[0] !== word[0]));
  };
  // Of a whole section without what only explains the rest.
  const below = (heading, isSection = heading.matches('h2')) => {
    const parts = [];
    for (let part = heading.nextElementSibling; part && (isSection || !part.matches('h3')); part = part.nextElementSibling) {
      parts.push(part);
    }
    return isSection ? parts.filter((part) => !part.matches('.note, .key')) : parts;
  };
  // Rows move up into the place of those that are hidden.
  const close = ({ svg, box: [x, y, width, height] }) => {
    const line = svg.querySelector('.part');
    let [gone, shown, before] = [0, 0, 0];
    for (const part of all('[data-at], .part', svg)) {
      if (part === line) {
        before = shown;
      } else if (isHidden(part)) {
        gone += Number(svg.dataset.row);
      } else {
        shown += 1;
      }
      part.setAttribute('transform', 'translate(0 ' + -gone + ')');
    }
    if (line) {
      show(line, before > 0 && shown > before);
    }
    svg.querySelector('.scale').setAttribute('transform', 'translate(0 ' + -gone + ')');
    svg.setAttribute('viewBox', [x, y, width, height - gone].join(' '));
  };
  const apply = () => {
    const words = controls.filter(isChosen).map(({ value }) => value);
    marks.forEach((mark) => show(mark, isAbout(mark, words)));
    holders.forEach((part) => show(part, part.querySelector('[data-at]:not([hidden])')));
    plots.forEach(close);
    // A chart of several services keeps all of them: those that nobody chose are faint.
    const service = words.find((word) => word[0] === 's');
    series.forEach((part) => part.classList.toggle('dim', Boolean(service) && !part.classList.contains('s' + (service.slice(1) % ${SERVICE_STYLES}))));
    for (const heading of [...all('main h3'), ...all('main section > h2')]) {
      const parts = below(heading);
      show(heading.matches('h2') ? heading.parentElement : heading, parts.length === 0 || !parts.every(isHidden));
    }
    for (const link of all('nav a')) {
      show(link.parentElement, !isHidden(document.getElementById(link.hash.slice(1)).parentElement));
    }
    all('nav details').forEach((fold) => show(fold.parentElement, fold.querySelector('li:not([hidden])')));
    const text = rows.filter((row) => !isHidden(row)).length + ' of ' + rows.length + ' rows';
    form.querySelector('output').textContent = text;
    fold.querySelector('summary').textContent = words.length === 0 ? 'Filter' : 'Filter: ' + text;
  };

  const textOf = ({ type, selectedOptions }) => (type === 'checkbox' ? 'only' : selectedOptions[0].text);
  const keep = () => {
    const state = String(new URLSearchParams(controls.filter(isChosen).map((control) => [control.name, textOf(control)])));
    try {
      history.replaceState(0, '', state === '' ? location.pathname + location.search : '#' + state);
    } catch {
      // A viewer that shows the page at no address of its own refuses it, and needs none.
    }
  };
  const choose = (textFor) => {
    for (const control of controls) {
      const text = textFor(control.name);
      if (control.type === 'checkbox') {
        control.checked = text !== '';
      } else {
        control.selectedIndex = Math.max(0, [...control.options].findIndex((option) => option.text === text));
      }
    }
    apply();
  };
  const restore = () => {
    if (location.hash.includes('=')) {
      const state = new URLSearchParams(location.hash.slice(1));
      choose((name) => state.get(name) ?? '');
    }
  };

  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('change', () => {
    apply();
    keep();
  });
  form.querySelector('button').addEventListener('click', () => {
    choose(() => '');
    keep();
  });
  addEventListener('hashchange', restore);
  apply();
  restore();
  show(fold, true);
}

function tellValues(svg) {
  // Over time, a row of the table below has what all lines show at a second.
  const secondsOf = () => {
    const table = all('table', svg.closest('.charts').nextElementSibling).at(-1);
    const [groups, heads] = table.tHead.rows;
    const labels = [...groups.cells].flatMap((cell) => Array(cell.colSpan).fill(cell.textContent));
    const places = [...heads.cells].flatMap((head, place) => (head.textContent === svg.dataset.column ? [place] : []));
    const [zero, step] = svg.dataset.seconds.split(' ').map(Number);
    return [...table.tBodies[0].rows].map(({ cells }) => ({
      text: cells[0].textContent + ': ' + places.map((place) => labels[place] + ' ' + cells[place].textContent).join(', '),
      x: zero + step * Number(/(-?[0-9]+) s$/.exec(cells[0].textContent)[1]),
    }));
  };
  const marked = all('title', svg).filter((title) => title.parentElement !== svg);
  const values = svg.dataset.column ? secondsOf() : marked.map((title) => ({ text: title.textContent, mark: title.parentElement }));
  if (values.length === 0) {
    return;
  }
  const output = document.createElement('p');
  output.className = 'value';
  output.setAttribute('aria-live', 'polite');
  svg.closest('figure').append(output);
  const line = svg.appendChild(document.createElementNS(svg.namespaceURI, 'path'));
  line.setAttribute('class', 'cursor');
  let at = -1;
  const leave = () => {
    values[at]?.mark?.classList.remove('at');
    line.removeAttribute('d');
  };
  svg.setAttribute('tabindex', '0');
  svg.addEventListener('focus', () => {
    output.textContent = values[at]?.text ?? 'Use the arrow keys to step through ' + values.length + ' values.';
  });
  svg.addEventListener('blur', () => {
    leave();
    output.textContent = '';
  });
  svg.addEventListener('keydown', (event) => {
    const places = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: values.length - 1 };
    if (!Object.hasOwn(places, event.key)) {
      return;
    }
    event.preventDefault();
    leave();
    at = Math.min(values.length - 1, Math.max(0, places[event.key]));
    const { text, mark, x } = values[at];
    mark?.classList.add('at');
    if (!mark) {
      line.setAttribute('d', 'M' + x + ' ${CHART_PLOT.top}V${CHART_PLOT.bottom}');
    }
    output.textContent = text;
  });
}

// What stands above the first table leaves it room on a phone.
const narrow = matchMedia('(max-width: 40rem)');
const fit = () => all('nav > details, .filters').forEach((fold) => fold.toggleAttribute('open', !narrow.matches));
narrow.addEventListener('change', fit);
fit();
all('.filters form').forEach(filterRows);
all('.chart svg[role]').forEach(tellValues);
})();
`.replaceAll(/^ *(\/\/.*\n)?/gm, '');
