import { isMap } from 'yaml';
import { cleanText } from '../../../foundation/text.ts';
import { isGuarded, type TriedOperation } from '../../../measure/plans/try.ts';
import { RATE_LIMITED } from '../../../model/suite/http.ts';
import { TOKEN_WORDS } from '../write/project-text.ts';
import { addCommented, type Change, type Fixing, itemOf, itemsOf, nameOf, retried } from './fix.ts';

const CREDENTIALS = 'Bearer ${env.API_TOKEN}';

/** Adds credentials from the environment: if there are some to try, or if no request is answered without them. */
export function fixCredentials(fixing: Fixing): readonly Change[] {
  const { name, entry, service, known } = fixing;
  const guarded = service.operations.filter(({ status }) => isGuarded(status));
  const isNothing = service.operations.every(({ refusal }) => refusal !== undefined);
  const { hasToken, logins } = known;
  const key = entry.get('protocol') === 'grpc' ? 'metadata' : 'headers';
  if (entry.has(key)) {
    return hasToken ? [] : writtenCredentials(fixing, key, guarded);
  }
  if (guarded.length === 0 || !(hasToken || isNothing)) {
    return [];
  }
  const value = { [key === 'headers' ? 'Authorization' : 'authorization']: CREDENTIALS };
  const comment = [` ${TOKEN_WORDS}`, ...(logins.get(name) ?? []).slice(0, 1).map(loginComment)].join('\n');
  addCommented(fixing, key, value, comment);
  return [
    {
      words: `${name}: ${key} with the credentials in API_TOKEN, because it answered ${cleanText(guarded[0]?.status ?? '', 20)}`,
      operations: guarded.map(({ operation }) => operation),
      isRequestedOtherwise: hasToken,
      ...(!hasToken && { leftOut: [{ name: `credentials of ${name}`, why: TOKEN_WORDS }] }),
    },
  ];
}

function loginComment(login: string): string {
  const [, path = '', body = '{ user: …, password: "${env.PASSWORD}" }'] = /^POST (\S+)(?: (.*))?$/.exec(login) ?? [];
  return ` Or log in after each start, and send the token of the response:
 headers: { Authorization: "Bearer \${prepare.token}" }
 prepare:
   - rest: { method: POST, path: ${cleanText(path, 100)}, body: ${cleanText(body, 300)} }
     capture: { token: $.token }`;
}

/** Adds credentials that the contract requires to a service that was tried without them. */
function writtenCredentials(
  { name, entry, service: { operations } }: Fixing,
  key: string,
  guarded: readonly TriedOperation[],
): readonly Change[] {
  if (guarded.length > 0) {
    const left = [{ name: `credentials of ${name}`, why: TOKEN_WORDS }];
    return [{ words: undefined, operations: guarded.map(({ operation }) => operation), leftOut: left }];
  }
  // Credentials of a login were sent.
  if (operations.every(({ refusal }) => refusal !== undefined) || entry.has('prepare')) {
    return [];
  }
  entry.delete(key);
  return [{ words: `${name}: without ${key}, because it answers without credentials`, operations: [] }];
}

/** Notes a rate limit. Responses with 429 reveal nothing about the operation: it stays. */
export function rateLimited({ name, service: { operations } }: Fixing): readonly Change[] {
  const limited = operations.filter(({ status }) => status === '429').map(({ operation }) => operation);
  const why = `${limited.join(', ')} answered 429. ${RATE_LIMITED}`;
  return limited.length === 0
    ? []
    : [{ words: undefined, operations: limited, leftOut: [{ name: `${name}: rate limit`, why }] }];
}

/** Fixes paths that redirect to the same path with or without a trailing slash. */
export function fixSlashes(fixing: Fixing): readonly Change[] {
  const { name, service, known, waiting } = fixing;
  return service.operations.flatMap(({ operation, call, status = '', redirect = '' }) => {
    const [from = '', to = ''] = [call.replace(/^\S+ /, ''), redirect].map((path) => path.replace(/\?.*$/s, ''));
    const isMoved = /^3\d\d$/.test(status) && from.length > 1 && to.length > 1 && !waiting.has(operation);
    const item = itemOf(fixing, operation);
    if (known.isLast || !isMoved || item === undefined || (to !== `${from}/` && from !== `${to}/`)) {
      return [];
    }
    const at = isMap(item.get('rest')) ? ['rest', 'path'] : ['rest'];
    item.setIn(at, String(item.getIn(at)).replace(/\/?(?=\?|$)/, to.endsWith('/') ? '/' : ''));
    return retried(`${name}: requests ${cleanText(to, 100)}, to which ${cleanText(call, 100)} redirects`, [operation]);
  });
}

export function fixOperations(fixing: Fixing): readonly Change[] {
  const { document, name, list, waiting } = fixing;
  const { operations, path } = fixing.service;
  const refused = operations.filter(({ refusal, operation }) => refusal !== undefined && !waiting.has(operation));
  const isLeft = refused.length < operations.length || path !== undefined;
  if (refused.length === 0 || !isLeft) {
    return [];
  }
  leaveOut(fixing, refused);
  const changes = refused.map(
    (one): Change => ({
      words: `${name}: left out ${refusedWords(one)}`,
      leftOut: [
        {
          name: `${name}: ${one.call}`,
          why: `it ${answeredWords(one)}${isGuarded(one.status) ? `; ${WITH_TOKEN}` : ''}`,
        },
      ],
    }),
  );
  if (path === undefined || itemsOf(fixing).some((item) => item.get('weight') !== 0)) {
    return changes;
  }
  list.add(document.createNode({ name: 'Index', rest: `GET ${path}` }));
  const why = `only GET ${path} answered, which shows little of the service: add the requests that matter`;
  const leftOut = [{ name: `${name}: its own operations`, why }];
  return [...changes, { words: `${name}: requests GET ${path} instead`, leftOut, isRequestedOtherwise: true }];
}

const WITH_TOKEN =
  'with `headers: { Authorization: "Bearer ${env.API_TOKEN}" }` on the service, API_TOKEN of the environment is sent';

/** "GET /orders: answered 401", for a comment and a terminal. */
function refusedWords(one: TriedOperation): string {
  return `${cleanText(one.call, 100)}: ${answeredWords(one)}`;
}

function answeredWords({ status, refusal = '' }: TriedOperation): string {
  return status === undefined ? cleanText(refusal, 200) : `answered ${cleanText(status, 20)}`;
}

export const LEFT_OUT = 'Left out, because it failed when tried';

function leaveOut({ list }: Fixing, refused: readonly TriedOperation[]): void {
  const names = new Set(refused.map(({ operation }) => operation));
  const words = refused.map((one) => ` ${LEFT_OUT}: ${refusedWords(one)}`);
  list.items = list.items.filter((item) => !isMap(item) || !names.has(nameOf(item)));
  const guarded = refused.some(({ status }) => isGuarded(status))
    ? [` To measure what requires credentials: ${WITH_TOKEN}.`]
    : [];
  list.commentBefore = [list.commentBefore ?? [], words, guarded].flat().join('\n');
}

/** Ignores values that differ between starts, which would fail the verification. */
export function fixVarying(fixing: Fixing): readonly Change[] {
  const { document, name, service } = fixing;
  return service.operations.flatMap(({ operation, call, varies }) => {
    const item = itemOf(fixing, operation);
    if (varies === undefined || item === undefined) {
      return [];
    }
    const [key, value] = varies === 'all' ? ['verify', 'status'] : ['ignore', varies];
    item.set(key, document.createNode(value, { flow: Array.isArray(value) }));
    const reported =
      varies === 'all' ? 'compares only the status of' : `ignores ${cleanText(varies.join(', '), 200)} of`;
    return [{ words: `${name}: ${reported} ${cleanText(call, 100)}, because it differed between two starts` }];
  });
}
