import type { RepositoryFile } from '../../../host/files/scan.ts';
import { folderOf, pathBelow } from '../read/places.ts';
import {
  constantPath,
  joined,
  type Mount,
  plainPath,
  type RouterGraph,
  routerKey,
  routesFound,
  type SourceRoute,
} from './router-graph.ts';

/** Files that may have routes of Express, Fastify, Koa, Hono, NestJS, routing-controllers and the like. */
export const NODE_SOURCES = /\.(?:js|ts|mjs|cjs|mts|cts)$/;

/** Variables whose `get` sends a request or reads a store. */
const CLIENTS =
  /^(?:axios|http|https|request|fetch\w*|\w*[cC]lient|cache|redis|store|map|config|params|headers|\$http|page|cy|agent)$/;

export function nodeRoutes(sources: readonly RepositoryFile[]): RouterGraph {
  const known = new Set(sources.map(({ path }) => path));
  return {
    routes: sources.flatMap((file) => [...methodRoutes(file), ...nestRoutes(file, sources)]),
    mounts: sources.flatMap((file) => [...mountsIn(file, sources, known), ...autoloaded(file, known)]),
  };
}

const CALLED = /\b(\w+)\s*\.\s*(get|post)(?:<[^>(]*>)?\(\s*(['"`])(\/[^'"`$]*)\3/g;
const CHAINED = /\b(\w+)\s*\.\s*route(?=([^;]{0,1000}))\(\s*(['"`])(\/[^'"`$]*)\3\s*\)/g;
const DESCRIBED =
  /\b(\w+)\s*\.\s*route\(\s*\{(?=[^}]{0,500}method:\s*['"`](GET|POST)['"`])[^}]{0,500}?url:\s*(['"`])(\/[^'"`$]*)\3/gi;

function methodRoutes(file: RepositoryFile): readonly SourceRoute[] {
  return [CALLED, CHAINED, DESCRIBED].flatMap((pattern) =>
    routesFound(file, pattern, ([, variable = '', methods = '', , written]) => ({
      router: routerKey(file.path, variable),
      path: CLIENTS.test(variable) ? undefined : written?.replace(/\/$/, ''),
      methods: pattern === CHAINED ? chainedMethods(methods) : [methods],
    })),
  );
}

/** Methods of `.get(list).post(add)`. */
function chainedMethods(chain: string): readonly (string | undefined)[] {
  return [...chain.matchAll(/\.\s*(get|post)\(/g)].map(([, method]) => method);
}

const HANDLER = /@(Get|Post)\(\s*(?:(['"`])([^'"`$]*)\2)?\s*\)/g;
const CONTROLLER = /@(?:Json)?Controller\(\s*(?:\{\s*path:\s*)?(?:(['"`])([^'"`$]*)\1)?/g;

/** Routes of NestJS and routing-controllers: the decorators of controllers and of their methods. */
function nestRoutes(file: RepositoryFile, sources: readonly RepositoryFile[]): readonly SourceRoute[] {
  const { text } = file;
  const controllers = [...text.matchAll(CONTROLLER)];
  const all = sources.map((source) => /setGlobalPrefix\(\s*(['"`])([^'"`$]*)\1/.exec(source.text)?.[2]);
  const global = all.find((prefix) => prefix !== undefined) ?? '';
  return routesFound(file, HANDLER, ({ index, 1: method, 3: written = '' }) => {
    const above = controllers.findLast((one) => one.index < index);
    const path = above && joined(global, above[2] ?? '', written);
    // Guards come before the handler or after it.
    return { path, methods: [method], from: text.lastIndexOf('}', index) + 1 };
  });
}

const USED = /\b(\w+)\s*\.\s*(?:use|register|route)\(\s*([^;]{0,500}?)\)\s*(?:;|\n|$)/g;
const LISTED = /\{\s*path:\s*(['"`])(\/[^'"`$]*)\1\s*,\s*(?:route|router|routes)\s*:\s*(\w+)/g;
const PASSED = /^[\t ]*(\w+)\((\w+)\);?[\t ]*$/gm;

/** Routers that others use: `app.use('/api', users)`, `register(users, { prefix })`, `{ path, route }` in a list, `users(app)`. */
function mountsIn(
  file: RepositoryFile,
  sources: readonly RepositoryFile[],
  known: ReadonlySet<string>,
): readonly Mount[] {
  const { path, text } = file;
  const imported = importsOf(file, known);
  const used = [...text.matchAll(USED)].flatMap(([, variable = '', list = '']): readonly Mount[] => {
    const required = /require\(\s*['"`](\.[^'"`]*)['"`]/.exec(list)?.[1];
    const names = [...list.replace(/(['"`]).*?\1/g, '').matchAll(/\b[A-Za-z_$][\w$]*/g)].map(([name]) => name);
    const targets = names.map((name) => {
      const isOwn = new RegExp(`\\b${name.replace('$', '\\$')}\\s*=\\s*(?:new\\s+)?(?:\\w+\\.)?Router\\(`).test(text);
      return imported.get(name) ?? (isOwn ? routerKey(path, name) : undefined);
    });
    const all = [...targets, required && moduleAt(path, required, known)];
    const mount = { from: routerKey(path, variable), prefix: prefixIn(list, sources) };
    return all.map((to) => ({ ...mount, to }));
  });
  const listed = [...text.matchAll(LISTED)].map(([, , prefix = '', name = '']) => ({
    ...{ from: routerKey(path, 'router'), to: imported.get(name), prefix },
  }));
  const passed = [...text.matchAll(PASSED)].map(([, name = '', variable]) => ({
    ...{ from: routerKey(path, variable), to: imported.get(name), prefix: '' },
  }));
  return [...used, ...listed, ...passed];
}

/** Empty without a prefix; undefined if it cannot be known. */
function prefixIn(list: string, sources: readonly RepositoryFile[]): string | undefined {
  const named = /prefix\s*:\s*(?:(['"`])([^'"`$]*)\1|([\w.]+))/.exec(list);
  if (named !== null) {
    return named[2] ?? constantPath(named[3] ?? '', sources);
  }
  const first = /^(['"`])([^'"`$]*)\1/.exec(list)?.[2];
  const expression = /^([A-Za-z_$][\w$]*(?:\.\w+)+)\s*,/.exec(list)?.[1];
  return first ?? (expression === undefined ? '' : constantPath(expression, sources));
}

const IMPORTS = [
  /\bimport\s+(?:\*\s+as\s+)?(\w+)\s+from\s+['"](\.[^'"]*)['"]/g,
  /\b(?:const|let|var)\s+(\w+)\s*=\s*require\(\s*['"`](\.[^'"`]*)['"`]\s*\)/g,
];
const NAMED_IMPORTS = /\b(?:import|const|let|var)\s*\{([^{}]*)\}\s*(?:from|=\s*require\()\s*['"`](\.[^'"`]*)['"`]/g;

/** Routers of the files that the names imported by a file come from. */
function importsOf({ path, text }: RepositoryFile, known: ReadonlySet<string>): ReadonlyMap<string, string> {
  const whole = IMPORTS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, name = '', at = '']) => [name, at] as const),
  );
  const named = [...text.matchAll(NAMED_IMPORTS)].flatMap(([, names = '', at = '']) =>
    names.split(',').map((one) => [/(?<!\w)(\w+)\s*$/.exec(one)?.[1] ?? '', at] as const),
  );
  return new Map(
    [...whole, ...named].flatMap(([name, at]) => {
      const other = moduleAt(path, at, known);
      return other === undefined ? [] : [[name, other] as const];
    }),
  );
}

const ENDINGS = ['', '.js', '.ts', '.mjs', '.cjs', '.mts', '/index.js', '/index.ts'];

/** Key of the routers of an imported file. */
function moduleAt(from: string, path: string, known: ReadonlySet<string>): string | undefined {
  const at = pathBelow(folderOf(from), path.replace(/\/$/, ''));
  const plain = at?.replace(/\.(?:js|mjs)$/, '');
  const candidates = [at, plain].flatMap((one) => (one === undefined ? [] : ENDINGS.map((ending) => one + ending)));
  const file = candidates.find((one) => known.has(one));
  return file && routerKey(file);
}

/** Mounts of Fastify's autoload: each file below the folder `routes` is mounted at the path of its folder. */
function autoloaded({ path: file, text }: RepositoryFile, known: ReadonlySet<string>): readonly Mount[] {
  if (!/autoload/i.test(text)) {
    return [];
  }
  const folder = joined(folderOf(file), 'routes').slice(1);
  return [...known]
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => ({
      from: routerKey(file),
      to: routerKey(path),
      prefix:
        plainPath(
          folderOf(path)
            .slice(folder.length)
            .replace(/\/_(\w+)/g, '/{$1}'),
        ) ?? '',
    }));
}
