import type { RepositoryFile } from '../../../host/files/scan.ts';
import {
  closing,
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

const ROUTED = /\.route\(\s*"(\/[^"]*)"\s*,/g;
/** Characters of a call, which bounds the time for calls that never end. */
const LONGEST = 1000;
/** Those of Actix Web, in blocks of `.service(web::scope("/api")…)`. */
const RESOURCE = /\bweb::resource\(\s*"(\/[^"]*)"\s*\)((?:(?!\bweb::(?:resource|scope)\()[^;]){0,500})/g;
const SCOPE = /\.service\(\s*web::scope\(\s*"([^"]*)"/g;
const ATTRIBUTE = /#\[(get|post)\(\s*"(\/[^"]*)"/g;
const RUST_FUNCTION = /\bfn\s+(\w+)/g;
const NESTED = /\.(?:nest\(\s*"([^"]*)"\s*,|merge\()\s*(?:(\w+)::)?(\w+)\(/g;

/** The routers of a program in Rust. */
export function rustRoutes(sources: readonly RepositoryFile[]): RouterGraph {
  return {
    routes: sources.flatMap((file) => [
      ...resourcesIn(file),
      ...routedIn(file),
      ...routesFound(file, ATTRIBUTE, ([, method, path]) => ({ path: path?.replace(/\?.*$/, ''), methods: [method] })),
    ]),
    mounts: sources.flatMap((file) => nestedIn(file, sources)),
  };
}

function routedIn(file: RepositoryFile): readonly RouterRoute[] {
  const nameAt = functionsIn(file.text);
  return routesFound(file, ROUTED, ({ index, 1: path }) => {
    const call = file.text.slice(index, index + LONGEST);
    const handlers = call.slice(0, closing(call, call.indexOf('('), '()')).replace(/"[^"]*"/g, '');
    return {
      router: routerKey(file.path, nameAt(index)),
      path,
      methods: handlers.match(/\b(?:get|post)\b/g) ?? [],
    };
  });
}

function resourcesIn(file: RepositoryFile): readonly RouterRoute[] {
  const prefixesAt = prefixesIn(file.text, SCOPE, '()');
  return routesFound(file, RESOURCE, ({ index, 1: path = '', 2: handlers = '' }) => ({
    path: joined(...prefixesAt(index), path),
    methods: handlers.match(/(?<=\bweb::)(?:get|post)(?=\()/g) ?? [],
  }));
}

/** Name of the function at a position of a text, for increasing positions. */
function functionsIn(text: string): (index: number) => string {
  const functions = [...text.matchAll(RUST_FUNCTION)];
  let name = '';
  let next = 0;
  return (index) => {
    for (let one = functions[next]; one !== undefined && one.index < index; one = functions[next]) {
      name = one[1] ?? '';
      next += 1;
    }
    return name;
  };
}

function nestedIn({ path, text }: RepositoryFile, sources: readonly RepositoryFile[]): readonly Mount[] {
  const nameAt = functionsIn(text);
  return [...text.matchAll(NESTED)].flatMap(({ index, 1: prefix = '', 2: module, 3: name = '' }): readonly Mount[] => {
    const ends = [`/${module}.rs`, `/${module}/mod.rs`];
    const other =
      module === undefined ? path : sources.find((one) => ends.some((end) => `/${one.path}`.endsWith(end)))?.path;
    return other === undefined ? [] : [{ from: routerKey(path, nameAt(index)), to: routerKey(other, name), prefix }];
  });
}
