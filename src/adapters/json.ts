import { jsonFault } from '../foundation/json.ts';
import { type Adapter, type FileFacts, type Found, toolRun, unread } from './results.ts';

/** A map of JSON. */
export type Item = Readonly<Record<string, unknown>>;

/** Adapter of a tool that writes a document of JSON. `NaN` and `Infinity`, which JSON does not have, are read as texts. */
export function jsonAdapter(
  read: (document: unknown) => readonly Found[] | string,
  facts?: (file: Item) => FileFacts,
): Adapter {
  return (text) => {
    const document = jsonIn(text);
    const found = 'fault' in document ? document.fault : read(document.value);
    return typeof found === 'string' || 'fault' in document
      ? `${found}`
      : toolRun(found, facts?.(mapIn(document.value)));
  };
}

/** The value in a text of JSON, or what is wrong with the text. */
export function jsonIn(text: string): { readonly value: unknown } | { readonly fault: string } {
  for (const attempt of [() => text, () => withQuotedNumbers(text)]) {
    try {
      return { value: JSON.parse(attempt()) };
    } catch {
      // The next attempt, or the fault.
    }
  }
  return { fault: jsonFault(text) };
}

/** JavaScript's and Python's words for what is no number, as texts. Those inside of texts stay. */
function withQuotedNumbers(text: string): string {
  let isInText = false;
  return text.replaceAll(/\\.|"|-?\b(?:nan|inf(?:inity)?)\b/gis, (found) => {
    isInText = (found === '"') !== isInText;
    return isInText || /^["\\]/.test(found) ? found : `"${found}"`;
  });
}

/** A map of JSON; empty for anything else. */
export function mapIn(value: unknown): Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Item) : {};
}

/** The maps in a list, an empty one for anything else in it; undefined if it is no list. */
export function mapsIn(value: unknown): readonly Item[] | undefined {
  return Array.isArray(value) ? value.map(mapIn) : undefined;
}

/** The text in a value that is one; undefined for an empty one, too. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** All numbers of a list; none if it is something else, or has anything else. */
export function numbersIn(value: unknown): readonly number[] {
  return Array.isArray(value) && value.every((one) => Number.isFinite(one)) ? value : [];
}

/** Results of each item that has a name; the others are left out by their place. */
export function ofEach(list: readonly Item[], read: (item: Item, name: string) => readonly Found[]): readonly Found[] {
  return list.flatMap((item, index) => {
    const name = textIn(item['fullname'] ?? item['name'] ?? item['benchmark'] ?? item['command']);
    return name === undefined ? [unread(`result ${index + 1}`, 'has no name')] : read(item, name);
  });
}
