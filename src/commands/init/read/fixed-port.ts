import { withoutComments } from '../routes/router-graph.ts';

/** Reads of variables that contain a port. */
const READ = /(?:process\.env(?:\.|\[['"])|\b(?:Getenv|LookupEnv|getenv|env::var(?:_os)?)\(\s*")(\w*PORT\w*)/g;

/** The name PORT itself: in quotes, or destructured from all variables. */
const NAMED = /["'`]PORT["'`]|\bPORT\b[^\n{}]{0,300}\}\s?=\s?process\.env\b/;

/** Ports of other programs that the program connects to. */
export const FOREIGN =
  /^(?:DB|DATABASE|PG|POSTGRES|MYSQL|MARIADB|MSSQL|TYPEORM|SEQUELIZE|MONGO|REDIS|VALKEY|MEMCACHE|CACHE|SMTP|MAIL|AMQP|RABBIT|KAFKA|NATS|ELASTIC)/;

/** Calls that listen for HTTP on a port that is written in them. */
export const HTTP_LISTENS: readonly RegExp[] = [
  /\.listen\(\s*(\d{2,5})\s*[,)]/g,
  /\.listen\(\s*\{[^{}]{0,300}?\bport\s*:\s*(\d{2,5})\b/g,
  /(?:\bListenAndServe|\.(?:Run|Start|Listen))\(\s*"(?:localhost|[\d.]*|\[[\d:a-f]*\]):(\d{2,5})"/g,
  /\bAddr:\s*"(?:localhost|[\d.]*):(\d{2,5})"/g,
  /\bembeddedServer\(\s*\w+\s*,\s*(?:port\s*=\s*)?(\d{2,5})\b/g,
  /\.start\(\s*(\d{2,5})\s*\)/g,
];

/** Calls that listen on a port, for HTTP or gRPC. */
export const LISTENS: readonly RegExp[] = [
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

const MAX_PORT = 65_535;

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
  return others.length === 0 && only !== undefined && only <= MAX_PORT ? only : undefined;
}

/** In that case, no number near it is fixed. */
function readsPort(text: string): boolean {
  const names = [...text.matchAll(READ)].map(([, name = '']) => name);
  return NAMED.test(text) || names.some((name) => !FOREIGN.test(name));
}
