import { contentOf, mapIn, textIn } from '../../../config/yaml/lines.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import { folderOf, isBelow, pathBelow } from '../read/places.ts';
import {
  crudRoutes,
  joined,
  type Mount,
  prefixesIn,
  type RouterGraph,
  routerKey,
  routesFound,
  type SourceRoute,
} from './router-graph.ts';

/** Files that may have routes of Laravel, Slim, Symfony and the like. */
export const PHP_SOURCES = /\.php$|(?:^|\/)config\/rout(?:es|ing)(?:\/[\w-]+)?\.ya?ml$/;

export function phpRoutes(files: readonly RepositoryFile[]): RouterGraph {
  const isSource = ({ path }: RepositoryFile): boolean => path.endsWith('.php');
  return {
    routes: files.flatMap((file) =>
      isSource(file) ? [...groupedRoutes(file), ...attributeRoutes(file)] : listedRoutes(file),
    ),
    mounts: [
      ...files.flatMap((file) => (isSource(file) ? loadedFiles : importedFiles)(file, files)),
      ...apiFiles(files),
    ],
  };
}

function entriesIn({ text }: RepositoryFile) {
  return Object.values(mapIn(contentOf(text))).map(mapIn);
}

/** Routes of Symfony in a YAML file. */
function listedRoutes(file: RepositoryFile): readonly SourceRoute[] {
  return routesFound(file, /^/g, () =>
    entriesIn(file).map(({ path, methods, controller }) => ({
      path: textIn(controller)?.includes('RedirectController') === true ? undefined : textIn(path),
      methods: methods === undefined ? undefined : [methods].flat().flatMap((one) => textIn(one)?.split('|')),
      to: 0,
    })),
  );
}

/** Files that a YAML file of routes imports below a prefix. */
function importedFiles(file: RepositoryFile, all: readonly RepositoryFile[]): readonly Mount[] {
  return entriesIn(file).flatMap(({ resource, prefix }) => {
    const at = pathBelow(folderOf(file.path), textIn(resource) ?? textIn(mapIn(resource)['path']) ?? '');
    const above = textIn(prefix)?.replace(/\/$/, '') ?? '';
    const isIn = ({ path }: RepositoryFile) => path === at || (at && path.endsWith('.php') && isBelow(path, at));
    return above === ''
      ? []
      : all.filter(isIn).map(({ path }) => ({ from: routerKey(file.path), to: routerKey(path), prefix: above }));
  });
}

/** Groups of Laravel, Lumen and Slim: `Route::prefix('v1')->group(function () {`, `['prefix' => 'v1']`, `$app->group('/v1', …`. */
const GROUP = /(?:\bprefix(?:\(|['"]\s*=>)|->group\()\s*['"]([^'"\n]*)['"][^;{}]{0,300}\{/g;
const WITH_MIDDLEWARE = /\bmiddleware(?:\(|['"]\s*=>)([^;{}]{0,300})\{/g;

const STATIC =
  /\bRoute::((?:[^;{}]{0,300}?->)?)(get|post|any|match|(?:api)?[rR]esources?)\(\s*((?:\[[^\]]{0,300}\]\s*,?\s*)?)(?:(['"])([^'"\n]*)\4)?([^;]{0,300})/g;
const CALLED =
  /\$(?:app|router|group|routes?|r)->(get|post|any|map)\(\s*(?:\[([^\]]{0,80})\]\s*,\s*)?(['"])([^'"\n]*)\3\s*,/g;

function groupedRoutes(file: RepositoryFile): readonly SourceRoute[] {
  const prefixesAt = prefixesIn(file.text, GROUP);
  const guardsAt = prefixesIn(file.text, WITH_MIDDLEWARE);
  const around = (index: number) => ({
    above: prefixesAt(index),
    isGuarded: guardsAt(index).some((list) => /\bauth/.test(list)),
  });
  const ofLaravel = routesFound(file, STATIC, (match) => {
    const { index, 0: whole, 1: chain = '', 2: kind = '', 3: list = '', 5: written = '', 6: options = '' } = match;
    const { above, isGuarded } = around(index);
    const prefix = /\bprefix\(\s*['"]([^'"]*)/.exec(chain)?.[1] ?? '';
    const from = { isGuarded, to: index + whole.length };
    const names = kind.endsWith('s')
      ? [...list.matchAll(/['"]([\w./-]+)['"]\s*=>/g)].map(([, name = '']) => name)
      : [written];
    return /resource/i.test(kind)
      ? names.flatMap((name) => resourcesOf(joined(...above, prefix, nested(name)), options, from))
      : { ...from, path: joined(...above, prefix, written) || '/', methods: methodsOf(kind, list) };
  });
  const ofOthers = routesFound(file, CALLED, ({ index, 1: kind = '', 2: list = '', 4: written = '' }) => {
    const { above, isGuarded } = around(index);
    // Slim puts an optional part in brackets.
    return { isGuarded, path: joined(...above, written.replace(/\[\/.*/, '')) || '/', methods: methodsOf(kind, list) };
  });
  return [...ofLaravel, ...ofOthers];
}

function resourcesOf(at: string, options: string, from: object) {
  return crudRoutes(at, `${at}/{id}`, options).map((route) => ({ ...from, ...route }));
}

/** Path of a nested resource: `photos/{photo}/comments` for `photos.comments`. */
function nested(name: string): string {
  return name.replace(
    /([\w-]{1,60})\./g,
    (_, part: string) => `${part}/{${part.replace(/s$/, '').replaceAll('-', '_')}}/`,
  );
}

/** undefined for all. */
function methodsOf(kind: string, list: string): readonly string[] | undefined {
  return kind === 'any' ? undefined : /^(?:get|post)$/.test(kind) ? [kind] : (list.match(/get|post/gi) ?? []);
}

const ATTRIBUTE = /#\[(?:[\w\\]{1,80}\\)?Route\(([\s\S]{0,500}?)\)\]/g;
const CLASS = /^\s*(?:#\[.*\n\s*|(?:final|abstract|readonly)\s+)*class\b/;

/** Routes of Symfony: the attributes of controllers and of their methods. */
function attributeRoutes(file: RepositoryFile): readonly SourceRoute[] {
  const { text } = file;
  const classes = [...text.matchAll(ATTRIBUTE)].filter(({ index, 0: whole }) =>
    CLASS.test(text.slice(index + whole.length)),
  );
  return routesFound(file, ATTRIBUTE, ({ index, 1: list = '' }) => {
    const above = classes.findLast((one) => one.index < index)?.[1] ?? '';
    const isClass = classes.some((one) => one.index === index);
    const listed = /\bmethods:\s*(\[[^\]]*|[^,\n]*)/.exec(list)?.[1];
    return {
      path: isClass ? undefined : joined(attributePath(above), attributePath(list)) || '/',
      methods: listed === undefined ? undefined : (listed.match(/GET|POST/g) ?? []),
      // Guarding attributes come before or after it.
      from: text.lastIndexOf('}', index) + 1,
    };
  });
}

function attributePath(list: string): string {
  return /(?:^\s*|\bpath:\s*)['"]([^'"]*)['"]/.exec(list)?.[1] ?? '';
}

const LOADED =
  /\bprefix\(\s*['"]([^'"\n]*)['"]\s*\)[^;{}]{0,300}?(?:\bbase_path\(|__DIR__\s*\.)\s*['"][./]*([^'"\n]+)['"]/g;

/** Route files that a Laravel provider loads below a prefix. */
function loadedFiles({ path, text }: RepositoryFile, sources: readonly RepositoryFile[]): readonly Mount[] {
  return [...text.matchAll(LOADED)].map(([, prefix, at = '']) => {
    const other = sources.find((file) => `/${file.path}`.endsWith(`/${at}`));
    return { from: routerKey(path), to: other && routerKey(other.path), prefix };
  });
}

/** Laravel's file for APIs, below `/api` unless the application sets another prefix. */
function apiFiles(sources: readonly RepositoryFile[]): readonly Mount[] {
  const prefixes = sources.map(({ text }) => /\bapiPrefix:\s*['"]([^'"]*)['"]/.exec(text)?.[1]);
  const prefix = prefixes.find((one) => one !== undefined) ?? 'api';
  return sources
    .filter(({ path, text }) => /(?:^|\/)routes\/api\.php$/.test(path) && text.includes('Route::'))
    .map(({ path }) => ({ from: '', to: routerKey(path), prefix }));
}
