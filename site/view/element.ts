import { commitUrl } from '../model/links.ts';
import { shortSha } from '../model/words.ts';

type Child = Node | string | undefined;

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** HTML element. Texts become text, never markup; an attribute that is undefined or false is left out. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  children: readonly Child[] = [],
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

export function drawing<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  children: readonly Node[] = [],
): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

/** Sets attributes; one that is undefined or false is left out. */
export function setAttributes(made: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) {
      made.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

/** Name that can wrap after its parts, and not only at spaces and hyphens. */
export function breakable(name: string): DocumentFragment {
  const made = document.createDocumentFragment();
  made.append(...name.split(PART_END).flatMap((part, index) => (index === 0 ? [part] : [element('wbr'), part])));
  return made;
}

/** "Web." and "Token" of "Web.TokenCache", but not the parts of a number. */
const PART_END = /(?<=[/_:.])(?=[A-Za-z_])|(?<=[a-z\d])(?=[A-Z][a-z])/;

export function button(text: Child, press: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, [text]);
  made.addEventListener('click', press);
  return made;
}

/** Link to another site, without a referrer; only the text if there is no address. */
export function outsideLink(text: string, href: string | undefined): HTMLElement {
  return href === undefined ? element('span', {}, [text]) : element('a', { href, rel: 'noreferrer' }, [text]);
}

/** Commit of a run, as a link if the repository has a page; undefined without one. */
export function commitLink(sha: string | undefined, repository: string | undefined): HTMLElement | undefined {
  return sha === undefined ? undefined : element('code', {}, [outsideLink(shortSha(sha), commitUrl(sha, repository))]);
}

/** Table row whose first cell is its header. */
export function tableRow(head: Child, cells: readonly (HTMLTableCellElement | string)[]): HTMLTableRowElement {
  return element('tr', {}, [
    element('th', { scope: 'row' }, [head]),
    ...cells.map((cell) => (typeof cell === 'string' ? element('td', {}, [cell]) : cell)),
  ]);
}

/** Table that scrolls sideways, also with the keyboard. */
export function scrollTable(
  caption: string,
  columns: readonly string[],
  rows: readonly HTMLTableRowElement[],
  style?: 'quiet',
): HTMLElement {
  const heads = columns.map((text) =>
    text === ''
      ? element('td')
      : element('th', { scope: 'col', class: text.startsWith('·') ? 'text' : undefined }, [text.replace(/^·/, '')]),
  );
  return element('div', { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': caption }, [
    element('table', {}, [
      element('caption', { class: style }, [caption]),
      element('thead', {}, [element('tr', {}, heads)]),
      element('tbody', {}, rows),
    ]),
  ]);
}

/** Marks the link to the current content. */
export function setCurrent(link: Element, isCurrent: boolean): void {
  if (isCurrent) {
    link.setAttribute('aria-current', 'true');
  } else {
    link.removeAttribute('aria-current');
  }
}

/** Calls back for a plain click on a link; with a modifier key, the browser opens it as usual. */
export function onPlainClick(link: HTMLAnchorElement, listener: () => void): void {
  link.addEventListener('click', (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      listener();
    }
  });
}

export function note(text: string): HTMLElement {
  return element('p', { class: 'note' }, [text]);
}

export function section(id: string, title: string, children: readonly Child[]): HTMLElement {
  return element('section', { 'aria-labelledby': id }, [element('h2', { id }, [title]), ...children]);
}

/** Line sample in the style of a chart: the color of a service, or none, and the dashes of a tier. */
export function swatch(color: number | undefined, dash: readonly number[]): SVGElement {
  const tone = color === undefined ? 'any' : `s${color % 4}`;
  return drawing('svg', { viewBox: '0 0 34 12', width: 34, height: 12, 'aria-hidden': 'true', class: tone }, [
    drawing('path', { class: 'line', d: 'M1 6H33', 'stroke-dasharray': dash.join(' ') || undefined }),
  ]);
}
