/**
 * Script of a report's page: it hides the rows and charts that are not selected and keeps the selection in the address, folds the filters and the
 * navigation on a narrow screen, and announces the values of a chart one by one for keyboard users. It creates no markup, and foreign text only ever
 * becomes text. Without it the page shows everything.
 */

/** Vertical range of a chart's plot, and the number of services with a style of their own; the build fills them in. */
declare const PLOT_TOP: number;
declare const PLOT_BOTTOM: number;
declare const SERVICE_STYLES: number;

type Control = HTMLInputElement | HTMLSelectElement;

function all<E extends Element = HTMLElement>(selector: string, root: ParentNode = document): E[] {
  return [...root.querySelectorAll<E>(selector)];
}

function show(part: Element | null | undefined, isShown: boolean): void {
  part?.toggleAttribute('hidden', !isShown);
}

const isHidden = (part: Element | null | undefined): boolean => part?.hasAttribute('hidden') === true;

function isChosen(control: Control): boolean {
  return control instanceof HTMLInputElement ? control.checked : control.value !== '';
}

function textOf(control: Control): string {
  return control instanceof HTMLInputElement ? 'only' : (control.selectedOptions[0]?.text ?? '');
}

function isAbout(mark: HTMLElement, words: readonly string[]): boolean {
  const own = (mark.dataset['at'] ?? '').split(' ');
  return words.every((word) => own.includes(word) || own.every((other) => other[0] !== word[0]));
}

/** Content below a heading; for a whole section without explanations. */
function below(heading: Element): Element[] {
  const isSection = heading.matches('h2');
  const parts: Element[] = [];
  for (
    let part = heading.nextElementSibling;
    part !== null && (isSection || !part.matches('h3'));
    part = part.nextElementSibling
  ) {
    parts.push(part);
  }
  return isSection ? parts.filter((part) => !part.matches('.note, .key')) : parts;
}

function keepInAddress(controls: readonly Control[]): void {
  const state = String(
    new URLSearchParams(controls.filter(isChosen).map((control) => [control.name, textOf(control)])),
  );
  try {
    history.replaceState(0, '', state === '' ? location.pathname + location.search : `#${state}`);
  } catch {
    // A viewer that shows the page without an address refuses this, and does not need it.
  }
}

/** Function that shows the rows and charts for the selected words, and returns the number of rows. */
function selection(): (words: readonly string[]) => string {
  const marks = all('[data-at]');
  const rows = marks.filter((mark) => mark.matches('tr'));
  const parents = all('tbody, .scroll, details, .charts').filter((part) => part.querySelector('[data-at]'));
  const series = all('.chart [class*=" s"]');
  return (words) => {
    for (const mark of marks) {
      show(mark, isAbout(mark, words));
    }
    for (const part of parents) {
      show(part, part.querySelector('[data-at]:not([hidden])') !== null);
    }
    // A chart of several services keeps all of them, with unselected ones faint.
    const service = words.find((word) => word[0] === 's');
    const style = service && `s${Number(service.slice(1)) % SERVICE_STYLES}`;
    for (const part of series) {
      part.classList.toggle('dim', style !== undefined && !part.classList.contains(style));
    }
    showHeadings();
    return `${rows.filter((row) => !isHidden(row)).length} of ${rows.length} rows`;
  };
}

/** Shows the headings and navigation links with content below them. */
function showHeadings(): void {
  for (const heading of [...all('main h3'), ...all('main section > h2')]) {
    const parts = below(heading);
    show(heading.matches('h2') ? heading.parentElement : heading, parts.length === 0 || !parts.every(isHidden));
  }
  for (const link of all<HTMLAnchorElement>('nav a')) {
    show(link.parentElement, !isHidden(document.getElementById(link.hash.slice(1))?.closest('details, section')));
  }
  for (const fold of all('nav details')) {
    show(fold.parentElement, fold.querySelector('li:not([hidden])') !== null);
  }
}

function filterRows(form: HTMLFormElement): void {
  const fold = form.parentElement;
  const controls = all<Control>('select, input', form);
  const select = selection();
  const apply = (): void => {
    const words = controls.filter(isChosen).map(({ value }) => value);
    const text = select(words);
    const output = form.querySelector('output');
    const summary = fold?.querySelector('summary');
    if (output && summary) {
      output.textContent = text;
      summary.textContent = words.length === 0 ? 'Filter' : `Filter: ${text}`;
    }
  };
  const choose = (textFor: (name: string) => string): void => {
    for (const control of controls) {
      const text = textFor(control.name);
      if (control instanceof HTMLInputElement) {
        control.checked = text !== '';
      } else {
        control.selectedIndex = Math.max(
          0,
          [...control.options].findIndex((option) => option.text === text),
        );
      }
    }
    apply();
  };
  const restore = (): void => {
    if (location.hash.includes('=')) {
      const state = new URLSearchParams(location.hash.slice(1));
      choose((name) => state.get(name) ?? '');
    }
  };

  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('change', () => {
    apply();
    keepInAddress(controls);
  });
  form.querySelector('button')?.addEventListener('click', () => {
    choose(() => '');
    keepInAddress(controls);
  });
  addEventListener('hashchange', restore);
  apply();
  restore();
  show(fold, true);
}

/** Value of a chart, with the element that shows it, or its position in a chart over time. */
interface Value {
  readonly text: string;
  readonly mark?: Element | null;
  readonly x?: number;
}

/** Values of a chart over time: a row of the table below it has those of all lines at a second. */
function valuesOverTime(svg: SVGSVGElement): Value[] {
  const table = all<HTMLTableElement>('table', svg.closest('.charts')?.nextElementSibling ?? document).at(-1);
  const [groups, heads] = table?.tHead?.rows ?? [];
  const labels = [...(groups?.cells ?? [])].flatMap((cell) =>
    Array.from({ length: cell.colSpan }, () => cell.textContent),
  );
  const places = [...(heads?.cells ?? [])].flatMap((head, place) =>
    head.textContent === svg.dataset['column'] ? [place] : [],
  );
  const [zero = 0, step = 0] = (svg.dataset['seconds'] ?? '').split(' ').map(Number);
  return [...(table?.tBodies[0]?.rows ?? [])].map(({ cells }) => {
    const second = cells[0]?.textContent ?? '';
    return {
      text: `${second}: ${places.map((place) => `${labels[place]} ${cells[place]?.textContent}`).join(', ')}`,
      x: zero + step * Number(/(-?[0-9]+) s$/.exec(second)?.[1]),
    };
  });
}

function valuesOf(svg: SVGSVGElement): Value[] {
  return all<SVGTitleElement>('title', svg)
    .filter((title) => title.parentElement !== (svg as Element))
    .map((title) => ({ text: title.textContent ?? '', mark: title.parentElement }));
}

const PLACES: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowRight: (at, last) => Math.min(last, at + 1),
  ArrowLeft: (at) => Math.max(0, at - 1),
  Home: () => 0,
  End: (_at, last) => last,
};

/** Lets keyboard users step through the values of a chart. */
function stepThrough(svg: SVGSVGElement): void {
  const values = svg.dataset['column'] ? valuesOverTime(svg) : valuesOf(svg);
  if (values.length === 0) {
    return;
  }
  const output = document.createElement('p');
  output.className = 'value';
  output.setAttribute('aria-live', 'polite');
  svg.closest('figure')?.append(output);
  const line = svg.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'path'));
  line.setAttribute('class', 'cursor');
  let at = -1;
  const leave = (): void => {
    values[at]?.mark?.classList.remove('at');
    line.removeAttribute('d');
  };
  svg.setAttribute('tabindex', '0');
  svg.addEventListener('focus', () => {
    output.textContent = values[at]?.text ?? `Use the arrow keys to step through ${values.length} values.`;
  });
  svg.addEventListener('blur', () => {
    leave();
    output.textContent = '';
  });
  svg.addEventListener('keydown', (event) => {
    const place = Object.hasOwn(PLACES, event.key) ? PLACES[event.key] : undefined;
    if (place === undefined) {
      return;
    }
    event.preventDefault();
    leave();
    at = place(at, values.length - 1);
    const value = values[at];
    value?.mark?.classList.add('at');
    if (value?.x !== undefined) {
      line.setAttribute('d', `M${value.x} ${PLOT_TOP}V${PLOT_BOTTOM}`);
    }
    output.textContent = value?.text ?? '';
  });
}

// Folds the parts above the first table to leave it room on a phone.
const narrow = matchMedia('(max-width: 40rem)');
const foldOnPhones = (): void => {
  for (const fold of all('.filters')) {
    fold.toggleAttribute('open', !narrow.matches);
  }
};
narrow.addEventListener('change', foldOnPhones);
foldOnPhones();
for (const form of all<HTMLFormElement>('.filters form')) {
  filterRows(form);
}
for (const svg of all<SVGSVGElement>('.chart svg[role]')) {
  stepThrough(svg);
}
