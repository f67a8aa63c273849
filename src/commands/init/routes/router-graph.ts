import type { RepositoryFile } from '../../../host/files/scan.ts';

const METHODS = ['GET', 'POST'] as const;

/** Route, with `{name}` for each variable part of its path. */
export interface SourceRoute {
  readonly method: (typeof METHODS)[number];
  readonly path: string;
  /** Path of its file. */
  readonly file: string;
  /** True if it seems to require credentials. */
  readonly isGuarded: boolean;
  /** True if its handler upgrades the connection to a WebSocket. */
  readonly isSocket?: boolean;
}

/** Route of a file, relative to its router. */
export interface RouterRoute extends SourceRoute {
  /** Key of its router; see `routerKey`. */
  readonly router: string;
}

/** One router below another. */
export interface Mount {
  readonly from: string;
  readonly to: string;
  readonly prefix: string;
}

/** Routers in the sources of a service. */
export interface RouterGraph {
  readonly routes: readonly RouterRoute[];
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
  const above = new Map<string, Mount>();
  for (const mount of mounts) {
    if (!above.has(mount.to)) {
      above.set(mount.to, mount);
    }
  }
  const prefixOf = (router: string, depth: number): string => {
    const mount = above.get(router) ?? above.get(router.slice(0, router.indexOf('#') + 1));
    return mount === undefined || depth > DEEPEST ? '' : joined(prefixOf(mount.from, depth + 1), mount.prefix);
  };
  return routes.map(({ router, path, ...route }) => ({ ...route, path: joined(prefixOf(router, 0), path) || '/' }));
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
interface WrittenRoute extends Partial<Omit<RouterRoute, 'path' | 'file' | 'method'>> {
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
): readonly RouterRoute[] {
  const matches = [...text.matchAll(pattern)];
  return matches.flatMap((match, index) =>
    [written(match)].flat().flatMap(({ path, methods, from = match.index, to = text.length, ...route }) => {
      const plain = path === undefined ? undefined : plainPath(path);
      const end = Math.min(to, matches[index + 1]?.index ?? to, from + LOOKED_AT);
      const isGuarded = route.isGuarded === true || GUARDS.test(text.slice(from, end));
      const answered = METHODS.filter((one) => methods?.some((name) => name?.toUpperCase() === one) !== false);
      return plain === undefined
        ? []
        : answered.map((method) => ({ router: routerKey(file), ...route, method, path: plain, file, isGuarded }));
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
  const around = (at: number) => blocks.filter(({ from, to }) => from < at && at < to);
  return (at) =>
    around(at)
      .slice(0, DEEPEST)
      .map(({ prefix }) => prefix);
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

/** Position of the bracket that closes the one at `open`; the end of the text without one. */
export function closing(text: string, open: number, [opens, closes]: string = '{}'): number {
  let depth = 0;
  for (let at = open; at >= 0 && at < text.length; at += 1) {
    depth += text[at] === opens ? 1 : text[at] === closes ? -1 : 0;
    if (depth === 0) {
      return at;
    }
  }
  return text.length;
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
