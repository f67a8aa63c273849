import type { RepositoryFile } from '../../../host/files/scan.ts';
import {
  callAt,
  joined,
  type Mount,
  prefixesIn,
  type RouterGraph,
  routerKey,
  routesFound,
  type SourceRoute,
} from './router-graph.ts';

/** Files that may have routes of axum, Actix Web, Rocket or warp. */
export const RUST_SOURCES = /\.rs$/;

const ROUTED = /\.route\(\s*"((?:\/[^"]*)?)"\s*,/g;
const LONGEST = 1000;
/** Resources of Actix Web. */
const RESOURCE = /\bweb::resource\(\s*"((?:\/[^"]*)?)"\s*\)((?:(?!\bweb::(?:resource|scope)\()[^;]){0,500})/g;
/** Blocks of `.service(web::scope("/api")…)` and `warp::path("api").and(…)`. */
const SCOPE = /(?:\.service\(\s*(?:web::)?scope|\bwarp::path)\(\s*"([^"]*)"(?:\s*\)\s*\.and\()?/g;
const ATTRIBUTE = /#\[(get|post)\(\s*"(\/[^"]*)"(?:(?=[\s\S]{0,500}?\bfn\s+(\w+))|)/g;
const RUST_FUNCTION = /\bfn\s+(\w+)/g;
/** Functions that are called, or named, where their routes belong. */
const NESTED =
  /(?:\.(?:nest\(\s*"([^"]*)"\s*,|(?:merge|configure|service|and|or)\()|[{=])\s*(?:\w+::){0,8}?(?:(\w+)::)?(\w+)\s*[(),]/g;
/** Beginnings of filter chains of warp, such as `warp::path!("users" / u64).and(warp::get())`. */
const FILTER = /(?<!\.and\(\s{0,80})\bwarp::(?=(?:path|get|post|any)\b[!(:])(?=([^;{}]{0,1500}))/g;
const FILTER_PART = /\bpath(?:!\(([^)]*)\)|\(\s*"([^"]*)"\s*\)|::param(?:::<[^>]*>)?\(\))/g;

interface RustSource {
  readonly file: RepositoryFile;
  readonly names: ReadonlySet<string>;
  /** Name of the function at a position, for increasing positions. */
  readonly nameAt: () => (index: number) => string;
  readonly prefixesAt: (at: number) => readonly string[];
}

/** The routers of a program in Rust, of which each function is one. */
export function rustRoutes(files: readonly RepositoryFile[]): RouterGraph {
  const sources = files.map((file): RustSource => {
    const functions = [...file.text.matchAll(RUST_FUNCTION)];
    return {
      file,
      names: new Set(functions.map(([, name = '']) => name)),
      nameAt: () => nameBefore(functions),
      prefixesAt: prefixesIn(file.text, SCOPE, '()'),
    };
  });
  return {
    routes: sources.flatMap((one) => [
      ...routesOf(one, RESOURCE, ({ 1: path, 2: handlers = '' }) => ({
        path,
        methods: handlers.match(/(?<=\bweb::)(?:get|post)(?=\()/g) ?? [],
      })),
      ...routesOf(one, ROUTED, ({ index, 1: path }) => {
        const handlers = callAt(one.file.text, index, LONGEST).replace(/"[^"]*"/g, '');
        return { path, methods: handlers.match(/\b(?:get|post)\b/g) ?? [] };
      }),
      ...routesOf(one, FILTER, ({ 1: text = '' }) => filterOf(text)),
      ...routesFound(one.file, ATTRIBUTE, ([, method, path, name]) => ({
        router: routerKey(one.file.path, name),
        path: path?.replace(/\?.*$/, ''),
        methods: [method],
      })),
    ]),
    mounts: sources.flatMap((one) => nestedIn(one, sources)),
  };
}

function nameBefore(functions: readonly RegExpExecArray[]): (index: number) => string {
  let next = 0;
  return (index) => {
    while ((functions[next]?.index ?? index) < index) {
      next += 1;
    }
    return functions[next - 1]?.[1] ?? '';
  };
}

/** Routes of the functions of a source, below the scopes around them. */
function routesOf(
  { file, nameAt, prefixesAt }: RustSource,
  pattern: RegExp,
  written: (match: RegExpExecArray) => {
    readonly path: string | undefined;
    readonly methods: readonly string[] | undefined;
  },
): readonly SourceRoute[] {
  const name = nameAt();
  return routesFound(file, pattern, (match) => {
    const { path, methods } = written(match);
    const whole = path === undefined ? undefined : joined(...prefixesAt(match.index), path);
    return { router: routerKey(file.path, name(match.index)), path: whole, methods };
  });
}

/** Route of a chain of warp; no path without a handler. */
function filterOf(text: string) {
  const [chain = ''] = text.split('.or(', 1);
  const parts = [...chain.matchAll(FILTER_PART)].flatMap(([, list, plain = '{id}']) =>
    (list?.split('/') ?? [`"${plain}"`]).map((part) => /^"(.*)"$/.exec(part.trim())?.[1] ?? '{id}'),
  );
  return {
    path: /\.(?:map|then|and_then)\(/.test(chain) && /\bpath\b/.test(chain) ? joined(...parts) : undefined,
    methods: chain.match(/(?<=\bwarp::)(?:get|post|put|patch|delete|head|options)(?=\(\))/g) ?? undefined,
  };
}

/** Functions with routes below others. A function is that of the module before its name, else of the same file, else the only one. */
function nestedIn({ file: { path, text }, nameAt, prefixesAt }: RustSource, all: readonly RustSource[]) {
  const around = nameAt();
  return [...text.matchAll(NESTED)].flatMap(({ index, 1: prefix = '', 2: module, 3: name = '' }): readonly Mount[] => {
    const having = all.filter(({ names }) => names.has(name)).map(({ file }) => file.path);
    const ends = [`/${module}.rs`, `/${module}/mod.rs`];
    const only = having.includes(path) ? path : having.length === 1 ? having[0] : undefined;
    const other = having.find((one) => ends.some((end) => `/${one}`.endsWith(end))) ?? only;
    const from = routerKey(path, around(index));
    // Finding prefixes takes time that grows with the blocks of the file.
    return other === undefined
      ? []
      : [{ from, to: routerKey(other, name), prefix: joined(...prefixesAt(index), prefix) }];
  });
}
