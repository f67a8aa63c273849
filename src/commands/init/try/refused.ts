import { type Document, isMap, isScalar, type YAMLSeq } from 'yaml';
import { cleanText } from '../../../foundation/text.ts';
import { isGuarded, type TriedOperation } from '../../../measure/plans/try.ts';
import { RATE_LIMITED } from '../../../model/suite/http.ts';
import { TOKEN_WORDS } from '../write/project-text.ts';
import { type Change, type Fixing, listOf, nameOf } from './fix.ts';

const CREDENTIALS = 'Bearer ${env.API_TOKEN}';

/** Adds credentials from the environment: if there are some to try, or if no request is answered without them. */
export function fixCredentials({
  document,
  name,
  service: { operations },
  known: { hasToken, logins },
}: Fixing): readonly Change[] {
  const guarded = operations.filter(({ status }) => isGuarded(status));
  const isNothing = operations.every(({ refusal }) => refusal !== undefined);
  const key = document.getIn(['services', name, 'protocol']) === 'grpc' ? 'metadata' : 'headers';
  if (document.hasIn(['services', name, key])) {
    return hasToken ? [] : writtenCredentials(document, [name, key], { operations, guarded });
  }
  if (guarded.length === 0 || !(hasToken || isNothing)) {
    return [];
  }
  const pair = document.createPair(key, { [key === 'headers' ? 'Authorization' : 'authorization']: CREDENTIALS });
  const service = document.getIn(['services', name]);
  if (!isMap(service) || !isScalar(pair.key)) {
    return [];
  }
  pair.key.commentBefore = [` ${TOKEN_WORDS}`, ...(logins.get(name) ?? []).slice(0, 1).map(loginComment)].join('\n');
  service.items.push(pair as (typeof service.items)[number]);
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
  document: Document,
  [name, key]: readonly [string, string],
  { operations, guarded }: { readonly operations: readonly TriedOperation[]; readonly guarded: typeof operations },
): readonly Change[] {
  if (guarded.length > 0) {
    const left = [{ name: `credentials of ${name}`, why: TOKEN_WORDS }];
    return [{ words: undefined, operations: guarded.map(({ operation }) => operation), leftOut: left }];
  }
  // Credentials of a login were sent.
  if (operations.every(({ refusal }) => refusal !== undefined) || document.hasIn(['services', name, 'prepare'])) {
    return [];
  }
  document.deleteIn(['services', name, key]);
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
export function fixSlashes({ document, name, service: { operations }, known, waiting }: Fixing): readonly Change[] {
  const items = listOf(document.contents, name)?.items.filter(isMap) ?? [];
  return operations.flatMap(({ operation, call, status = '', redirect = '' }) => {
    const [from = '', to = ''] = [call.replace(/^\S+ /, ''), redirect].map((path) => path.replace(/\?.*$/s, ''));
    const isMoved = /^3\d\d$/.test(status) && from.length > 1 && to.length > 1 && !waiting.has(operation);
    const item = items.find((one) => nameOf(one) === operation);
    if (known.isLast || !isMoved || item === undefined || (to !== `${from}/` && from !== `${to}/`)) {
      return [];
    }
    const at = isMap(item.get('rest')) ? ['rest', 'path'] : ['rest'];
    item.setIn(at, String(item.getIn(at)).replace(/\/?(?=\?|$)/, to.endsWith('/') ? '/' : ''));
    const words = `${name}: requests ${cleanText(to, 100)}, to which ${cleanText(call, 100)} redirects`;
    return [{ words, operations: [operation], isRequestedOtherwise: true }];
  });
}

export function fixOperations({ document, name, service: { operations, path }, waiting }: Fixing): readonly Change[] {
  const list = listOf(document.contents, name);
  const refused = operations.filter(({ refusal, operation }) => refusal !== undefined && !waiting.has(operation));
  const isLeft = refused.length < operations.length || path !== undefined;
  if (list === undefined || refused.length === 0 || !isLeft) {
    return [];
  }
  leaveOut(list, refused);
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
  if (path === undefined || list.items.some((item) => isMap(item) && item.get('weight') !== 0)) {
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

function leaveOut(list: YAMLSeq, refused: readonly TriedOperation[]): void {
  const names = new Set(refused.map(({ operation }) => operation));
  const words = refused.map((one) => ` ${LEFT_OUT}: ${refusedWords(one)}`);
  list.items = list.items.filter((item) => !isMap(item) || !names.has(nameOf(item)));
  const guarded = refused.some(({ status }) => isGuarded(status))
    ? [` To measure what requires credentials: ${WITH_TOKEN}.`]
    : [];
  list.commentBefore = [list.commentBefore, ...words, ...guarded]
    .filter((line) => line !== undefined && line !== null)
    .join('\n');
}

/** Ignores values that differ between starts, which would fail the verification. */
export function fixVarying({ document, name, service: { operations } }: Fixing): readonly Change[] {
  const items = listOf(document.contents, name)?.items ?? [];
  return operations.flatMap(({ operation, call, varies }) => {
    const item = items.find((one) => isMap(one) && nameOf(one) === operation);
    if (varies === undefined || !isMap(item)) {
      return [];
    }
    const [key, value] = varies === 'all' ? ['verify', 'status'] : ['ignore', varies];
    item.set(key, document.createNode(value, { flow: Array.isArray(value) }));
    const reported =
      varies === 'all' ? 'compares only the status of' : `ignores ${cleanText(varies.join(', '), 200)} of`;
    return [{ words: `${name}: ${reported} ${cleanText(call, 100)}, because it differed between two starts` }];
  });
}
