import type { RepositoryFile } from '../../../host/files/scan.ts';
import { baseName } from '../proposal/places.ts';
import {
  foundIn,
  isGuardedAt,
  joined,
  plainPath,
  type RouterGraph,
  type RouterRoute,
  routerKey,
} from './router-graph.ts';

/** Files that may have routes of ASP.NET. */
export const DOTNET_SOURCES = /\.cs$/;

const MAPPED = /\b(\w+)\s*\.\s*MapGet\(\s*"([^"]*)"/g;
const MAP_GROUP = /\b(\w+)\s*=\s*(\w+)\s*\.\s*MapGroup\(\s*"([^"]*)"/g;
const HTTP_GET = /\[HttpGet(?:\(\s*"([^"]*)"[^)]*\))?/g;
const CONTROLLER = /\[Route\(\s*"([^"]*)"[\s\S]*?\bclass\s+(\w+?)(?:Controller)?\b/;

/** The routers of a program in C#. */
export function dotnetRoutes(sources: readonly RepositoryFile[]): RouterGraph {
  return {
    routes: sources.flatMap((file) => [...mappedIn(file), ...controllerRoutes(file)]),
    mounts: sources.flatMap(({ path, text }) =>
      [...text.matchAll(MAP_GROUP)].map(([, variable = '', from = '', prefix = '']) => ({
        from: routerKey(path, from),
        to: routerKey(path, variable),
        prefix: plainPath(prefix) ?? '',
      })),
    ),
  };
}

function mappedIn({ path: file, text }: RepositoryFile): readonly RouterRoute[] {
  const isClosed = /\w\.RequireAuthorization\(/.test(text.replace(/\)\s*\.RequireAuthorization\(/g, ''));
  return foundIn(text, MAPPED).flatMap(({ match, next }): readonly RouterRoute[] => {
    const path = plainPath(match[2] ?? '');
    const isGuarded = isClosed || isGuardedAt(text, match.index, next);
    return path === undefined
      ? []
      : [{ router: routerKey(file, match[1]), path: path === '/' ? '' : path, file, isGuarded }];
  });
}

function controllerRoutes({ path: file, text }: RepositoryFile): readonly RouterRoute[] {
  const [, route = '', name = baseName(file)] = CONTROLLER.exec(text) ?? [];
  const prefix = route.replace(/\[controller\]/i, name.toLowerCase());
  return foundIn(text, HTTP_GET).flatMap(({ match, next }): readonly RouterRoute[] => {
    const own = match[1] ?? '';
    const path = plainPath(own.startsWith('/') ? own : joined(prefix, own) || '/');
    return path === undefined
      ? []
      : [{ router: routerKey(file), path, file, isGuarded: isGuardedAt(text, match.index, next) }];
  });
}
