import { type LooseMap, mapIn } from '../../config/yaml/lines.ts';
import { jsonFault } from '../../foundation/json.ts';
import { type Adapter, type FileFacts, type Found, toolRun, unread } from './results.ts';

/** Adapter of a tool with JSON output. `NaN` and `Infinity`, which are not valid JSON, are read as strings. */
export function jsonAdapter(
  read: (document: unknown) => readonly Found[] | string,
  facts?: (file: LooseMap) => FileFacts,
): Adapter {
  return (text) => {
    const document = jsonIn(text);
    const found = 'fault' in document ? document.fault : read(document.value);
    return typeof found === 'string' || 'fault' in document
      ? `${found}`
      : toolRun(found, facts?.(mapIn(document.value)));
  };
}

export function jsonIn(text: string): { readonly value: unknown } | { readonly fault: string } {
  for (const attempt of [() => text, () => withQuotedNumbers(text)]) {
    try {
      return { value: JSON.parse(attempt()) };
    } catch {
      // Try the next one.
    }
  }
  return { fault: jsonFault(text) };
}

function withQuotedNumbers(text: string): string {
  let isInText = false;
  return text.replaceAll(/\\.|"|-?\b(?:nan|inf(?:inity)?)\b/gis, (found) => {
    isInText = (found === '"') !== isInText;
    return isInText || /^["\\]/.test(found) ? found : `"${found}"`;
  });
}

export function mapsIn(value: unknown): readonly LooseMap[] | undefined {
  return Array.isArray(value) ? value.map(mapIn) : undefined;
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numbersIn(value: unknown): readonly number[] {
  return Array.isArray(value) && value.every((one) => Number.isFinite(one)) ? value : [];
}

/** Results of each item with a name; the others are reported by their index. */
export function ofEach(
  list: readonly LooseMap[],
  read: (item: LooseMap, name: string) => readonly Found[],
): readonly Found[] {
  return list.flatMap((item, index) => {
    const name = textIn(item['fullname'] ?? item['name'] ?? item['benchmark'] ?? item['command']);
    return name === undefined ? [unread(`result ${index + 1}`, 'has no name')] : read(item, name);
  });
}
