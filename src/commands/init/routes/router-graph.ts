import type { RepositoryFile } from '../../../host/files/scan.ts';

/** A route that answers GET, with `{name}` for each part of its path that varies. */
export interface SourceRoute {
  readonly path: string;
  /** The path of the file that has it. */
  readonly file: string;
  /** True if it seems to require credentials. */
  readonly isGuarded: boolean;
  /** True if its handler makes a WebSocket of the connection. */
  readonly isSocket?: boolean;
}

/** A route of a file, below the router that it belongs to. */
export interface RouterRoute extends SourceRoute {
  /** A key of its router: see `routerKey`. */
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

/** Key of the router in a variable of a file; without a variable, of all routers of the file that are mounted nowhere else. */
export function routerKey(file: string, variable = ''): string {
  return `${file}#${variable}`;
}

/** More levels are a circle. */
const DEEPEST = 8;

/** The routes with their whole paths: those of the routers that lead to them, in front. */
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

/** Parts of a path, with one slash between them; what ends in a slash goes on doing so. */
export function joined(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('/') ? part : `/${part}`))
    .reduce((before, part) => `${before.replace(/\/$/, '')}${part}`, '');
}

/**
 * A path with `{name}` in the place of what frameworks write for a part that varies (`:id`, `<int:id>`, `{id:[0-9]+}`); undefined if it is
 * a pattern of another kind.
 */
export function plainPath(path: string): string | undefined {
  const named = path
    .replace(/<(?:[^<>:]*:)?(\w+)>/g, '{$1}')
    .replace(/\{(\w+)(?:[:=][^{}]*(?:\{[^{}]*\}[^{}]*)*|\?)\}/g, '{$1}')
    .replace(/:(\w+)(?:\([^()]*\))?/g, '{$1}');
  return /^[\w./~@!$&'+;=%-]*(?:\{[A-Za-z_]\w*\}[\w./~@!$&'+;=%-]*)*$/.test(named) ? named : undefined;
}

/** A source without its lines of comments, of the same length. */
export function withoutComments(text: string): string {
  return text.replace(/^[\t ]*(?:\/\/|#(?!\[)|\*).*$/gm, (line) => ' '.repeat(line.length));
}

const GUARDS =
  /\bauth(?!or)|(?:require|check|ensure|is|with|verify|need)s?_?auth(?!or)|authenticat|authoriz|login_?required|jwt|current_?\w{0,40}user|superuser|principal|guard|permission|preauthorize|isLogged|session_required/i;

/** Number of characters after a route that show its guards: its handlers, and not those of the next. */
const LOOKED_AT = 300;

/** True if a route seems to require credentials, judging by the text between it and the next route. */
export function isGuardedAt(text: string, from: number, to: number): boolean {
  return GUARDS.test(text.slice(from, Math.min(to, from + LOOKED_AT)));
}

/** All that a pattern finds, each with the place at which the next begins. */
export function foundIn(
  text: string,
  pattern: RegExp,
): readonly { readonly match: RegExpExecArray; readonly next: number }[] {
  const matches = [...text.matchAll(pattern)];
  return matches.map((match, index) => ({ match, next: matches[index + 1]?.index ?? text.length }));
}

/** The paths in the constants of a program: those of the only constant with that name; undefined without one. */
export function constantPath(expression: string, files: readonly RepositoryFile[]): string | undefined {
  const name = /(?<!\w)(\w+)\s*$/.exec(expression)?.[1];
  if (name === undefined) {
    return undefined;
  }
  const pattern = new RegExp(`\\b${name}\\b["']?\\s*(?::\\s*\\w+\\s*)?[:=]\\s*["'\`](/[\\w./-]*)["'\`]`);
  return files.map(({ text }) => pattern.exec(text)?.[1]).find((path) => path !== undefined);
}
