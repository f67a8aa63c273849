import type { RepositoryFile } from '../../../host/files/scan.ts';
import { baseName, folderOf, sharedDepth } from '../read/places.ts';
import {
  callAt,
  joined,
  type Mount,
  plainPath,
  prefixesIn,
  type RouterGraph,
  routerKey,
  routesFound,
  type SourceRoute,
} from './router-graph.ts';

/** Files that may have routes of gin, chi, echo, Fiber, gorilla/mux and net/http. */
export const GO_SOURCES = /\.go$/;

/** Function, since Go programs pass routers from one function to the next. */
interface GoFunction {
  readonly file: string;
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: string;
}

export function goRoutes(files: readonly RepositoryFile[]): RouterGraph {
  const functions = files.flatMap(({ path, text }) =>
    [...text.matchAll(FUNCTION)].map(([, name = '', parameters = '', body = '']) => ({
      file: path,
      name,
      parameters: parameters.split(',').map((one) => /\w+/.exec(one)?.[0] ?? ''),
      body,
    })),
  );
  const upgrading = functions.filter(({ body }) => UPGRADE.test(body)).map(({ name }) => name);
  const isSocket = (handler: string): boolean =>
    UPGRADE.test(handler) ||
    (handler.replace(/"[^"]*"/g, '').match(/\w+/g) ?? []).some((word) => upgrading.includes(word));
  return {
    routes: functions.flatMap((one) => routesIn(one, isSocket)),
    mounts: functions.flatMap((one) => [...groupsIn(one), ...passedOn(one, functions)]),
  };
}

const FUNCTION = /^func\s+(?:\([^)]*\)\s*)?(\w+)\(([^)]*)\)[^\n]*\{\n([\s\S]*?)^\}/gm;

function keyIn({ file, name }: GoFunction, variable = ''): string {
  return routerKey(`${folderOf(file)}:${name}`, variable);
}

const METHOD = /(?<![\w.])([\w.]+)\.(GET|Get|POST|Post)\(\s*"(\/[^"]*|)"\s*,/g;
/** The path may be the argument of a prefixing function, or follow a variable with an unknown prefix. */
const HANDLE =
  /(?<![\w.])([\w.]+)\.(?:HandleFunc|Handle)\(\s*(?:[\w.]+\s*[(+]\s*)?"(?:(GET|POST) )?(\/[^"]*)"\s*\)?\s*,([^\n]*)/g;
const CHAINED = /(?<![\w.])([\w.]+)\.Methods\(([^)]{0,400})\)\s*\.\s*Path\(\s*"(\/[^"]*)"/g;

/** Calls that upgrade a connection to a WebSocket: gorilla/websocket, coder/websocket (nhooyr.io), gobwas/ws, golang.org/x/net and Fiber. */
const UPGRADE = /\.Upgrade\(\s*\w+\s*,|\bwebsocket\.(?:Accept|Upgrade|Handler|New)\(|\bws\.(?:UpgradeHTTP|Upgrade)\(/;

function routesIn(one: GoFunction, isSocket: (handler: string) => boolean): readonly SourceRoute[] {
  const { body, file } = one;
  const prefixesAt = prefixesIn(body, SCOPE);
  return [METHOD, HANDLE, CHAINED].flatMap((pattern) =>
    routesFound(
      { path: file, text: body },
      pattern,
      ({ index, 1: variable, 2: method, 3: written = '', 4: rest = '' }) => {
        const handler = callAt(body, index, MAX_HANDLER);
        const lineEnd = body.indexOf('\n', index + handler.length);
        return {
          router: keyIn(one, variable),
          path: joined(...prefixesAt(index), written.replace(/\{\$\}$/, '')),
          methods: methodsIn(/\.Methods\(/.test(rest) ? rest : method),
          ...(lineEnd >= 0 && { to: lineEnd }),
          isSocket: isSocket(handler),
        };
      },
    ),
  );
}

/** Methods in `Methods("GET", http.MethodPost)`. */
function methodsIn(list: string | undefined): readonly string[] | undefined {
  return list === undefined ? undefined : (list.match(/GET|POST|(?<=Method)(?:Get|Post)\b|^(?:Get|Post)$/g) ?? []);
}

/** For chi: `r.Route("/users", func(r chi.Router) { … })`. */
const SCOPE = /\.Route\(\s*"([^"]*)"\s*,\s*func\(/g;

const GROUP = /(?<!\w)(\w+)\s*:?=\s*([\w.]+)\.(?:Group|PathPrefix)\(\(?\s*"([^"]*)"/g;

function groupsIn(one: GoFunction): readonly Mount[] {
  return [...one.body.matchAll(GROUP)].map(([, variable = '', from = '', prefix = '']) => ({
    from: keyIn(one, from),
    to: keyIn(one, variable),
    prefix: plainPath(prefix) ?? '',
  }));
}

const CALL = /(?<!\w)(?:(\w+)\.)?(\w+)\(/g;

const MAX_CALL = 1000;
const MAX_HANDLER = 2000;

const MOUNTED = /(?<![\w.])([\w.]+)\.Mount\(\s*"([^"]*)"\s*,\s*(?:(\w+)\.)?(\w+)\(/g;
const GROUP_ARGUMENT = /^([\w.]+)\.(?:Group|PathPrefix)\(\s*"([^"]*)"/;

/** Routers that a function passes to others: `users.Register(v1.Group("/users"))`, `r.Mount("/users", users.Routes())`. */
function passedOn(one: GoFunction, functions: readonly GoFunction[]): readonly Mount[] {
  const mounted = [...one.body.matchAll(MOUNTED)].map(([, from = '', prefix = '', place, name = '']) => {
    const other = calledBy(one, { place, name }, functions);
    return { from: keyIn(one, from), to: other && keyIn(other), prefix };
  });
  const called = [...one.body.matchAll(CALL)].flatMap(({ index, 0: whole, 1: place, 2: name = '' }) => {
    const other = calledBy(one, { place, name }, functions);
    if (other === undefined) {
      return [];
    }
    const list = callAt(one.body, index, MAX_CALL).slice(whole.length);
    return argumentsOf(list).flatMap((argument, at) => handed(one, argument, keyIn(other, other.parameters[at])));
  });
  return [...mounted, ...called];
}

function handed(one: GoFunction, argument: string, to: string): readonly Mount[] {
  const [, from, prefix = ''] = GROUP_ARGUMENT.exec(argument) ?? [];
  if (from !== undefined) {
    return [{ from: keyIn(one, from), to, prefix: plainPath(prefix) ?? '' }];
  }
  const own = keyIn(one, argument);
  return /^[\w.]+$/.test(argument) && own !== to ? [{ from: own, to, prefix: '' }] : [];
}

/** Arguments, separated by commas outside of brackets; without comments. */
function argumentsOf(list: string): readonly string[] {
  const code = list.replace(/(?<=[\s,])\/\/.*$/gm, '');
  return (code.match(/(?:[^,()]|\((?:[^()]|\([^()]*\))*\))+/g) ?? []).map((one) => one.trim());
}

/** Function with that name: in the package, else in the same folder, else the only one. */
function calledBy(
  { file }: GoFunction,
  { place, name }: { readonly place: string | undefined; readonly name: string },
  functions: readonly GoFunction[],
): GoFunction | undefined {
  const named = functions.filter((one) => one.name === name && one.parameters.length > 0);
  const own = named.filter((one) => folderOf(one.file) === folderOf(file));
  const packaged = named
    .filter((one) => baseName(folderOf(one.file)) === place)
    .toSorted((a, b) => sharedDepth(b.file, folderOf(file)) - sharedDepth(a.file, folderOf(file)));
  const [only, ...others] = named;
  return packaged[0] ?? (place === undefined ? own[0] : others.length === 0 ? only : undefined);
}
