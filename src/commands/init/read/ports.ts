import { withoutComments } from '../routes/router-graph.ts';
import type { Environment } from '../services/proposal.ts';
import { portFrom } from './places.ts';

/** Reads of variables that contain a port. */
const READ_PORT = /(?:process\.env(?:\.|\[['"])|\b(?:Getenv|LookupEnv|getenv|env::var(?:_os)?)\(\s*")(\w*PORT\w*)/g;

/** The name PORT itself: in quotes, or destructured from all variables. */
const NAMED = /["'`]PORT["'`]|\bPORT\b[^\n{}]{0,300}\}\s?=\s?process\.env\b/;

/** Ports of other programs that the program connects to. */
export const FOREIGN =
  /^(?:DB|DATABASE|PG|POSTGRES|MYSQL|MARIADB|MSSQL|TYPEORM|SEQUELIZE|MONGO|REDIS|VALKEY|MEMCACHE|CACHE|SMTP|MAIL|AMQP|RABBIT|KAFKA|NATS|ELASTIC)/;

/** Calls that listen for HTTP on a port that is written in them. */
const HTTP_LISTENS: readonly RegExp[] = [
  /\.listen\(\s*(\d{2,5})\s*[,)]/g,
  /\.listen\(\s*\{[^{}]{0,300}?\bport\s*:\s*(\d{2,5})\b/g,
  /(?:\bListenAndServe|\.(?:Run|Start|Listen))\(\s*"(?:localhost|[\d.]*|\[[\d:a-f]*\]):(\d{2,5})"/g,
  /\bAddr:\s*"(?:localhost|[\d.]*):(\d{2,5})"/g,
  /\bembeddedServer\(\s*\w+\s*,\s*(?:port\s*=\s*)?(\d{2,5})\b/g,
  /\.start\(\s*(\d{2,5})\s*\)/g,
];

/** Calls that listen on a port, for HTTP or gRPC. */
const LISTENS: readonly RegExp[] = [
  /\bnet\.Listen\(\s*"tcp[46]?"\s*,\s*"(?:localhost|[\d.]*):(\d{2,5})"/g,
  /\b(?:bind|serve|parse)[\w:<>]{0,40}\(\s*&?"(?:[\d.]+|localhost|\[[\d:a-f]*\]):(\d{2,5})"/g,
  /\badd_(?:in)?secure_port\(\s*f?['"][^'"\n]{0,40}:(\d{2,5})['"]/g,
  /\.bind(?:Async)?\(\s*['"`][^'"`\n]{0,40}:(\d{2,5})['"`]/g,
  /\b(?:forPort|InetSocketAddress|HttpServer\.create)\(\s*(\d{2,5})\s*[,)]/g,
  /\b(?:SocketAddr::from|run|bind)\(\(\[[\d,\s]+\],\s*(\d{2,5})\)\)/g,
  /"(?:[\d.]+|\[[\d:a-f]*\]):(\d{2,5})"\s*\.parse\b/g,
];

/** Constant that is passed to such a call. */
const CONSTANT = /\b(?:const|let|var)\s+(port)\s*(?::\s*\w+\s*)?=\s*(\d{2,5})\s*(?:;|\n)/gi;

/** Port that a program always listens on, by its sources; undefined if they read a port from outside, or name none or several. */
export function fixedPort(sources: readonly string[]): number | undefined {
  const texts = sources.map(withoutComments);
  if (texts.some(readsPort)) {
    return undefined;
  }
  const found = texts.flatMap((text) => [
    ...[...HTTP_LISTENS, ...LISTENS].flatMap((pattern) => [...text.matchAll(pattern)].map(([, port = '']) => port)),
    ...[...text.matchAll(CONSTANT)]
      .filter(([, name = '']) => new RegExp(`\\.listen\\(\\s*(?:\\{\\s*)?${name}\\b`).test(text))
      .map(([, , port = '']) => port),
  ]);
  const [only, ...others] = new Set(found.map(Number));
  return others.length === 0 ? portFrom(String(only)) : undefined;
}

/** In that case, no number near it is fixed. */
function readsPort(text: string): boolean {
  const names = [...text.matchAll(READ_PORT)].map(([, name = '']) => name);
  return NAMED.test(text) || names.some((name) => !FOREIGN.test(name));
}

/** Variables for the port that a program listens on, or its address. */
const PORTS = /^(?:(?:HTTP|SERVER|APP|API|SERVICE|WEB|LISTEN|REST|NODE|FLASK|BACKEND)_?)+PORT$/;
const ADDRESSES = /^(?:(?:HTTP|SERVER|APP|API|SERVICE|WEB|LISTEN|BIND)_?)*(?:ADDR|ADDRESS|LISTEN|BIND)$/;

/** Variables of ASP.NET for addresses such as `http://+:8000`, and ports; and that of Spring. */
const OF_FRAMEWORKS = /^(?:ASPNETCORE_(?:URLS|HTTP_PORTS)|server\.port)$/;

/** The port that an environment gives a program to listen on, in a variable with a usual name; undefined if it gives none. */
export function portIn(environment: Environment): number | undefined {
  const found = Object.entries(environment).flatMap(([name, value]) => {
    const isPort = name === 'PORT' || PORTS.test(name) || ADDRESSES.test(name) || OF_FRAMEWORKS.test(name);
    return (isPort && portFrom(/(?:^|:)(\d{2,5})\b/.exec(value)?.[1])) || [];
  });
  return found[0];
}

/** Variables for ports other than the measured one. */
const OTHER_PORTS =
  /GRPC|METRIC|DEBUG|ADMIN|MANAGE|PROFIL|PROM|STATS|HTTPS|TLS|SSL|PROXY|FPM|REMOTE|UPSTREAM|TARGET|PUBLIC|EXTERNAL/;

const OF_ANY_NAME = /^\w+_?(?:PORT|ADDR|ADDRESS|LISTEN|BIND)$/;

/** Variable of any name that looks like the program's own port, if exactly one does. */
export function ownPortIn(environment: Environment): { readonly name: string; readonly port: number } | undefined {
  const found = Object.entries(environment).flatMap(([name, value]) => {
    const port = listenedPort(environment, name);
    const isForeign = OTHER_PORTS.test(name) || name.split('_').some((part) => FOREIGN.test(part));
    const isOwn = OF_ANY_NAME.test(name) && !isForeign && value.includes(':') !== name.endsWith('PORT');
    return isOwn && port !== undefined ? [{ name, port }] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Port in a variable without a host. A host in or next to it means the port of another program: undefined. */
function listenedPort(environment: Environment, name: string): number | undefined {
  const [, digits] = /^(?:(?:0\.0\.0\.0|\[::\]|\*)?:)?(\d{2,5})$/.exec(environment[name] ?? '') ?? [];
  const host = environment[name.replace(/PORT$/, 'HOST')] ?? '';
  return /[a-z]/i.test(host) ? undefined : portFrom(digits);
}

export function grpcPortOf(environment: Environment): number | undefined {
  const own = Object.keys(environment).flatMap((name) => {
    const port = GRPC_PORT.test(name) ? listenedPort(environment, name) : undefined;
    return port === undefined ? [] : [{ name, port }];
  });
  const usual = own.find(({ name }) => name.startsWith('GRPC'));
  return (usual ?? (own.length === 1 ? own[0] : undefined))?.port;
}

/** Includes helpers, such as `getEnv("HTTP_PORT", "8080")`, and Go struct tags. */
const READ = [
  /\b(?:\w{0,40}env\w{0,40}|environ\.get|env::var)[([]\s*['"](\w+)['"]/gi,
  /\bprocess\.env\.(\w+)/g,
  /\benv(?:config)?:"(\w+)/g,
];

/** Variables for other ports of the service that have a default: any free port works. */
const EXTRA_PORT = /\bprocess\.env\.((?:HTTPS|TLS|SSL|METRICS)_PORT)\s*(?:\|\||\?\?)\s*['"]?\d/g;

const GRPC_PORT = /^\w*GRPC_?(?:SERVER_?)?(PORT|ADDR|ADDRESS)$/;

/**
 * Command of a program with HTTP and gRPC listeners that gives gRPC the port, and HTTP a free one; unchanged without a variable or a property for
 * gRPC. Without `isGrpc`, HTTP gets the port; on a JVM, gRPC then gets a free one.
 */
export function grpcCommand(command: readonly string[], sources: readonly string[], isGrpc = true): readonly string[] {
  const started = jvmCommand(command, sources, isGrpc);
  if (started !== undefined) {
    return started;
  }
  const names = isGrpc ? namesIn(sources) : [];
  const own = names.find((name) => GRPC_PORT.test(name));
  const [, enter = '', line] = /^(cd \S+ && )?(?:\w+=\S+ )*exec (.*)$/.exec(shellLine(command)) ?? [];
  if (own === undefined || line === undefined || !/^[\w./:=@" $-]+$/.test(line)) {
    return command;
  }
  const others = names
    .filter((name) => (PORTS.test(name) || ADDRESSES.test(name) || name === 'PORT') && name !== own)
    .map(anyPort);
  const value = own.endsWith('PORT') ? '"$PORT"' : '"$HOST:$PORT"';
  return ['sh', '-c', `${enter}${own}=${value} ${others.join('')}exec ${line}`];
}

/** Undefined if no word of the command sets a property for HTTP, or no JVM library serves gRPC. */
function jvmCommand(
  command: readonly string[],
  sources: readonly string[],
  isGrpc: boolean,
): readonly string[] | undefined {
  const http = /-D((?:server|quarkus\.http)\.port)="\$PORT"/;
  const [, property] = ofJvm(sources) ?? [];
  return property === undefined || !command.some((word) => http.test(word))
    ? undefined
    : command.map((word) =>
        word.replace(http, (whole, name: string) =>
          isGrpc ? `-D${name}=0 -D${property}="$PORT"` : `${whole} -D${property}=0`,
        ),
      );
}

/** JVM libraries that serve gRPC on a second port: the property for it, and its default. */
const OF_JVM: readonly (readonly [library: RegExp, property: string, port: number])[] = [
  [/\bquarkus-grpc\b/, 'quarkus.grpc.server.port', 9000],
  [/\bio\.github\.lognet\b/, 'grpc.port', 6565],
  [/\bnet\.devh\b/, 'grpc.server.port', 9090],
  [/\borg\.springframework\.grpc\b/, 'spring.grpc.server.port', 9090],
];

function ofJvm(sources: readonly string[]) {
  const isShared = sources.some((text) => /use-separate-server\s*[=:]\s*false/.test(text));
  return isShared ? undefined : OF_JVM.find(([library]) => sources.some((text) => library.test(text)));
}

export function shellLine(command: readonly string[]): string {
  return command[0] === 'sh' ? (command[2] ?? '') : `exec ${command.join(' ')}`;
}

/** Setting that makes a listener take a free port. */
function anyPort(name: string): string {
  return `${name}=${name.endsWith('PORT') ? '' : '"$HOST:"'}0 `;
}

/** Names of variables that sources read from the environment. */
export function namesIn(sources: readonly string[]): readonly string[] {
  const found = sources.flatMap((text) => READ.flatMap((pattern) => [...text.matchAll(pattern)]));
  return [...new Set(found.map(([, name = '']) => name))];
}

/** Default gRPC port in the sources, or of the library that they use; undefined if they name none. */
export function grpcPortIn(sources: readonly string[]): number | undefined {
  const found = sources.map((text) => /grpc[\w.-]{0,60}(?:port|addr)[^\n]{0,60}?["':\s](\d{4,5})\b/i.exec(text)?.[1]);
  return portFrom(found.find((one) => one !== undefined)) ?? ofJvm(sources)?.[2];
}

/** Places where sources name a server's port: Go and argparse flags, listen calls, an address, a constant. An HTTP port may be that of a profiler. */
const GRPC_LISTENS: readonly RegExp[] = [
  /\.(?:String|U?[Ii]nt)\w*\(\s*(?:&[\w.]+,\s*)?"(?:port|addr|address|listen|bind)",\s*"?[\w.[\]]*:?(\d{4,5})\b/g,
  /add_argument\(\s*['"]--port['"][^)\n]{0,200}default\s*=\s*['"]?(\d{4,5})\b/g,
  ...LISTENS,
  /(?<!\bListenAndServe\()"(?:0\.0\.0\.0|127\.0\.0\.1|localhost|\[::1?\]):(\d{4,5})"/g,
  /\b(?:grpc\w{0,20})?port\w{0,20}\s*(?::\s*\w+\s*)?:?=\s*["':]{0,2}(\d{4,5})\b/gi,
  ...HTTP_LISTENS,
];

/** Port of a program that only serves gRPC, from its sources; undefined if they name none. */
export function listenedPortIn(sources: readonly string[]): number | undefined {
  const found = GRPC_LISTENS.flatMap((listens) =>
    sources.flatMap((text) => [...text.matchAll(listens)].flatMap(([, port]) => portFrom(port) ?? [])),
  );
  return found[0];
}

/** The port in the flags of a command: `--port 9000`, `-addr=:9000`. */
export function portInCommand(command: readonly string[] = []): number | undefined {
  const found = command.flatMap((word, at) => {
    const [, given] = /^--?(?:(?:grpc|http|server)-)?(?:port|addr|address|listen|bind)(?:=(.*))?$/.exec(word) ?? [];
    const isFlag = /^--?(?:(?:grpc|http|server)-)?(?:port|addr|address|listen|bind)$/.test(word);
    const value = given ?? (isFlag ? command[at + 1] : undefined);
    return portFrom(value?.split(':').at(-1)) ?? [];
  });
  return found[0];
}

/** Command that sets the port variable of an environment if that is not PORT; unchanged if the command already sets it. */
export function commandAtPort(command: readonly string[], environment: Environment): readonly string[] {
  const usual = Object.keys(environment).find((key) => PORTS.test(key) || ADDRESSES.test(key));
  const name = usual ?? ownPortIn(environment)?.name;
  const [, enter = '', line] = /^(cd \S+ && )?exec ([\w./:=@ -]+)$/.exec(shellLine(command)) ?? [];
  const value = name?.endsWith('PORT') === true ? '"$PORT"' : '"$HOST:$PORT"';
  return name === undefined || line === undefined ? command : ['sh', '-c', `${enter}${name}=${value} exec ${line}`];
}

/** Shell prefix for a program that reads its port from a variable other than PORT; empty if it reads PORT, or no known variable. */
export function portVariable(sources: readonly string[]): string {
  const names = new Set(namesIn(sources));
  if (names.has('PORT')) {
    return '';
  }
  const [port, address] = [PORTS, ADDRESSES].map((known) =>
    [...names].find((name) => known.test(name) && !GRPC_PORT.test(name)),
  );
  const extra = sources.flatMap((text) => [...text.matchAll(EXTRA_PORT)].map(([, name = '']) => name));
  const others = [...new Set([...extra, ...[...names].filter((name) => GRPC_PORT.test(name))])].map(anyPort).join('');
  if (port !== undefined) {
    const host = port.replace(/PORT$/, 'HOST');
    return `${port}="$PORT" ${names.has(host) ? `${host}="$HOST" ` : ''}${others}`;
  }
  return address === undefined ? '' : `${address}="$HOST:$PORT" ${others}`;
}
