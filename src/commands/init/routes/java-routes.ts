import type { RepositoryFile } from '../../../host/files/scan.ts';
import {
  foundIn,
  isGuardedAt,
  joined,
  plainPath,
  type RouterGraph,
  type RouterRoute,
  routerKey,
} from './router-graph.ts';

/** Files that may have routes of Spring or JAX-RS. */
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
  const routes = sources.flatMap((file) => [...springRoutes(file), ...resourceRoutes(file)]);
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
