import type { RepositoryFile } from '../../../host/files/scan.ts';
import { folderOf } from '../read/places.ts';
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

/** Files that may have routes of FastAPI, Flask, Django and the like. */
export const PYTHON_SOURCES = /\.py$/;

export function pythonRoutes(files: readonly RepositoryFile[]): RouterGraph {
  const sources = files.map(({ path, text }) => ({ path, text: withoutDocstrings(text) }));
  return {
    routes: sources.flatMap((file) => [...decorated(file), ...patterns(file)]),
    mounts: sources.flatMap((file) => [...includedRouters(file, sources), ...includedPatterns(file, sources)]),
  };
}

const TRIPLE_QUOTED = /(?:(^[\t ]*)|)("""|''')[\s\S]*?\2/gm;

/** Source without docstrings: the one that `django-admin startproject` writes has example routes. */
function withoutDocstrings(text: string): string {
  return text.replace(TRIPLE_QUOTED, (whole, indent?: string) => (indent === undefined ? whole : ''));
}

const DECORATOR =
  /@(\w+(?:\.\w+)?)\.(get|post|route)\(\s*(?:(?:path|rule)\s*=\s*)?[rf]?(["'])([^"'\n]*)\3([^)]{0,2000})/g;
const OWN_PREFIX = /\b(\w+)\s*(?::\s*\w+\s*)?=\s*(?:\w+\.)?(?:APIRouter|Blueprint|APIBlueprint)\(([^)]{0,2000})/g;

function decorated(file: RepositoryFile): readonly SourceRoute[] {
  const own = new Map(
    [...file.text.matchAll(OWN_PREFIX)].map(([, name = '', list = '']) => [name, PREFIX.exec(list)?.[1]]),
  );
  return routesFound(file, DECORATOR, ([, variable = '', kind, , written = '', rest = '']) => {
    const listed = /methods\s*=/.test(rest) ? (rest.match(/(?<=["'])(?:GET|POST)(?=["'])/gi) ?? []) : ['GET'];
    return {
      router: routerKey(file.path, variable),
      path: joined(own.get(variable) ?? '', written),
      methods: kind === 'route' ? listed : [kind],
    };
  });
}

const PREFIX = /\b(?:url_)?prefix\s*=\s*["']([^"']*)["']/;

const INCLUDED = /\b(\w+(?:\.\w+)?)\.(?:include_router|register_blueprint)\(\s*([\w.]+)\s*,?([^)]{0,2000})/g;

/** `app.include_router(users.router, prefix="/users")` and `app.register_blueprint(users, url_prefix="/users")`. */
function includedRouters({ path, text }: RepositoryFile, sources: readonly RepositoryFile[]): readonly Mount[] {
  return [...text.matchAll(INCLUDED)].map(([, variable, target = '', list = '']) => {
    const expression = /\b(?:url_)?prefix\s*=\s*([A-Za-z_][\w.]*)/.exec(list)?.[1];
    const prefix = PREFIX.exec(list)?.[1] ?? (expression === undefined ? '' : constantPath(expression, sources)) ?? '';
    const [name = ''] = target.split('.');
    const other = importedFrom({ path, text }, name, sources);
    const to = other === undefined ? routerKey(path, target) : routerKey(other);
    return { from: routerKey(path, variable), to, prefix };
  });
}

const FROM = /^[\t ]*from\s+(?=\S)(\.*)(?!\.)([\w.]*)\s+import\s+(?:\(([^)]*)\)|(.*))$/gm;

/** File that an imported name comes from: a module, or a member of a module. */
function importedFrom(
  { path, text }: RepositoryFile,
  name: string,
  sources: readonly RepositoryFile[],
): string | undefined {
  const imports = [...text.matchAll(FROM)].flatMap(([, dots = '', module = '', several, one]) =>
    (several ?? one ?? '').split(',').map((part) => ({ dots, module, part: /^\s*(\w+)(?:\s+as\s+(\w+))?/.exec(part) })),
  );
  const found = imports.find(({ part }) => (part?.[2] ?? part?.[1]) === name);
  if (found !== undefined) {
    const base = [...found.dots].reduce((at, _, index) => folderOf(index === 0 ? path : at), '');
    const at = joined(base, found.module.replaceAll('.', '/')).slice(1);
    return moduleFile(joined(at, found.part?.[1] ?? '').slice(1), sources) ?? moduleFile(at, sources);
  }
  const whole = new RegExp(`^[\\t ]*import\\s+([\\w.]+)\\s+as\\s+${name}\\b`, 'm').exec(text)?.[1];
  return whole === undefined ? undefined : moduleFile(whole.replaceAll('.', '/'), sources);
}

/** File of a module by the end of its path, since the folder that modules are relative to is unknown. */
function moduleFile(module: string, sources: readonly RepositoryFile[]): string | undefined {
  const ends = [`${module}.py`, `${module}/__init__.py`];
  const found = sources.filter(({ path }) => ends.some((end) => path === end || path.endsWith(`/${end}`)));
  return found.toSorted((a, b) => a.path.length - b.path.length)[0]?.path;
}

const PATTERN = /\b(path|re_path|url)\(\s*r?(["'])([^"'\n]*)\2\s*,\s*([\w.]+)/g;
const REGISTERED = /\b\w{0,60}?router\w{0,60}\.register\(\s*r?(["'])([^"'\n]*)\1/g;

/** Routes of Django: those of `urls.py`, and the sets of views of a router of its REST framework. */
function patterns(file: RepositoryFile): readonly SourceRoute[] {
  if (!file.path.endsWith('urls.py')) {
    return [];
  }
  const plain = routesFound(file, PATTERN, ([, kind = '', , written = '', view = '']) => ({
    path: /^(?:include|admin\.)/.test(view) ? undefined : djangoPath(kind, written),
  }));
  const end = /\btrailing_slash\s*=\s*False\b/.test(file.text) ? '' : '/';
  const sets = routesFound(file, REGISTERED, ({ index, 2: prefix = '' }) => ({
    path: `${joined(prefix.replace(/^\^|\/?\$?$/g, ''))}${end}`,
    to: index,
  }));
  return [...plain, ...sets];
}

/** Django path, or a regular expression that differs from one only by anchors and named groups. */
function djangoPath(kind: string, written: string): string | undefined {
  const path = kind === 'path' ? written : written.replace(/^\^|\$$/g, '').replace(/\(\?P<(\w+)>[^()]*\)/g, '{$1}');
  return plainPath(joined(path.replace(/\/\?$/, '')) || '/');
}

const INCLUDE = /\b(path|re_path|url)\(\s*r?(["'])([^"'\n]*)\2\s*,\s*include\(\s*\(?\s*["']([\w.]+)["']/g;

function includedPatterns({ path, text }: RepositoryFile, sources: readonly RepositoryFile[]): readonly Mount[] {
  return [...text.matchAll(INCLUDE)].map(([, kind = '', , written = '', module = '']) => {
    const other = moduleFile(module.replaceAll('.', '/'), sources);
    return {
      from: routerKey(path),
      to: other && routerKey(other),
      prefix: djangoPath(kind, written)?.replace(/^\/$/, ''),
    };
  });
}
