import { DEEPEST } from '../../../config/yaml/lines.ts';
import { ifPossible } from '../../../foundation/errors.ts';
import { goesDeeper, type Json, withTexts } from '../../../foundation/json.ts';
import { encoded } from '../../../foundation/text.ts';
import { operationName } from '../routes/source-operations.ts';
import type { ExampleArguments, ProposedOperation, ProposedRequest } from '../services/proposal.ts';
import { type ObservedRequest, placeOf } from './request.ts';
import { pairsOf, type RouteNode, RouteTree, type Row, type Shape, segmentsOf } from './routes.ts';
import { hasSecret, hasSecretPair, isSecretName, variableOf, variablesIn, withoutSecrets } from './secrets.ts';

export interface ObservedOperation extends ProposedOperation {
  /** "GET /users/{id}". */
  readonly route: string;
  readonly count: number;
  readonly mayWrite: boolean;
  /** Headers of the service that received it, with variables for secrets. */
  readonly secretHeaders: Readonly<Record<string, string>>;
  /** Variables in its arguments. */
  readonly variables: readonly string[];
}

/** Share of a route from which requests with other names in the query are an operation of their own. */
const OWN_SHARE = 0.2;

/** Further routes are only counted. */
const MAX_ROUTES = 50;

/** Operations, the most frequent first, and what was left out. */
export interface ObservedOperations {
  readonly operations: readonly ObservedOperation[];
  /** Number of routes that are only counted. */
  readonly rare: number;
  /** Number of requests with a part that a configuration would fill in, or whose names are secrets. */
  readonly unusable: number;
}

/** Routes of a tree; those of GraphQL by the names of their operations. */
export function observedRoutes(root: RouteNode) {
  return leavesOf(root, []).flatMap(({ node, parts }) => {
    const kinds = new Map<string, readonly Shape[]>();
    for (const shape of node.shapes.values()) {
      const kind = `${shape.method} ${shape.graphql}`;
      kinds.set(kind, [...(kinds.get(kind) ?? []), shape]);
    }
    return [...kinds.values()].map((shapes) => {
      const route = `${shapes[0]?.method ?? ''} ${pathOf(parts)}`;
      return { route, count: countOf(shapes), shapes, parts };
    });
  });
}

export function observedOperations(root: RouteNode): ObservedOperations {
  const routes = observedRoutes(root);
  const frequent = routes.toSorted((a, b) => b.count - a.count).slice(0, MAX_ROUTES);
  const found = frequent.flatMap(({ shapes, parts }) => operationsOfRoute(shapes, parts));
  const taken: string[] = [];
  return {
    operations: found
      .toSorted((a, b) => b.count - a.count)
      .map(({ names, ...one }) => {
        taken.push(freeName(names, taken));
        return { ...one, name: taken.at(-1) ?? '' };
      }),
    rare: routes.length - frequent.length,
    unusable: countOf(frequent) - countOf(found),
  };
}

function countOf(all: readonly { readonly count: number }[]): number {
  return all.reduce((sum, { count }) => sum + count, 0);
}

/** Segment of a route; of one that varies, the name of its argument. */
type Part = { readonly literal: string } | { readonly argument: string };

function leavesOf(
  node: RouteNode,
  parts: readonly Part[],
): readonly { readonly node: RouteNode; readonly parts: readonly Part[] }[] {
  const literals = [...node.literals].flatMap(([literal, child]) => leavesOf(child, [...parts, { literal }]));
  const { any } = node;
  const argument = any && argumentName(typeof any.known === 'string' ? any.known : '', parts);
  return [
    ...(node.shapes.size > 0 ? [{ node, parts }] : []),
    ...literals,
    ...(any && argument ? leavesOf(any, [...parts, { argument }]) : []),
  ];
}

/** `id`, or a name by the segment before it if that is taken: `orderId` in `/users/{id}/orders/{orderId}`. */
function argumentName(known: string, parts: readonly Part[]): string {
  const taken = parts.flatMap((part) => ('argument' in part ? part.argument : []));
  const before = parts.flatMap((part) => ('literal' in part ? part.literal : [])).at(-1) ?? '';
  const noun = before.replace(/\W+/g, '').replace(/s$/, '');
  return freeName([known || 'id', ...(/^[A-Za-z]/.test(noun) ? [`${noun}Id`] : [])], taken);
}

/** First free name, else the last one with a number. */
export function freeName(names: readonly string[], taken: readonly string[]): string {
  const last = names.at(-1) ?? 'id';
  let name = names.find((one) => !taken.includes(one)) ?? last;
  for (let count = 2; taken.includes(name); count += 1) {
    name = `${last}${count}`;
  }
  return name;
}

/** One operation for the most frequent names in the query, and one for other frequent names; all others count for the first. */
function operationsOfRoute(shapes: readonly Shape[], parts: readonly Part[]): readonly UnnamedOperation[] {
  const sorted = shapes.toSorted((a, b) => b.count - a.count);
  const total = countOf(sorted);
  // A log lacks the bodies that another file has.
  const best = sorted.some(({ hasBody }) => hasBody) ? sorted.filter(({ hasBody }) => hasBody) : sorted;
  const own = best.filter(({ count }, place) => place === 0 || count >= OWN_SHARE * total);
  const rest = total - countOf(own);
  return own.flatMap((shape, place) => operationOf(shape, parts, shape.count + (place === 0 ? rest : 0)) ?? []);
}

/** Arguments of an operation: the most frequent ones, and some of the others. */
const MAX_FREQUENT = 40;
const MAX_RARE = 10;

/** Operation with the names that fit, the shortest first. */
interface UnnamedOperation extends Omit<ObservedOperation, 'name'> {
  readonly names: readonly string[];
}

function operationOf(shape: Shape, parts: readonly Part[], count: number): UnnamedOperation | undefined {
  const { method, mayWrite, headers } = shape;
  const rows = sampled([...shape.rows.values()].toSorted((a, b) => b.count - a.count));
  const read = rows.flatMap((row) => valuesOf(row, parts) ?? []);
  const plain = read.filter((one) => variablesIn(one).length === 0);
  const taken = plain.length > 0 ? plain : read;
  const [first] = taken;
  if (first === undefined || first.query.some(({ name }) => hasSecret(name))) {
    return undefined;
  }
  const names = first.query.map(({ name }) => name);
  const alike = taken.filter(({ query }) => query.map(({ name }) => name).join('&') === names.join('&'));
  const { path, target, argumentsOf } = targetOf(parts, alike, {
    isOpen: /^[^?]*\/(?:\?|$)/.test(rows[0]?.target ?? ''),
  });
  const all = [...new Map(alike.map((one) => [JSON.stringify(argumentsOf(one)), argumentsOf(one)])).values()];
  const [example = {}, ...more] = all;
  const body =
    first.body === undefined ? undefined : typeof first.body === 'string' ? { text: '{body}' } : { json: '{body}' };
  const own = ownHeaders(shape);
  const request = {
    ...(method !== 'GET' && { method }),
    path: target,
    ...(Object.keys(own).length > 0 && { headers: own }),
    ...(body !== undefined && { body }),
    ...(shape.redirect !== undefined && { expect: { status: shape.redirect } }),
  };
  const isPlain = Object.keys(request).every((key) => key === 'method' || key === 'path');
  return {
    names: namesOf(shape, path, target),
    route: `${method} ${path}`,
    example: Object.keys(example).length === 0 ? undefined : example,
    further: more,
    binding: { rest: isPlain ? `${method} ${target}` : request },
    count,
    mayWrite,
    secretHeaders: secretHeaders(headers),
    variables: [...new Set(variablesIn(all))],
  };
}

function namesOf({ method, graphql }: Shape, path: string, target: string): readonly string[] {
  const verb = method === 'GET' || graphql !== '' ? '' : `${method.charAt(0)}${method.slice(1).toLowerCase()}`;
  const name = `${verb}${operationName(path)}`;
  const query = target.slice(path.length).replace(/=[^&]*/g, '');
  return [
    graphql || name,
    ...(query === '' ? [] : [`${name}${operationName(`By${query}`)}`.slice(0, 60)]),
    // Name with the segments that most routes have: `V2ItemsById`.
    `${verb}${operationName(path.replaceAll('/', '/-'))}`,
  ];
}

/** Request that prepares a service, and the values of its answer by their names. */
export interface PreparingRequest {
  readonly rest: string | ProposedRequest;
  readonly capture: Readonly<Record<string, string>>;
}

/** Request in the form of a configuration; undefined if anything but its body would need a variable. */
export function preparingRequest(request: ObservedRequest): PreparingRequest['rest'] | undefined {
  const place = placeOf(request) ?? { path: '/', query: '', host: '' };
  const tree = new RouteTree([]);
  tree.add(request, place);
  const [shape] = observedRoutes(tree.root)[0]?.shapes ?? [];
  const segments = segmentsOf(place.path);
  const parts = segments.map((literal) => ({ literal }));
  const { binding, example = {} } = (shape && operationOf(shape, parts, 1)) ?? {};
  const { body, ...others } = example;
  if (binding === undefined || !('rest' in binding) || Object.keys(others).length > 0 || segments.some(hasSecret)) {
    return undefined;
  }
  const { rest } = binding;
  const named = (path: string): string =>
    path.replace(/%7B%7Bprepare\.(\w+)%7D%7D/g, (_, name: string) => `\${prepare.${name}}`);
  return typeof rest === 'string'
    ? named(rest)
    : {
        ...rest,
        path: named(rest.path),
        ...(body !== undefined && { body: typeof body === 'string' ? { text: body } : { json: body } }),
      };
}

function sampled(rows: readonly Row[]): readonly Row[] {
  const rest = rows.slice(MAX_FREQUENT);
  const step = Math.max(1, rest.length / MAX_RARE);
  const rare = Array.from({ length: Math.min(MAX_RARE, rest.length) }, (_, place) => rest[Math.floor(place * step)]);
  return [...rows.slice(0, MAX_FREQUENT), ...rare.flatMap((row) => row ?? [])];
}

interface Values {
  /** Values of the variable segments, in order. */
  readonly path: readonly Json[];
  readonly query: readonly { readonly name: string; readonly value: Json }[];
  readonly body: Json | undefined;
}

/** Values of a row without secrets; undefined if a configuration would fill in a part of them. */
function valuesOf({ target, body, isTemplate }: Row, parts: readonly Part[]): Values | undefined {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const segments = segmentsOf(path).map(decoded);
  const pairs = pairsOf(query).map((pair) => pair.map((text) => decoded(text.replaceAll('+', ' '))));
  const parsed = body === undefined ? undefined : bodyOf(body);
  if ([segments, pairs, parsed].some((one) => JSON.stringify(one ?? '').includes('${'))) {
    return undefined;
  }
  const filled = <Value extends Json>(value: Value): Json => (isTemplate ? withVariables(value) : value);
  const inPath = parts.flatMap((part, place) =>
    'argument' in part ? [withoutSecrets(`path_${part.argument}`, numberOr(filled(segments[place] ?? '')))] : [],
  );
  return {
    path: inPath,
    query: pairs.map(([name = '', value = '']) => ({ name, value: withoutSecrets(name, numberOr(filled(value))) })),
    body:
      parsed === undefined
        ? undefined
        : withoutSecrets('body', typeof parsed === 'string' ? textWithoutSecrets(filled(parsed)) : filled(parsed)),
  };
}

function decoded(text: string): string {
  // Raw text is sent if the encoding is not UTF-8.
  return ifPossible(() => decodeURIComponent(text)) ?? text;
}

/** A form with secrets keeps its other fields. */
function textWithoutSecrets(text: Json): Json {
  if (typeof text !== 'string' || !/^[^=&\s]{1,100}=\S*$/.test(text)) {
    return hasSecretPair(String(text)) ? '${env.BODY_SECRET}' : text;
  }
  const pairs = text.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const plain = decoded(value.replaceAll('+', ' '));
    const own = withoutSecrets(decoded(name), plain);
    return own === plain ? pair : `${name}=${String(own)}`;
  });
  return pairs.join('&');
}

/** JSON that is not a text, else the text. */
function bodyOf(text: string): Json {
  const parsed = ifPossible((): Json => JSON.parse(text));
  return parsed === undefined || goesDeeper(parsed, DEEPEST / 2) || typeof parsed === 'string' ? text : parsed;
}

/** `{{name}}` of a collection is a variable of the environment. */
function withVariables(value: Json): Json {
  return withTexts(value, (text) =>
    text.replace(/\{\{\s{0,9}\$?([\w.-]{1,60})[^{}]{0,60}\}\}/g, (_, name: string) =>
      /^prepare\.\w+$/.test(name) ? `\${${name}}` : `\${env.${variableOf(name)}}`,
    ),
  );
}

function numberOr(value: Json): Json {
  return typeof value === 'string' && /^(?:0|[1-9]\d{0,14})$/.test(value) ? Number(value) : value;
}

/** Path and query with arguments for the parts that vary. */
function targetOf(parts: readonly Part[], rows: readonly Values[], { isOpen }: { readonly isOpen: boolean }) {
  const path = `${pathOf(parts)}${isOpen && parts.length > 0 ? '/' : ''}`;
  const taken = parts.flatMap((part) => ('argument' in part ? part.argument : []));
  const names = [...taken];
  const [first] = rows;
  const query = (first?.query ?? []).map(({ name, value }, place) => {
    const isFixed = rows.every((row) => row.query[place]?.value === value) && !String(value).includes('${');
    const argument = freeName([name.replace(/\W+/g, '_') || 'value'], [...names, 'body']);
    names.push(argument);
    return { name: encoded(name), argument: isFixed ? undefined : argument, value };
  });
  const pairs = query.map(
    ({ name, argument, value }) => `${name}=${argument === undefined ? encoded(String(value)) : `{${argument}}`}`,
  );
  const argumentsOf = (row: Values): ExampleArguments => ({
    ...Object.fromEntries(taken.map((name, place) => [name, row.path[place] ?? ''])),
    ...Object.fromEntries(
      query.flatMap(({ argument }, place) =>
        argument === undefined ? [] : [[argument, row.query[place]?.value ?? '']],
      ),
    ),
    ...(row.body !== undefined && { body: row.body }),
  });
  return { path, target: pairs.length === 0 ? path : `${path}?${pairs.join('&')}`, argumentsOf };
}

function pathOf(parts: readonly Part[]): string {
  const segments = parts.map((part) =>
    'literal' in part ? part.literal.replace(/[^\w.~!'()*,;=:@%-]/gu, encoded) : `{${part.argument}}`,
  );
  return `/${segments.join('/')}`;
}

/** Headers of clients and proxies, which do not describe the request. */
const OF_CLIENTS =
  /^(?::|sec-|x-forwarded|x-real-ip|x-request-id|x-correlation|x-amzn|x-b3|x-datadog|cf-|proxy-|if-)|^(?:accept-encoding|cache-control|connection|content-length|date|dnt|host|keep-alive|origin|pragma|priority|referer|te|trace(?:parent|state)|transfer-encoding|upgrade(?:-insecure-requests)?|user-agent|via|forwarded)$/i;

function ownHeaders({ headers, hasBody }: Shape): Readonly<Record<string, string>> {
  const kept = headers.filter(
    ([name, value]) =>
      /^[\w-]{1,100}$/.test(name) &&
      !OF_CLIENTS.test(name) &&
      !isSecretName(name) &&
      (hasBody || !/^content-type$/i.test(name)) &&
      /^[\x20-\x7e]{1,300}$/.test(value) &&
      !/[{}]/.test(value) &&
      !hasSecret(value) &&
      !/^accept(?:-language)?: (?:\*\/\*|.*,.*)$/i.test(`${name}: ${value}`),
  );
  return Object.fromEntries(kept);
}

function secretHeaders(headers: Shape['headers']): Readonly<Record<string, string>> {
  const found = headers.filter(([name]) => /^[\w-]{1,100}$/.test(name) && !OF_CLIENTS.test(name) && isSecretName(name));
  const entries = found.map(([name, value]) => {
    // The kind of credentials is no secret.
    const [scheme = ''] = /^(?:basic|bearer|token|apikey|digest) /i.exec(value) ?? [];
    const [, captured] = /\{\{(prepare\.\w+)\}\}$/.exec(value) ?? [];
    const variable = name.toLowerCase() === 'authorization' ? 'API_TOKEN' : variableOf(name);
    return [name, `${scheme}\${${captured ?? `env.${variable}`}}`];
  });
  return Object.fromEntries(entries);
}
