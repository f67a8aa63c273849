import type { RepositoryFile } from '../../../host/files/scan.ts';

const METHODS = ['GET', 'POST'] as const;

/** Route, with `{name}` for each variable part of its path. */
export interface SourceRoute {
  /** Key of its router; see `routerKey`. */
  readonly router: string;
  readonly method: (typeof METHODS)[number];
  /** Below its router, or whole. */
  readonly path: string;
  /** True if it seems to require credentials. */
  readonly isGuarded: boolean;
  /** True if its handler upgrades the connection to a WebSocket. */
  readonly isSocket?: boolean;
}

/** One router below another, by their keys. */
export interface Mount {
  readonly from: string;
  /** Undefined if the sources do not have it. */
  readonly to: string | undefined;
  /** Undefined if it cannot be known. */
  readonly prefix: string | undefined;
}

export interface RouterGraph {
  readonly routes: readonly SourceRoute[];
  readonly mounts: readonly Mount[];
}

/** Key of the router in a variable of a file; without a variable, of all routers of the file that are mounted nowhere. */
export function routerKey(file: string, variable = ''): string {
  return `${file}#${variable}`;
}

/** Deeper nesting is a cycle, or blocks that never end. */
const DEEPEST = 8;

/** Routes with whole paths: prefixed with those of the routers that lead to them. */
export function wholeRoutes({ routes, mounts }: RouterGraph): readonly SourceRoute[] {
  const known = mounts.filter(({ prefix }) => prefix !== undefined);
  // The first of several mounts counts.
  const above = new Map(known.toReversed().map((mount) => [mount.to, mount]));
  const prefixOf = (router: string, depth: number): string => {
    const mount = above.get(router) ?? above.get(router.slice(0, router.indexOf('#') + 1));
    return mount === undefined || depth > DEEPEST ? '' : joined(prefixOf(mount.from, depth + 1), mount.prefix ?? '');
  };
  return routes.map((route) => ({ ...route, path: joined(prefixOf(route.router, 0), route.path) || '/' }));
}

/** Parts of a path joined by single slashes; a trailing slash stays. */
export function joined(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('/') ? part : `/${part}`))
    .reduce((before, part) => `${before.replace(/\/$/, '')}${part}`, '');
}

/** Path with `{name}` for each variable part that a framework writes as `:id`, `<int:id>`, `{id:[0-9]+}` or `{id<\d+>}`; undefined if it is another kind of pattern. */
export function plainPath(path: string): string | undefined {
  const named = path
    .replace(/<(?:[^<>:]*:)?(\w+)>/g, '{$1}')
    .replace(/\{(\w+)[:=<?][^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, '{$1}')
    .replace(/:(\w+)(?:\([^()]*\))?/g, '{$1}');
  return /^[\w./~@!$&'+;=%-]*(?:\{[A-Za-z_]\w*\}[\w./~@!$&'+;=%-]*)*$/.test(named) ? named : undefined;
}

/** Source without comment lines, with the same length. */
export function withoutComments(text: string): string {
  return text.replace(/^[\t ]*(?:\/\/|#(?!\[)|\*).*$/gm, (line) => ' '.repeat(line.length));
}

const GUARDS =
  /\bauth(?!or)|(?:require|check|ensure|is|with|verify|need)s?_?auth(?!or)|authenticat|authoriz|login_?required|jwt|current_?\w{0,40}user|superuser|principal|guard|permission|preauthorize|isGranted|isLogged|session_required/i;

/** Characters after a route that show its guards: enough for its handlers, too few to reach the next route's. */
const LOOKED_AT = 300;

/** Route in the notation of a framework. */
interface WrittenRoute extends Partial<Omit<SourceRoute, 'path' | 'method'>> {
  /** Undefined if it is no route. */
  readonly path: string | undefined;
  /** Methods such as `Get`; default: all. */
  readonly methods?: readonly (string | undefined)[] | undefined;
  /** Beginning and end of the text that shows its guards; default: from the match to the next one. */
  readonly from?: number;
  readonly to?: number;
}

/** Routes that a pattern finds in a file, one for each path and method; paths that are another kind of pattern are left out. */
export function routesFound(
  { path: file, text }: RepositoryFile,
  pattern: RegExp,
  written: (match: RegExpExecArray) => WrittenRoute | readonly WrittenRoute[],
): readonly SourceRoute[] {
  const matches = [...text.matchAll(pattern)];
  return matches.flatMap((match, index) =>
    [written(match)].flat().flatMap(({ path, methods, from = match.index, to = text.length, ...route }) => {
      const plain = path === undefined ? undefined : plainPath(path);
      const end = Math.min(to, matches[index + 1]?.index ?? to, from + LOOKED_AT);
      const isGuarded = route.isGuarded === true || GUARDS.test(text.slice(from, end));
      const answered = METHODS.filter((one) => methods?.some((name) => name?.toUpperCase() === one) !== false);
      return plain === undefined
        ? []
        : answered.map((method) => ({ router: routerKey(file), ...route, method, path: plain, isGuarded }));
    }),
  );
}

/**
 * Routes of a Rails or Laravel resource, for the collection and for one member, as its options restrict them: `only: [:index]`, `->except(['show'])`.
 * Pages with forms are left out.
 */
export function crudRoutes(all: string, one: string, options: string): readonly WrittenRoute[] {
  const [, kind, names = ''] = /\b(only|except)\b([^\])}]*)/.exec(options) ?? [];
  const listed = names.match(/\w+/g) ?? [];
  const has = (name: RegExp) => kind === undefined || listed.some((action) => name.test(action)) === (kind === 'only');
  const [index, create, show] = [all !== one && has(/^index$/), has(/^(?:create|store)$/), has(/^show$/)];
  return [
    { path: all, methods: [...(index ? ['GET'] : []), ...(create ? ['POST'] : [])] },
    { path: one, methods: show ? ['GET'] : [] },
  ];
}

/** Prefixes of the blocks around a place; `block` finds their beginnings. A block is the braces after that, or the parentheses at its end, else the first in it. */
export function prefixesIn(text: string, block: RegExp, brackets = '{}'): (at: number) => readonly string[] {
  const ends = closings(text, brackets);
  const blocks = [...text.matchAll(block)].map(({ index, 0: whole, 1: prefix = '' }) => {
    const last = index + whole.length - 1;
    const isLast = brackets === '{}' || text[last] === brackets[0];
    const open = text.indexOf(brackets.charAt(0), isLast ? last : index);
    return { prefix, from: index, to: ends.get(open) ?? text.length };
  });
  return (at) => {
    const around = blocks.filter(({ from, to }) => from < at && at < to);
    return around.slice(0, DEEPEST).map(({ prefix }) => prefix);
  };
}

/** Position of the closing bracket for each opening one, in one pass, even if many blocks never end. */
function closings(text: string, [opens, closes]: string): ReadonlyMap<number, number> {
  const open: number[] = [];
  const ends = new Map<number, number>();
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === opens) {
      open.push(at);
    } else if (text[at] === closes) {
      ends.set(open.pop() ?? at, at);
    }
  }
  return ends;
}

/** Call that begins at a place, with its arguments; `most` characters bound the time for nested calls. */
export function callAt(text: string, from: number, most: number): string {
  const call = text.slice(from, from + most);
  return call.slice(0, closings(call, '()').get(call.indexOf('(')));
}

/** Paths in the constants of a program, if only one constant has that name; else undefined. */
export function constantPath(expression: string, files: readonly RepositoryFile[]): string | undefined {
  const name = /(?<!\w)(\w+)\s*$/.exec(expression)?.[1];
  if (name === undefined) {
    return undefined;
  }
  const pattern = new RegExp(`\\b${name}\\b["']?\\s*(?::\\s*\\w+\\s*)?[:=]\\s*["'\`](/[\\w./-]*)["'\`]`);
  return files.map(({ text }) => pattern.exec(text)?.[1]).find((path) => path !== undefined);
}
