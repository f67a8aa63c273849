import { isMap, isSeq } from 'yaml';
import type { Json } from '../../../foundation/json.ts';
import { cleanText } from '../../../foundation/text.ts';
import { isHealthPath, operationName } from '../routes/source-operations.ts';
import { FURTHER, furtherWords, MAX_OPERATIONS } from '../write/project-text.ts';
import { type Change, type Fixing, itemOf, itemsOf, keyOf, nameOf, retried } from './fix.ts';
import { LEFT_OUT } from './refused.ts';

/** List path and argument name in `GET /users/{id}`. */
const ONE_OF_LIST = /^GET (\/[^{}?]*?)\/?\{(\w+)\}\/?$/;

/** An ID in the response of `GET /users` is an argument of `GET /users/{id}`, which is added if the sources have such a route. */
export function fixArguments(fixing: Fixing): readonly Change[] {
  const { document, name, list, known } = fixing;
  const { operations } = fixing.service;
  if (known.isLast) {
    return [];
  }
  const further = known.further.get(name) ?? [];
  const items = itemsOf(fixing);
  const argumentsOf = (route: string): Record<string, Json> | undefined => {
    const [, path, argument = ''] = ONE_OF_LIST.exec(route) ?? [];
    const all = operations.find((one) => path !== undefined && pathOf(one.call) === path);
    const keys = [argument, ...(/^(?:\w*id|pk|key)$/i.test(argument) ? ['id', '_id', 'uuid'] : [])];
    const key = keys.find((one) => all?.item?.[one] !== undefined) ?? '';
    const ignored = items.find((item) => nameOf(item) === all?.operation)?.toJSON().ignore ?? [];
    // The value would be unknown at the next start.
    const isVarying = [ignored, all?.varies ?? []].flat().some((one) => String(one).endsWith(`].${key}`));
    const value = isVarying ? undefined : all?.item?.[key];
    return value === undefined ? undefined : { [argument]: value };
  };
  const refused = items.flatMap((item): readonly Change[] => {
    const route = String(item.get('rest'));
    const found = argumentsOf(route);
    const isRefused = operations.some(({ operation, refusal }) => operation === nameOf(item) && refusal !== undefined);
    const isNew = JSON.stringify(item.toJSON().arguments) !== JSON.stringify([found]);
    if (found === undefined || !isRefused || !isNew) {
      return [];
    }
    item.set('arguments', document.createNode([found]));
    return filledWords(name, route, nameOf(item));
  });
  const routes = new Set(items.map((item) => String(item.get('rest'))));
  const added = further
    .filter((route) => !routes.has(route) && argumentsOf(route) !== undefined)
    .slice(0, Math.max(0, MAX_OPERATIONS - items.length))
    .flatMap((route) => {
      const operation = operationName(route.slice('GET '.length));
      list.add(document.createNode({ name: operation, arguments: [argumentsOf(route)], rest: route }));
      return filledWords(name, route, operation);
    });
  return [...refused, ...added];
}

function pathOf(call: string): string {
  return call
    .replace(/^GET /, '')
    .replace(/\?.*$/, '')
    .replace(/(.)\/$/, '$1');
}

function filledWords(name: string, route: string, operation: string): readonly Change[] {
  return retried(`${name}: ${route} with an argument from the answer of its list`, [operation]);
}

/** Routes without arguments in the sources of a service with few operations; another trial keeps those that respond. */
export function fixFewOperations({ document, name, list, service, known }: Fixing): readonly Change[] {
  const { operations } = service;
  const further = known.further.get(name) ?? [];
  const requested = new Set([...operations.map(({ call }) => call), ...list.items.map(routeOf)]);
  const isUp = operations.some(({ status }) => status !== undefined);
  const isNew = (route: string): boolean =>
    !requested.has(route) && list.commentBefore?.includes(leftOutLine(route)) !== true;
  const added = further
    .filter((route) => /^GET \/[^{}]*$/.test(route) && !isHealthPath(route) && isNew(route))
    .slice(0, Math.max(0, MAX_OPERATIONS - list.items.length));
  if (!isUp || added.length === 0) {
    return [];
  }
  for (const route of added) {
    list.add(document.createNode({ name: operationName(route.slice('GET '.length)), rest: route }));
  }
  return retried(`${name}: tries ${added.join(', ')}, too`);
}

/** Routes missing from a file; the comment above its operations names no others. */
export function furtherOf(
  fixing: Pick<Fixing, 'document' | 'entry' | 'list'>,
  further: readonly string[],
): readonly string[] {
  const { list } = fixing;
  const there = new Set(list.items.map(routeOf));
  const left = further.filter((route) => !there.has(route) && !list.commentBefore?.includes(leftOutLine(route)));
  const key = keyOf(fixing);
  const lines = key?.commentBefore?.split('\n') ?? [];
  if (key !== undefined && lines.some((line) => line.startsWith(` ${FURTHER}`))) {
    const rest = lines.filter((line) => !line.startsWith(` ${FURTHER}`));
    key.commentBefore = [...rest, ...(left.length === 0 ? [] : [` ${furtherWords(left)}`])].join('\n');
  }
  return left;
}

function leftOutLine(call: string): string {
  return `${LEFT_OUT}: ${call}:`;
}

function routeOf(item: unknown): string {
  return isMap(item) ? String(item.get('rest')) : '';
}

/** Replaces arguments of operations whose resource is missing with others. */
export function fixLost(fixing: Fixing): readonly Change[] {
  const { name, service } = fixing;
  return service.operations.flatMap(({ operation, call, lost = [] }) => {
    const rows = itemOf(fixing, operation)?.get('arguments');
    if (!isSeq(rows) || lost.length === 0) {
      return [];
    }
    const words = `${name}: without ${lost.length} of ${rows.items.length} arguments of ${cleanText(operation, 80)}, because it refused them, unlike ${cleanText(call, 100)}`;
    rows.items = rows.items.filter((_, place) => !lost.includes(place));
    return [{ words, isRequestedOtherwise: lost.includes(0) }];
  });
}
