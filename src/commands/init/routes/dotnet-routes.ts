import type { RepositoryFile } from '../../../host/files/scan.ts';
import { baseName } from '../read/places.ts';
import { joined, plainPath, type RouterGraph, routerKey, routesFound, type SourceRoute } from './router-graph.ts';

/** Files that may have routes of ASP.NET. */
export const DOTNET_SOURCES = /\.cs$/;

const MAPPED = /\b(\w+)\s*\.\s*Map(Get|Post)\(\s*"([^"]*)"/g;
const MAP_GROUP = /\b(\w+)\s*=\s*(\w+)\s*\.\s*MapGroup\(\s*"([^"]*)"/g;
const HTTP_METHOD = /\[Http(Get|Post)(?:\(\s*"([^"]*)"[^)]*\))?/g;
const CONTROLLER = /\[Route\(\s*"([^"]*)"[\s\S]*?\bclass\s+(\w+?)(?:Controller)?\b/;

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

function mappedIn(file: RepositoryFile): readonly SourceRoute[] {
  const isGuarded = /\w\.RequireAuthorization\(/.test(file.text.replace(/\)\s*\.RequireAuthorization\(/g, ''));
  return routesFound(file, MAPPED, ([, variable, method, path]) => ({
    router: routerKey(file.path, variable),
    path: path === '/' ? '' : path,
    methods: [method],
    isGuarded,
  }));
}

function controllerRoutes(file: RepositoryFile): readonly SourceRoute[] {
  const [, route = '', name = baseName(file.path)] = CONTROLLER.exec(file.text) ?? [];
  const prefix = route.replace(/\[controller\]/i, name.toLowerCase());
  return routesFound(file, HTTP_METHOD, ([, method, own = '']) => ({
    path: own.startsWith('/') ? own : joined(prefix, own) || '/',
    methods: [method],
  }));
}
