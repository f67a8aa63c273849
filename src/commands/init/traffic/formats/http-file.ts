import { BINARY, type ObservedRequest } from '../request.ts';
import { filledRequest, type Variables } from './variables.ts';

const REQUEST =
  /^(?:(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) {1,9})?((?:https?:\/\/|\/|\{\{)\S{1,4000})(?: HTTP\/[\d.]{1,3})?\s*$/;

/** True if a text has the requests of an editor, or targets of vegeta. */
export function isHttpFile(path: string, text: string): boolean {
  return (
    /\.(?:http|rest)$/i.test(path) ||
    /^(?:GET|HEAD|POST|PUT|PATCH|DELETE) (?:https?:\/\/|\/|\{\{)\S{1,4000}(?: HTTP\/[\d.]{1,3})?\r?$/m.test(text)
  );
}

interface Draft {
  readonly method: string;
  target: string;
  readonly headers: (readonly [string, string])[];
  readonly body: string[];
  part: 'headers' | 'body' | 'script';
  isElsewhere: boolean;
}

/** Requests of a `.http` or `.rest` file of VS Code or JetBrains, or targets of vegeta. */
export function httpFileRequests(text: string, environment: Variables): readonly ObservedRequest[] {
  const variables: Variables = new Map();
  const drafts: Draft[] = [];
  let draft: Draft | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ''] = /^@([\w.-]{1,60})\s{0,9}=\s{0,9}(.*)$/.exec(line) ?? [];
    const isNext = draft === undefined || (draft.part !== 'headers' && draft.body.every((one) => one === ''));
    const [, method = 'GET', target] = (isNext && REQUEST.exec(line)) || [];
    if (line.startsWith('###')) {
      draft = undefined;
    } else if (name !== undefined && draft?.part !== 'headers') {
      variables.set(name, value.trim());
    } else if (target !== undefined) {
      draft = { method, target, headers: [], body: [], part: 'headers', isElsewhere: false };
      drafts.push(draft);
    } else if (draft !== undefined) {
      takeLine(draft, line);
    }
  }
  const all = new Map([...variables, ...environment]);
  return drafts.map(({ body, isElsewhere, ...draft }) =>
    filledRequest({ ...draft, body: isElsewhere ? BINARY : body.join('\n').trim() }, all),
  );
}

function takeLine(draft: Draft, line: string): void {
  const [, header, value = ''] = /^([\w-]{1,100}): ?(.*)$/.exec(line) ?? [];
  if (draft.part === 'script' || /^> ?\{%/.test(line)) {
    // Response handler of JetBrains.
    draft.part = line.includes('%}') ? 'body' : 'script';
  } else if (draft.part === 'body') {
    draft.isElsewhere ||= line.startsWith('< ');
    draft.body.push(/^(?:> |<> )/.test(line) ? '' : line);
  } else if (line.trim() === '') {
    draft.part = 'body';
  } else if (/^\s{1,99}[?&]/.test(line)) {
    draft.target += line.trim();
  } else if (line.startsWith('@')) {
    draft.isElsewhere = true;
  } else if (header !== undefined) {
    draft.headers.push([header, value.trim()]);
  }
}
