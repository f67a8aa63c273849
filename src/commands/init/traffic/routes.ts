import { graphqlOf, mayWrite, type ObservedRequest, type Place } from './request.ts';

/** Equal requests, and how often they were sent. */
export interface Row {
  count: number;
  /** Path and query. */
  readonly target: string;
  readonly body: string | undefined;
  readonly isTemplate: boolean;
}

/** Requests of a route with the same method and names in the query. */
export interface Shape {
  readonly method: string;
  readonly graphql: string;
  readonly hasBody: boolean;
  readonly mayWrite: boolean;
  /** Headers of the first request. */
  readonly headers: NonNullable<ObservedRequest['headers']>;
  /** Redirect in the response; undefined for any other response. */
  readonly redirect: number | undefined;
  readonly rows: Map<string, Row>;
  count: number;
}

/** Part of a path, with the parts that follow it. */
export interface RouteNode {
  readonly literals: Map<string, RouteNode>;
  /** Child for segments that are values. */
  any: RouteNode | undefined;
  /** True if every segment without an own child is a value. */
  isOpen: boolean;
  /** True if the contract or the sources have the segment; for a value, the name of its argument. */
  known: string | boolean;
  readonly shapes: Map<string, Shape>;
  count: number;
}

/** Limits on what hostile traffic makes this program store. */
const MOST = { nodes: 5000, shapes: 50, rows: 1000, characters: 2 ** 25 };

/** One of this many requests of a frequent route adds a value: each would soon be garbage of the old generation. */
const SAMPLED = 997;

/** Limit of literal siblings; with more, all are values. */
const MAX_LITERALS = 40;

/** Limit of literal siblings if most of them look like values; with more, all are values. */
const FEW_LITERALS = 8;

const VALUE = [
  /^\d+$/,
  /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i,
  /^(?=[a-f]{0,40}\d)[\da-f]{8,}$/i,
  /^(?=[A-Za-z_-]{0,40}\d)[\w-]{20,}$/,
  /^\d{4}-\d\d-\d\d/,
  /@|%|\{\{|^eyJ|^.{60}/,
];

/** True if a segment of a path is a value: a number, a UUID, a date, an address, or a long text. */
export function isValue(segment: string): boolean {
  return VALUE.some((pattern) => pattern.test(segment));
}

function looksLikeValue(segment: string): boolean {
  return /[\d_.A-Z]|\w-\w/.test(segment);
}

/** Tree of the paths of observed requests, in which variable segments are merged. */
export class RouteTree {
  readonly root: RouteNode = nodeOf(false);
  knownCount = 0;
  #nodes = 1;
  #characters = 0;

  /** `known`: paths of the contract or the sources, like `/users/{id}`. */
  constructor(known: readonly string[]) {
    for (const path of known) {
      let node = this.root;
      for (const segment of segmentsOf(path)) {
        const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
        if (name === undefined) {
          const own = node.literals.get(segment) ?? nodeOf(true);
          node.literals.set(segment, own);
          node = own;
        } else {
          node.any ??= nodeOf(name);
          node.isOpen = true;
          node = node.any;
        }
      }
    }
  }

  add(request: ObservedRequest, { path, query }: Place): void {
    const leaf = this.#leafAt(path);
    const shape = this.#shapeIn(leaf, request, query);
    shape.count += 1;
    const { body, isTemplate = false } = request;
    const text = typeof body === 'string' ? body : undefined;
    const target = query === '' ? path : `${path}?${query}`;
    const key = text === undefined ? target : `${target}\n${text}`;
    const row = shape.rows.get(key);
    if (row !== undefined) {
      row.count += 1;
    } else if (shape.count % Math.min(SAMPLED, Math.ceil(shape.count / MOST.rows)) !== 0) {
      // Frequent values recur, so a sample has them.
    } else if (shape.rows.size >= MOST.rows) {
      this.#characters -= forgetRare(shape.rows);
    } else if (this.#characters < MOST.characters) {
      this.#characters += key.length;
      const own = ownText(key);
      shape.rows.set(own, { count: 1, target: text === undefined ? own : ownText(target), body: text, isTemplate });
    }
  }

  addAll({ root, knownCount }: RouteTree): void {
    this.knownCount += knownCount;
    this.#merge(this.root, root);
  }

  #leafAt(path: string): RouteNode {
    let node = this.root;
    let isKnown = path !== '/';
    node.count += 1;
    for (const segment of segmentsOf(path)) {
      node = this.#childOf(node, segment);
      node.count += 1;
      isKnown = isKnown && node.known !== false;
    }
    this.knownCount += isKnown ? 1 : 0;
    return node;
  }

  #childOf(node: RouteNode, segment: string): RouteNode {
    const own = node.literals.get(segment);
    if (own !== undefined) {
      return own;
    }
    if (!node.isOpen && !isValue(segment)) {
      const child = nodeOf(false);
      node.literals.set(ownText(segment), child);
      this.#nodes += 1;
      if (node.literals.size <= FEW_LITERALS || !this.#isVarying(node)) {
        return child;
      }
      this.#open(node);
      return node.literals.get(segment) ?? this.#anyOf(node);
    }
    return this.#anyOf(node);
  }

  #anyOf(node: RouteNode): RouteNode {
    if (node.any === undefined) {
      node.any = nodeOf(false);
      this.#nodes += 1;
    }
    return node.any;
  }

  #isVarying({ literals }: RouteNode): boolean {
    const names = [...literals].flatMap(([segment, { known }]) => (known === false ? segment : []));
    const isMostlyValues = names.filter(looksLikeValue).length > 0.7 * names.length;
    return names.length > MAX_LITERALS || (names.length > FEW_LITERALS && isMostlyValues) || this.#nodes > MOST.nodes;
  }

  /** All but known and frequent segments become values. */
  #open(node: RouteNode): void {
    node.isOpen = true;
    for (const [segment, child] of node.literals) {
      if (child.known === false && child.count < node.count / 5) {
        node.literals.delete(segment);
        this.#nodes -= 1;
        this.#merge(this.#anyOf(node), child);
      }
    }
  }

  #merge(into: RouteNode, from: RouteNode): void {
    into.count += from.count;
    into.isOpen ||= from.isOpen;
    for (const [key, shape] of from.shapes) {
      const own = into.shapes.get(key);
      if (own === undefined) {
        into.shapes.set(key, shape);
      } else {
        own.count += shape.count;
        for (const [text, row] of shape.rows) {
          const same = own.rows.get(text);
          own.rows.set(text, same === undefined ? row : { ...same, count: same.count + row.count });
        }
      }
    }
    if (from.any !== undefined) {
      this.#merge(this.#anyOf(into), from.any);
    }
    for (const [segment, child] of from.literals) {
      this.#merge(this.#childOf(into, segment), child);
    }
  }

  #shapeIn({ shapes }: RouteNode, request: ObservedRequest, query: string): Shape {
    const { method, body, status = 200, headers = [] } = request;
    const text = typeof body === 'string' ? body : undefined;
    const graphql = (text && graphqlOf(text)?.name) ?? '';
    const names = query === '' ? [] : pairsOf(query).map(([name]) => name);
    const key = `${method} ${graphql} ${text === undefined} ${names.toSorted().join('&')}`;
    const found =
      shapes.get(key) ??
      (shapes.size < MOST.shapes ? undefined : [...shapes.values()].find((one) => one.method === method));
    if (found !== undefined) {
      return found;
    }
    const shape: Shape = {
      ...{ method, graphql, headers, hasBody: text !== undefined, mayWrite: mayWrite(method, text) },
      ...{ redirect: status >= 300 && status !== 304 ? status : undefined, rows: new Map(), count: 0 },
    };
    shapes.set(key, shape);
    return shape;
  }
}

/** Copy of a text: a substring keeps the whole text in memory. */
export function ownText(text: string): string {
  return ` ${text}`.slice(1);
}

function nodeOf(known: RouteNode['known']): RouteNode {
  return { literals: new Map(), any: undefined, isOpen: false, known, shapes: new Map(), count: 0 };
}

/** Segments of a path. A slash at its end adds none. */
export function segmentsOf(path: string): readonly string[] {
  return path === '/' ? [] : path.slice(1, path.endsWith('/') ? -1 : undefined).split('/');
}

const TRACKING = /^(?:utm_\w{1,20}|gclid|fbclid|_|_t|cb)$/;

/** Names and values of a query as they were sent, without those that only track. */
export function pairsOf(query: string): readonly (readonly [name: string, value: string])[] {
  return query.split('&').flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = at === -1 ? pair : pair.slice(0, at);
    return name === '' || TRACKING.test(name) ? [] : [[name, at === -1 ? '' : pair.slice(at + 1)] as const];
  });
}

/** Subtracts one from each count and deletes rows at 0, so that later ones can become frequent. Returns the number of characters that this frees. */
function forgetRare(rows: Map<string, Row>): number {
  let characters = 0;
  for (const [key, row] of rows) {
    row.count -= 1;
    if (row.count === 0) {
      rows.delete(key);
      characters += key.length;
    }
  }
  return characters;
}
