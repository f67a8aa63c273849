import type { RepositoryFile } from '../../../host/files/scan.ts';
import { constantPath, joined, prefixesIn, type RouterGraph, routesFound, type SourceRoute } from './router-graph.ts';

/** Files that may have routes of Spring, JAX-RS, Javalin, Spark or Ktor. */
export const JAVA_SOURCES = /\.(?:java|kt)$|(?:^|\/)application\.(?:properties|ya?ml)$/;

const MAPPING = /@(Get|Post|Request)Mapping\b(?:\(([^)]{0,1000})\))?/g;
const CLASS = /^\s*(?:@\w+(?:\([^)]*\))?\s*|public\s+|abstract\s+|final\s+|open\s+|internal\s+)*(?:class|interface)\b/;
const RESOURCE = /@(GET|POST)\b/g;
/** Spring Data REST repository. */
const REPOSITORY = /@RepositoryRestResource\(([^)]{0,300})\)/g;

export function javaRoutes(files: readonly RepositoryFile[]): RouterGraph {
  const context = files
    .filter(({ path }) => !/\.(?:java|kt)$/.test(path))
    .map(({ text }) => /context-path\s*[:=]\s*["']?(\/[\w./-]*)/.exec(text)?.[1])
    .find((path) => path !== undefined);
  const sources = files.filter(({ path }) => /\.(?:java|kt)$/.test(path));
  const routes = sources.flatMap((file) => [
    ...springRoutes(file),
    ...resourceRoutes(file),
    ...routesFound(file, REPOSITORY, ([, list = '']) => ({ path: exportedPath(list) })),
    ...(CALLING.test(file.text) ? calledRoutes(file, sources) : []),
  ]);
  return { routes: routes.map((route) => ({ ...route, path: joined(context ?? '', route.path) || '/' })), mounts: [] };
}

function exportedPath(list: string): string | undefined {
  const path = /\bpath\s*=\s*"([^"]*)"/.exec(list)?.[1];
  return path === undefined || /\bexported\s*=\s*false\b/.test(list) ? undefined : joined(path);
}

function springRoutes(file: RepositoryFile): readonly SourceRoute[] {
  const { text } = file;
  // A client interface is no service.
  if (/@FeignClient\b/.test(text)) {
    return [];
  }
  const classes = [...text.matchAll(MAPPING)].filter(({ index, 0: whole }) =>
    CLASS.test(text.slice(index + whole.length)),
  );
  return routesFound(file, MAPPING, ({ index, 1: kind, 2: list = '' }) => {
    const above = classes.findLast((one) => one.index < index);
    const isClass = classes.some((one) => one.index === index);
    const path = joined(mappedPath(above?.[2] ?? ''), mappedPath(list)) || '/';
    const named = /method\s*=/.test(list) ? (list.match(/\b(?:GET|POST)\b/g) ?? []) : undefined;
    return { path: isClass ? undefined : path, methods: kind === 'Request' ? named : [kind] };
  });
}

/** Empty without a path. */
function mappedPath(list: string): string {
  return (/^\s*(?:\{\s*)?"([^"]*)"/.exec(list) ?? /\b(?:path|value)\s*=\s*(?:[[{]\s*)?"([^"]*)"/.exec(list))?.[1] ?? '';
}

function resourceRoutes(file: RepositoryFile): readonly SourceRoute[] {
  const { text } = file;
  const ofClass = /@Path\(\s*"([^"]*)"\s*\)[^{;]*?\b(?:class|interface)\b/.exec(text)?.[1] ?? '';
  return routesFound(file, RESOURCE, ({ index, 1: method }) => {
    const from = Math.max(...['{', '}', ';'].map((sign) => text.lastIndexOf(sign, index))) + 1;
    const head = text.slice(from, text.indexOf('{', index));
    return { path: joined(ofClass, /@Path\(\s*"([^"]*)"/.exec(head)?.[1] ?? '') || '/', methods: [method], from };
  });
}

/** Frameworks whose routes are calls: `get("/orders", …)`, below blocks of `path("/shop", …)` or `route("/shop")`. */
const CALLING = /\b(?:io\.javalin|spark\.Spark|io\.ktor\.server)\b/;
const CALLED = /(?<!@)\b(get|post)\(\s*(?:"(\/?[^"\s]*)"|([A-Z]\w*(?:\.\w+)+))\s*[,)]/g;
const BLOCK = /\b(?:path|route)\(\s*"([^"\s]*)"\s*(?:,\s*\(\)\s*->\s*\{|\)\s*\{)/g;

function calledRoutes(file: RepositoryFile, sources: readonly RepositoryFile[]): readonly SourceRoute[] {
  const prefixesAt = prefixesIn(file.text, BLOCK);
  return routesFound(file, CALLED, ({ index, 1: method, 2: written, 3: constant = '' }) => {
    const own = written ?? constantPath(constant, sources);
    const above = prefixesAt(index);
    const isPath = own !== undefined && (own.startsWith('/') || above.length > 0);
    return { path: isPath ? joined(...above, own) || '/' : undefined, methods: [method] };
  });
}
