import type { RepositoryFile } from '../../../host/files/scan.ts';
import {
  joined,
  type Mount,
  prefixesIn,
  type RouterGraph,
  type RouterRoute,
  routerKey,
  routesFound,
} from './router-graph.ts';

/** Files that may have routes of axum, Actix Web or Rocket. */
export const RUST_SOURCES = /\.rs$/;

const ROUTED = /\.route\(\s*"(\/[^"]*)"\s*,([^;]*?)\)\s*(?=\.|;|\n\s*\}|,)/g;
/** Those of Actix Web, in blocks of `.service(web::scope("/api")…)`. */
const RESOURCE = /\bweb::resource\(\s*"(\/[^"]*)"\s*\)((?:(?!\bweb::(?:resource|scope)\()[^;]){0,500})/g;
const SCOPE = /\.service\(\s*web::scope\(\s*"([^"]*)"/g;
const ATTRIBUTE = /#\[get\(\s*"(\/[^"]*)"/g;
const RUST_FUNCTION = /\bfn\s+(\w+)/g;
const NESTED = /\.(?:nest\(\s*"([^"]*)"\s*,|merge\()\s*(?:(\w+)::)?(\w+)\(/g;

/** The routers of a program in Rust. */
export function rustRoutes(sources: readonly RepositoryFile[]): RouterGraph {
  return {
    routes: sources.flatMap((file) => [
      ...resourcesIn(file),
      ...routesFound(file, ROUTED, ({ index, 1: path, 2: handlers = '' }) => ({
        router: routerKey(file.path, functionAt(file.text, index)),
        path: /\bget\b/.test(handlers) ? path : undefined,
      })),
      ...routesFound(file, ATTRIBUTE, ([, path]) => ({ path: path?.replace(/\?.*$/, '') })),
    ]),
    mounts: sources.flatMap((file) => nestedIn(file, sources)),
  };
}

function resourcesIn(file: RepositoryFile): readonly RouterRoute[] {
  const prefixesAt = prefixesIn(file.text, SCOPE, '()');
  return routesFound(file, RESOURCE, ({ index, 1: path = '', 2: handlers = '' }) => ({
    path: /\bweb::get\(/.test(handlers) ? joined(...prefixesAt(index), path) : undefined,
  }));
}

function functionAt(text: string, index: number): string {
  return [...text.matchAll(RUST_FUNCTION)].findLast((one) => one.index < index)?.[1] ?? '';
}

function nestedIn({ path, text }: RepositoryFile, sources: readonly RepositoryFile[]): readonly Mount[] {
  return [...text.matchAll(NESTED)].flatMap(({ index, 1: prefix = '', 2: module, 3: name = '' }): readonly Mount[] => {
    const ends = [`/${module}.rs`, `/${module}/mod.rs`];
    const other =
      module === undefined ? path : sources.find((one) => ends.some((end) => `/${one.path}`.endsWith(end)))?.path;
    return other === undefined
      ? []
      : [{ from: routerKey(path, functionAt(text, index)), to: routerKey(other, name), prefix }];
  });
}
