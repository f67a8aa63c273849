import { HistoryError, type HistoryPlace } from './history-error.ts';

/** The value in a text of JSON; throws HistoryError, `truncated` where something in it is still open at its end. */
export function parseJson(text: string, place: HistoryPlace): unknown {
  if (text.charCodeAt(0) === 0xfeff) {
    throw new HistoryError('malformed', place, 'begins with a byte order mark');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw isCutShort(text)
      ? new HistoryError('truncated', place, 'does not end as JSON does, so it was cut short')
      : new HistoryError('malformed', place, 'is not JSON');
  }
}

const OPENING = new Set(['{', '[']);
const CLOSING = new Set(['}', ']']);

function isCutShort(text: string): boolean {
  // Escapes go first: a pattern that repeats them needs a stack as deep as a text is long. The rest is strings and brackets.
  const tokens = text.replaceAll(/\\./gs, '').match(/"[^"]*"?|[{}[\]]/g) ?? [];
  let depth = 0;
  for (const token of tokens) {
    depth += OPENING.has(token) ? 1 : CLOSING.has(token) ? -1 : 0;
  }
  const last = tokens.at(-1);
  const isOpenText = last?.startsWith('"') === true && (last.length === 1 || !last.endsWith('"'));
  return depth > 0 || isOpenText || text.trim() === '';
}
