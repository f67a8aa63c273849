import { withOwnNames } from '../../../config/operations/draft.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import { isBelow, type RepositoryFolder } from '../read/places.ts';
import type { ProposedOperation } from '../services/proposal.ts';
import { DOTNET_SOURCES, dotnetRoutes } from './dotnet-routes.ts';
import { GO_SOURCES, goRoutes } from './go-routes.ts';
import { JAVA_SOURCES, javaRoutes } from './java-routes.ts';
import { NODE_SOURCES, nodeRoutes } from './node-routes.ts';
import { PHP_SOURCES, phpRoutes } from './php-routes.ts';
import { PYTHON_SOURCES, pythonRoutes } from './python-routes.ts';
import { type RouterGraph, type SourceRoute, wholeRoutes, withoutComments } from './router-graph.ts';
import { RUBY_SOURCES, rubyRoutes } from './ruby-routes.ts';
import { RUST_SOURCES, rustRoutes } from './rust-routes.ts';

export interface SourceOperations {
  /** Operations worth a try unchanged, the best first. */
  readonly operations: readonly ProposedOperation[];
  /** Further routes in the form of a configuration: `GET /users/{id}`. */
  readonly further: readonly string[];
  /** WebSocket messages, if the sources handle them and have no routes except a page and a health check. */
  readonly messages: readonly ProposedOperation[];
}

const READERS: readonly (readonly [RegExp, (files: readonly RepositoryFile[]) => RouterGraph])[] = [
  [NODE_SOURCES, nodeRoutes],
  [PYTHON_SOURCES, pythonRoutes],
  [GO_SOURCES, goRoutes],
  [JAVA_SOURCES, javaRoutes],
  [RUST_SOURCES, rustRoutes],
  [DOTNET_SOURCES, dotnetRoutes],
  [RUBY_SOURCES, rubyRoutes],
  [PHP_SOURCES, phpRoutes],
];

/** GET requests to the routes in sources below a folder. Routes with parameters are included only without any others: their values are unknown. */
export function sourceOperations({ folder, files }: RepositoryFolder): SourceOperations {
  const found = routesIn({ folder, files }).filter(({ method }) => method === 'GET');
  const routes = distinct(found).filter(({ path, isSocket }) => isSocket !== true && !LEFT_ALONE.test(path));
  const sockets = distinct(found).filter((route) => route.isSocket === true && !hasArguments(route));
  const rank = (route: SourceRoute): number => RANKS.findIndex((is) => is(route));
  const ordered = routes.toSorted((a, b) => rank(a) - rank(b));
  const [first] = ordered;
  // All routes of the best kind.
  const tried = ordered.filter((route) => first !== undefined && rank(route) === rank(first));
  return {
    operations: withOwnNames(tried.map(operationOf)),
    further: ordered.filter((route) => !tried.includes(route)).map(({ path }) => `GET ${path}`),
    messages: routes.every(({ path }) => path === '/' || isHealthPath(path))
      ? withOwnNames(sockets.map(messageOf))
      : [],
  };
}

function routesIn({ folder, files }: RepositoryFolder): readonly SourceRoute[] {
  const own = files
    .filter(({ path }) => isBelow(path, folder))
    .map(({ path, text }) => ({ path, text: withoutComments(text) }));
  return READERS.flatMap(([sources, read]) => wholeRoutes(read(own.filter(({ path }) => sources.test(path)))));
}

const LOGIN =
  /(?:^|\/)(?:log-?in|sign-?in|(?:access-?)?tokens?|auth(?:enticate|orize)?|sessions?|jwt\/create)\/?(?: |$)/i;

/** True if a request seems to return a token, by its method and path: `POST /api/login {"user":"ada"}`. */
export function isLogin(request: string): boolean {
  return request.startsWith('POST ') && LOGIN.test(/^POST \S+/.exec(request)?.[0] ?? '');
}

export function loginRoutes(place: RepositoryFolder): readonly string[] {
  const lines = routesIn(place).flatMap(({ method, path }) => (method === 'POST' ? `POST ${path}` : []));
  return [...new Set(lines)].filter((line) => isLogin(line) && !line.includes('{'));
}

const LEFT_ALONE =
  /(?:^|[/._-])(?:log-?(?:in|out)|sign-?(?:in|out|up)|oauth2?|callback|auth|static|assets|public|favicon\.ico|robots\.txt|swagger[\w.-]{0,80}|docs|redoc|openapi[\w.-]{0,80}|graphi?ql|metrics|debug|pprof|wss?|web-?sockets?|socket(?:\.io)?|panic|crash|exit|shutdown|kill|env|configs?|admin|delete|remove|reset\w{0,80}|unsubscribe|verify[\w-]{0,80}|confirm\w{0,80}|delay|status|sse|stream|events)(?:[/.]|$)/i;

const HEALTH = /(?:^|\/)_{0,2}(?:health\w*|ready\w*|live\w*|ping|heartbeat|alive|version|info|up)\/?$/i;

export function isHealthPath(path: string): boolean {
  return HEALTH.test(path);
}

const PERSONAL =
  /(?:^|\/)(?:me|user|users?\/profile|feed|account|profile|settings|session|dashboard|cart|wishlist|new|edit)\/?$/i;

function isPersonal({ isGuarded, path }: SourceRoute): boolean {
  return isGuarded || PERSONAL.test(path);
}

function hasArguments({ path }: SourceRoute): boolean {
  return path.includes('{');
}

/** Kinds of routes, the best to measure first. */
const RANKS: readonly ((route: SourceRoute) => boolean)[] = [
  (route) => !isPersonal(route) && !hasArguments(route) && !isHealthPath(route.path),
  (route) => !isPersonal(route) && isHealthPath(route.path),
  (route) => !isPersonal(route),
  (route) => !hasArguments(route),
  () => true,
];

function distinct(routes: readonly SourceRoute[]): readonly SourceRoute[] {
  return [...new Map(routes.map((route) => [route.path, route])).values()];
}

function operationOf({ path }: SourceRoute): ProposedOperation {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return {
    name: operationName(path),
    example: names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, 1])),
    binding: { rest: `GET ${path}` },
  };
}

/** The type of its messages is unknown; most services accept a text. */
function messageOf({ path }: SourceRoute): ProposedOperation {
  return {
    name: operationName(path),
    example: undefined,
    binding: { websocket: { path, message: 'hello' } },
  };
}

/** Name of an operation: `/api/v1/users/{id}` → `UsersById`. */
export function operationName(path: string): string {
  const parts = path
    .split('/')
    .filter((part) => part !== '' && !/^(?:api|v\d+)$/i.test(part))
    .map((part) => part.replace(/\{(\w+)\}/g, 'By-$1'));
  const words = parts.flatMap((part) => part.split(/[^A-Za-z0-9]+/)).filter((word) => word !== '');
  const name = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
  return /^[A-Za-z]/.test(name) ? name.slice(0, 60) : 'Index';
}
