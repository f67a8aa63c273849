import type { RepositoryFile } from '../../../host/files/scan.ts';
import {
  constantPath,
  foundIn,
  isGuardedAt,
  joined,
  plainPath,
  type RouterGraph,
  type RouterRoute,
  routerKey,
} from './router-graph.ts';

/** Files that may have routes of Spring, JAX-RS, Javalin, Spark or Ktor. */
export const JAVA_SOURCES = /\.(?:java|kt)$|(?:^|\/)application\.(?:properties|ya?ml)$/;

const MAPPING = /@(Get|Request)Mapping\b(?:\(([^)]*)\))?/g;
const CLASS = /^\s*(?:@\w+(?:\([^)]*\))?\s*|public\s+|abstract\s+|final\s+|open\s+|internal\s+)*(?:class|interface)\b/;
const RESOURCE = /@GET\b/g;

/** The routes of a program in Java or Kotlin. */
export function javaRoutes(files: readonly RepositoryFile[]): RouterGraph {
  const context = files
    .filter(({ path }) => !/\.(?:java|kt)$/.test(path))
    .map(({ text }) => /context-path\s*[:=]\s*["']?(\/[\w./-]*)/.exec(text)?.[1])
    .find((path) => path !== undefined);
  const sources = files.filter(({ path }) => /\.(?:java|kt)$/.test(path));
  const routes = sources.flatMap((file) => [
    ...springRoutes(file),
    ...resourceRoutes(file),
    ...calledRoutes(file, sources),
  ]);
  return { routes: routes.map((route) => ({ ...route, path: joined(context ?? '', route.path) || '/' })), mounts: [] };
}

function springRoutes({ path: file, text }: RepositoryFile): readonly RouterRoute[] {
  // The interface of a client is no service.
  if (/@FeignClient\b/.test(text)) {
    return [];
  }
  const found = foundIn(text, MAPPING).map((one) => ({
    ...one,
    isClass: CLASS.test(text.slice(one.match.index + one.match[0].length)),
  }));
  return found.flatMap(({ match, next, isClass }): readonly RouterRoute[] => {
    const [, kind, list = ''] = match;
    const above = found.findLast((one) => one.isClass && one.match.index < match.index);
    const path = plainPath(joined(mappedPath(above?.match[2] ?? ''), mappedPath(list)) || '/');
    const answersGet = kind === 'Get' || !/method\s*=/.test(list) || /\bGET\b/.test(list);
    const isGuarded = isGuardedAt(text, match.index, next);
    return isClass || path === undefined || !answersGet ? [] : [{ router: routerKey(file), path, file, isGuarded }];
  });
}

/** Empty if there is none. */
function mappedPath(list: string): string {
  return (/^\s*(?:\{\s*)?"([^"]*)"/.exec(list) ?? /\b(?:path|value)\s*=\s*(?:[[{]\s*)?"([^"]*)"/.exec(list))?.[1] ?? '';
}

function resourceRoutes({ path: file, text }: RepositoryFile): readonly RouterRoute[] {
  const ofClass = /@Path\(\s*"([^"]*)"\s*\)[^{;]*?\b(?:class|interface)\b/.exec(text)?.[1] ?? '';
  return foundIn(text, RESOURCE).flatMap(({ match, next }): readonly RouterRoute[] => {
    const from = Math.max(...['{', '}', ';'].map((sign) => text.lastIndexOf(sign, match.index))) + 1;
    const head = text.slice(from, text.indexOf('{', match.index));
    const path = plainPath(joined(ofClass, /@Path\(\s*"([^"]*)"/.exec(head)?.[1] ?? '') || '/');
    return path === undefined
      ? []
      : [{ router: routerKey(file), path, file, isGuarded: isGuardedAt(text, from, next) }];
  });
}

/** Frameworks whose routes are calls: `get("/orders", …)`, below blocks of `path("/shop", …)` or `route("/shop")`. */
const CALLING = /\b(?:io\.javalin|spark\.Spark|io\.ktor\.server)\b/;
const CALLED = /(?<!@)\bget\(\s*(?:"(\/?[^"\s]*)"|([A-Z]\w*(?:\.\w+)+))\s*[,)]/g;
const BLOCK = /\b(?:path|route)\(\s*"([^"\s]*)"\s*(?:,\s*\(\)\s*->\s*\{|\)\s*\{)/g;

function calledRoutes(
  { path: file, text }: RepositoryFile,
  sources: readonly RepositoryFile[],
): readonly RouterRoute[] {
  if (!CALLING.test(text)) {
    return [];
  }
  const blocks = [...text.matchAll(BLOCK)].map((match) => ({
    prefix: match[1] ?? '',
    from: match.index,
    to: closedAt(text, match.index + match[0].length),
  }));
  return foundIn(text, CALLED).flatMap(({ match, next }): readonly RouterRoute[] => {
    const own = match[1] ?? constantPath(match[2] ?? '', sources);
    const above = blocks.filter(({ from, to }) => from < match.index && match.index < to).map(({ prefix }) => prefix);
    const isPath = own !== undefined && (own.startsWith('/') || above.length > 0);
    const path = isPath ? plainPath(joined(...above, own) || '/') : undefined;
    return path === undefined
      ? []
      : [{ router: routerKey(file), path, file, isGuarded: isGuardedAt(text, match.index, next) }];
  });
}

/** The end of a block of braces that begins before a place. */
function closedAt(text: string, from: number): number {
  let open = 1;
  let at = from;
  for (; at < text.length && open > 0; at++) {
    open += text[at] === '{' ? 1 : text[at] === '}' ? -1 : 0;
  }
  return at;
}
