import type { RepositoryFile } from '../../../host/files/scan.ts';
import {
  foundIn,
  isGuardedAt,
  type Mount,
  plainPath,
  type RouterGraph,
  type RouterRoute,
  routerKey,
} from './router-graph.ts';

/** Files that may have routes of axum, Actix Web or Rocket. */
export const RUST_SOURCES = /\.rs$/;

const ROUTED = /\.route\(\s*"(\/[^"]*)"\s*,([^;]*?)\)\s*(?=\.|;|\n\s*\}|,)/g;
const ATTRIBUTE = /#\[get\(\s*"(\/[^"]*)"/g;
const RUST_FUNCTION = /\bfn\s+(\w+)/g;
const NESTED = /\.(?:nest\(\s*"([^"]*)"\s*,|merge\()\s*(?:(\w+)::)?(\w+)\(/g;

/** The routers of a program in Rust. */
export function rustRoutes(sources: readonly RepositoryFile[]): RouterGraph {
  return {
    routes: sources.flatMap((file) => [...routedIn(file), ...attributesIn(file)]),
    mounts: sources.flatMap((file) => nestedIn(file, sources)),
  };
}

function functionAt(text: string, index: number): string {
  return [...text.matchAll(RUST_FUNCTION)].findLast((one) => one.index < index)?.[1] ?? '';
}

function routedIn({ path: file, text }: RepositoryFile): readonly RouterRoute[] {
  return foundIn(text, ROUTED).flatMap(({ match, next }): readonly RouterRoute[] => {
    const [, written = '', handlers = ''] = match;
    const path = plainPath(written);
    return path === undefined || !/\bget\b/.test(handlers)
      ? []
      : [
          {
            router: routerKey(file, functionAt(text, match.index)),
            path,
            file,
            isGuarded: isGuardedAt(text, match.index, next),
          },
        ];
  });
}

function attributesIn({ path: file, text }: RepositoryFile): readonly RouterRoute[] {
  return foundIn(text, ATTRIBUTE).flatMap(({ match, next }): readonly RouterRoute[] => {
    const path = plainPath((match[1] ?? '').replace(/\?.*$/, ''));
    return path === undefined
      ? []
      : [{ router: routerKey(file), path, file, isGuarded: isGuardedAt(text, match.index, next) }];
  });
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
