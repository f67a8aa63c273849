import type { RepositoryFile } from '../../../host/files/scan.ts';
import { baseName, folderOf } from '../read/places.ts';
import {
  crudRoutes,
  joined,
  type Mount,
  type RouterGraph,
  routerKey,
  routesFound,
  type SourceRoute,
} from './router-graph.ts';

/** Files that may have routes of Rails, Hanami, Sinatra, Grape or Roda, and of Phoenix or Plug in Elixir, whose routers read alike. */
export const RUBY_SOURCES = /\.(?:rb|ru|ex)$/;

/** True for a file with routes of Rails, Hanami or Phoenix. */
function isRouteList({ path, text }: RepositoryFile): boolean {
  return path.endsWith('.ex') ? PHOENIX.test(text) : /(?:^|\/)config\/routes(?:\.rb$|\/)/.test(path);
}

const PHOENIX = /^[\t ]*use (?:Phoenix\.Router|[\w.]{1,80}, :router)\b/m;

export function rubyRoutes(files: readonly RepositoryFile[]): RouterGraph {
  const sources = files.map(({ path, text }) => ({ path, text: withWholeLines(text) }));
  const guarded = guardedControllers(sources);
  const hasHandlers = sources.some(({ text }) => /\bsinatra\b|\bGrape::API\b|\bRoda\b|\bPlug\.Router\b/i.test(text));
  const found = sources.map((file) => {
    const scopeAt = scopesIn(file);
    const handlers = hasHandlers ? handlersIn(file, scopeAt) : [];
    return {
      routes: isRouteList(file) ? railsRoutes(file, scopeAt, guarded) : handlers,
      mounts: mountsIn(file, scopeAt, sources),
    };
  });
  return { routes: found.flatMap(({ routes }) => routes), mounts: found.flatMap(({ mounts }) => mounts) };
}

/** Source with one statement per line, without trailing comments. */
function withWholeLines(text: string): string {
  return text.replace(/[\t ]#[\t ].*$/gm, '').replace(/,[\t ]*\r?\n[\t ]*/g, ', ');
}

/** Paths in a block. */
interface Scope {
  readonly path: string;
  /** Paths of the block's resource, and of one of its members. */
  readonly collection: string;
  readonly member: string;
  readonly isGuarded: boolean;
}

type ScopeAt = (line: number) => Scope;

const LINE = /^([\t ]*(?:r\.)?)(\w+)(.*)$/gm;
const OPENS = /(?:\bdo|\bdo \|[^|]*\||\{)\s*$/;

/** Scope of each line, by the offset of its start. Indentation ends a block, since nearly all sources are formatted. */
function scopesIn(file: RepositoryFile): ScopeAt {
  const { text } = file;
  const hasResources = isRouteList(file);
  const own = /\bGrape::API\b/.test(text) ? grapePrefix(text) : '';
  const whole: Scope = { path: own, collection: own, member: own, isGuarded: false };
  const scopes = new Map<number, Scope>();
  const open: { readonly indent: number; readonly scope: Scope }[] = [];
  for (const { index, 1: start = '', 2: word = '', 3: list = '' } of text.matchAll(LINE)) {
    const indent = start.replace('r.', '').length;
    while ((open.at(-1)?.indent ?? -1) >= indent) {
      open.pop();
    }
    const around = open.at(-1)?.scope ?? whole;
    scopes.set(index, around);
    if (OPENS.test(list)) {
      open.push({ indent, scope: scopeOf(around, word, list, hasResources) });
    } else if (word === 'pipe_through' && open.length > 0 && /auth|logged|\blogin\b/.test(list)) {
      open.push({ indent: indent - 1, scope: { ...around, isGuarded: true } });
    }
  }
  return (line) => scopes.get(line) ?? whole;
}

/** Path prefix of all routes in a Grape class. */
function grapePrefix(text: string): string {
  const prefix = /^[\t ]*prefix[ (]+[:"']([\w/-]+)/m.exec(text)?.[1] ?? '';
  const version =
    /^[\t ]*version[ (]+[:"']([\w.-]{1,40})(?!.*\busing: :(?:header|param|accept))/m.exec(text)?.[1] ?? '';
  return joined(prefix, version);
}

const PREFIXED = /^(?:resources?|namespace|scope|slice|group|segment|map|on|is|hash_branch)$/;

function scopeOf(around: Scope, word: string, list: string, isRails: boolean): Scope {
  const name = firstName(list) ?? '';
  const path = joined(around.path, pathOption(list) ?? matchedPath(list) ?? name);
  const below = (at: string, member = at): Scope => ({ ...around, path: at, collection: path, member });
  if (isRails && word === 'resources') {
    const one = name.replace(/^\/|s$/g, '').replace(/\W/g, '_');
    return below(`${path}/{${one}_id}`, `${path}/{id}`);
  }
  if (PREFIXED.test(word)) {
    return below(path);
  }
  if (word === 'route_param') {
    return below(joined(around.path, `{${name}}`));
  }
  if (word === 'collection' || word === 'member') {
    return { ...around, path: around[word] };
  }
  // Routes of a concern belong to the resources that use it, which are unknown: no path has an asterisk.
  const own = word === 'concern' ? '*' : around.path;
  return { ...around, path: own, isGuarded: around.isGuarded || word.startsWith('authenticate') };
}

/** First argument of a call: a symbol, or a string; undefined if it begins with an option. */
function firstName(list: string): string | undefined {
  const [, symbol, text] = /^[ (]*(?::(\w+)(?!\w| *=>)|["']([^"']*)["'])/.exec(list) ?? [];
  return symbol ?? text?.replace(/\([^()]*\)|\/?\?$/g, '');
}

/** Path of several matchers of Roda, such as `"books", Integer`, or of a class; undefined for a single text. */
function matchedPath(list: string): string | undefined {
  const [whole = ''] = /^[ (]*(?:(?:"[^"]*"|'[^']*'|(?:Integer|String)\b),? *)+/.exec(list) ?? [];
  const parts = whole.match(/"[^"]*"|'[^']*'|\w+/g) ?? [];
  return parts.length > 1 || /^\w/.test(parts[0] ?? '')
    ? joined(...parts.map((part) => (/^\w/.test(part) ? '{id}' : part.slice(1, -1))))
    : undefined;
}

function pathOption(list: string): string | undefined {
  const [found, text, symbol] = /\b(?:path|at)(?:: *| *=> *)(?:["']([^"']*)["']|:(\w+)|nil\b)/.exec(list) ?? [];
  return found === undefined ? undefined : (text ?? symbol ?? '');
}

const GUARDED = /^[\t ]*(?:before_action|before_filter)[ (]+:(?:authenti|authori|require_)\w*!?\)?[\t ]*$/m;

/** Names of controllers all of whose actions require credentials. */
function guardedControllers(sources: readonly RepositoryFile[]): ReadonlySet<string> {
  const controllers = sources.filter(({ path, text }) => path.endsWith('_controller.rb') && GUARDED.test(text));
  return new Set(controllers.map(({ path }) => baseName(path).slice(0, -'_controller.rb'.length)));
}

const RAILS_ROUTE = /^[\t ]*(get|post|live|match|root|resources?)\b(.{0,500})/gm;

function railsRoutes(file: RepositoryFile, scopeAt: ScopeAt, guarded: ReadonlySet<string>): readonly SourceRoute[] {
  return routesFound(file, RAILS_ROUTE, ({ index, 0: whole, 1: kind = '', 2: list = '' }) => {
    const scope = scopeAt(index);
    const names = namesBefore(list);
    const isResource = kind.startsWith('resource');
    const controller = /["'/](\w+)#\w/.exec(list)?.[1] ?? (isResource ? names[0] : undefined);
    const isGuarded = scope.isGuarded || guarded.has(controller ?? '');
    const routes = isResource
      ? names.flatMap((name) => {
          const at = joined(scope.path, pathOption(list) ?? name);
          return crudRoutes(at, kind === 'resource' ? at : `${at}/{id}`, list);
        })
      : actionsOf(kind, names, list, scope);
    return routes.map((route) => ({ ...route, isGuarded, to: index + whole.length }));
  });
}

/** Routes of single actions: `root "pages#home"`, `get :newest, on: :collection`, `match "search", via: [:get, :post]`. */
function actionsOf(kind: string, names: readonly string[], list: string, { path, collection, member }: Scope) {
  const on = /\bon\W{1,6}(member|collection)\b/.exec(list)?.[1];
  const above = on === undefined ? path : on === 'member' ? member : collection;
  const methods = /^(?:root|live)$/.test(kind) ? ['GET'] : kind === 'match' ? methodsIn(list) : [kind];
  const paths = /\bredirect\b/.test(list) ? [] : kind === 'root' ? [''] : names;
  return paths.map((name) => ({ path: joined(above, name) || '/', methods }));
}

/** Arguments of a call before its options: all names in `resources :a, :b, only: :index`. */
function namesBefore(list: string): readonly string[] {
  const first = firstName(list);
  const symbols = /^(?:[ (]*:\w+(?= *(?:,|\)|$| do\b)),?)+/.exec(list)?.[0].match(/\w+/g) ?? [];
  return first === undefined ? [] : symbols.length > 1 ? symbols : [first];
}

/** undefined for all. */
function methodsIn(list: string): readonly string[] | undefined {
  return /:all\b/.test(list) ? undefined : (list.match(/\b(?:get|post)\b/gi) ?? []);
}

const HANDLER = /^[\t ]*(?:r\.)?(get|post|root)\b([^\n]*?)(?:\bdo\b|\{)/gm;

/** Routes of Sinatra, Grape, Roda and Plug, with their handlers. */
function handlersIn(file: RepositoryFile, scopeAt: ScopeAt): readonly SourceRoute[] {
  return routesFound(file, HANDLER, ({ index, 1: method, 2: list = '' }) => {
    const isPattern = /^[ (]*(?:%r|\/)/.test(list);
    return {
      path: isPattern ? undefined : joined(scopeAt(index).path, matchedPath(list) ?? firstName(list) ?? '') || '/',
      methods: [method === 'root' ? 'get' : method],
    };
  });
}

const MOUNTED =
  /^[\t ]*(?:(?:map[ (]+["']([^"'\n]*)["']\)? *(?:\{|do) *)?(?:mount|run)[ (]+|forward "([^"\n]*)", (?:to: )?)(?:::)?([A-Z][\w:.]*)(.*)$/gm;
const DRAWN = /^[\t ]*draw[ (]+:(\w+)/gm;

/** Applications below others, and files that `config/routes.rb` draws: `mount Api => '/api'`, `map('/api') { run Api }`, `forward "/api", to: Api`, `draw :api`. */
function mountsIn(
  { path, text }: RepositoryFile,
  scopeAt: ScopeAt,
  sources: readonly RepositoryFile[],
): readonly Mount[] {
  const from = routerKey(path);
  const mounted = [...text.matchAll(MOUNTED)].map((match) => {
    const { index, 1: mapped = match[2] ?? '', 3: name = '', 4: list = '' } = match;
    const to = fileOf(name, sources);
    const prefix = joined(scopeAt(index).path, mapped, /["']([^"']*)["']/.exec(list)?.[1] ?? '');
    return { from, to: to && routerKey(to), prefix: prefix === '/' ? '' : prefix };
  });
  const drawn = [...text.matchAll(DRAWN)].map(({ index, 1: name }) => ({
    from,
    to: routerKey(joined(folderOf(path), 'routes', `${name}.rb`).slice(1)),
    prefix: scopeAt(index).path,
  }));
  return [...mounted, ...drawn];
}

/** File of a class or module by naming convention: `api/v1/users.rb` for `Api::V1::Users`, `shop_web/api.ex` for `ShopWeb.Api`. */
function fileOf(name: string, sources: readonly RepositoryFile[]): string | undefined {
  const path = name
    .replace(/::|\./g, '/')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase();
  return sources.find((file) => [`/${path}.rb`, `/${path}.ex`].some((end) => `/${file.path}`.endsWith(end)))?.path;
}
