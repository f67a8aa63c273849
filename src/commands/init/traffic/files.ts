import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { createGunzip } from 'node:zlib';
import { mapIn } from '../../../config/yaml/lines.ts';
import { ConfigError, ifPossible, KnownError, messageOf } from '../../../foundation/errors.ts';
import { cleanText } from '../../../foundation/text.ts';
import { fileRefusalOf, piecesOf } from '../../../host/files/reader.ts';
import { withoutTokens } from '../../../model/secrets/printed.ts';
import { type Exchange, linkedSession } from './chains.ts';
import { accessLogRequest } from './formats/access-log.ts';
import { brunoRequests, brunoVariables, isBrunoFile } from './formats/bruno.ts';
import { harExchanges } from './formats/har.ts';
import { httpFileRequests, isHttpFile } from './formats/http-file.ts';
import { jsonLogRequest } from './formats/json-log.ts';
import { postmanRequests, postmanVariables } from './formats/postman.ts';
import type { Variables } from './formats/variables.ts';
import { FormatError, type ObservedRequest } from './request.ts';
import { type Traffic, TrafficCollector } from './traffic.ts';

/**
 * Requests of files: access logs of any size, HAR, and collections with their environments; of a folder those that an editor or Bruno keeps
 * in it. `-` is standard input. Throws ConfigError with file, line and column.
 */
export async function readTraffic(paths: readonly string[], known: readonly string[]): Promise<Traffic> {
  const collector = new TrafficCollector(known);
  const collections: Collection[] = [];
  for (const path of paths.flatMap(filesAt)) {
    await named(path, async () => collections.push(...(await readFile(path, collector))));
  }
  const variables = new Map(collections.flatMap((one) => [...(one.variables ?? [])]));
  for (const { path, requests } of collections) {
    await named(path, async () => {
      for (const request of requests?.(variables) ?? []) {
        collector.add(request);
      }
    });
  }
  const session = linkedSession(collections.flatMap(({ exchanges = [] }) => exchanges));
  for (const request of session.requests) {
    collector.add(request);
  }
  const traffic = { ...collector.end(), session };
  if (traffic.count === 0) {
    const why = [...traffic.leftOut].map(([reason, count]) => `${count} ${reason}`).join(', ') || 'it is empty';
    throw new ConfigError(`${paths.join(', ')}: no request can be used: ${why}`, { code: 'WG-105', next: FORMS });
  }
  return traffic;
}

const FORMS =
  'Known forms: access logs in common, combined or JSON form of nginx, Apache, Caddy, Envoy, Traefik and ALB; HAR 1.2; collections of Postman 2.x and Bruno; .http files; targets of vegeta.';

/** Variables of an environment, or requests that need the variables of all environments. */
interface Collection {
  readonly path: string;
  readonly variables?: Variables;
  readonly exchanges?: readonly Exchange[];
  readonly requests?: (variables: Variables) => readonly ObservedRequest[];
}

const MAX_FILES = 1000;

/** A file, or the files of a folder that contain requests. */
function filesAt(path: string): readonly string[] {
  if (path === '-' || statSync(resolve(path), { throwIfNoEntry: false })?.isDirectory() !== true) {
    return [path];
  }
  const all = readdirSync(resolve(path), { recursive: true, encoding: 'utf8' });
  return all
    .filter((one) => /\.(?:bru|http|rest)$/.test(one) && !one.includes('node_modules'))
    .toSorted()
    .slice(0, MAX_FILES)
    .map((one) => join(path, one));
}

/** Adds the name of the file to errors that `work` throws. */
async function named(path: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (cause instanceof KnownError) {
      throw cause;
    }
    const [code, message, next] =
      cause instanceof FormatError
        ? (['WG-105', cleanText(cause.message), FORMS] as const)
        : (['WG-107', fileRefusalOf(cause).message, 'Name a file, or `-` for standard input.'] as const);
    throw new ConfigError(`${path}: ${message}`, { code, cause, next });
  }
}

/** Limit for a line: a request, with everything that is logged about it. */
const MAX_LINE = 2 ** 20;

async function readFile(path: string, collector: TrafficCollector): Promise<readonly Collection[]> {
  const pieces = textOf(path === '-' ? '/dev/stdin' : resolve(path));
  try {
    return await readPieces(path, pieces, collector);
  } finally {
    // Closes a refused file before its end.
    await pieces.return(undefined);
  }
}

async function readPieces(
  path: string,
  pieces: AsyncGenerator<string, undefined>,
  collector: TrafficCollector,
): Promise<readonly Collection[]> {
  const first = (await pieces.next()).value ?? '';
  const start = first.trimStart();
  // A line of Envoy begins with `[`.
  if (/^(?:\{|\[\s*[\]{"])/.test(start) && !isLine(start)) {
    return [{ path, ...collectionIn(parsedJson(await wholeOf(first, pieces))) }];
  }
  if (isBrunoFile(first)) {
    const text = await wholeOf(first, pieces);
    return [{ path, variables: brunoVariables(text), requests: (all) => brunoRequests(text, all) }];
  }
  if (isHttpFile(path, first)) {
    const text = await wholeOf(first, pieces);
    return [{ path, requests: (all) => httpFileRequests(text, all) }];
  }
  // Without this, the young generation grows to 134 MB, for lines that nothing keeps, and the old one as much before it is collected.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--optimize-for-size');
  await readLines(first, pieces, collector);
  return [];
}

function collectionIn(document: unknown): Omit<Collection, 'path'> {
  const map = mapIn(document);
  if ('log' in map) {
    return { exchanges: harExchanges(document) };
  }
  if ('info' in map) {
    return { requests: (variables) => postmanRequests(document, variables) };
  }
  if (Array.isArray(map['values'])) {
    return { variables: postmanVariables(document) };
  }
  throw new FormatError('is JSON of an unknown form');
}

/** True if the first line of a text is a whole JSON value, so that the text is no single document. */
function isLine(text: string): boolean {
  const end = text.indexOf('\n');
  const map = mapIn(ifPossible(() => JSON.parse(end === -1 ? text : text.slice(0, end))));
  return !['log', 'info', 'values'].some((key) => key in map) && Object.keys(map).length > 0;
}

/** Lines without a request after which a file is refused. */
const LINES_TO_FAIL = 100;

async function readLines(first: string, pieces: AsyncIterable<string>, collector: TrafficCollector): Promise<void> {
  let [line, read, unread, rest] = [0, 0, 0, first];
  let refused = '';
  const take = (text: string): void => {
    line += 1;
    if (text === '' || text.startsWith('#')) {
      return;
    }
    const request = accessLogRequest(text) ?? jsonLogRequest(text);
    if (request === undefined) {
      unread += 1;
      refused ||= `${line}:1: is not a line of an access log: ${cleanText(withoutTokens(text.slice(0, 200), {}), 80)}`;
    } else {
      read += 1;
      collector.add(request);
    }
    if (unread >= LINES_TO_FAIL && unread > read) {
      throw new FormatError(refused);
    }
  };
  const takeAll = (text: string): void => {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      take(text.slice(from, text.charAt(end - 1) === '\r' ? end - 1 : end));
      from = end + 1;
    }
    rest = text.slice(from);
    if (rest.length > MAX_LINE) {
      throw new FormatError(`${line + 1}:1: is a line of more than ${MAX_LINE} characters, which is the limit`);
    }
  };
  takeAll(first);
  for await (const piece of pieces) {
    takeAll(rest + piece);
  }
  take(rest);
  if (unread > read) {
    throw new FormatError(refused);
  }
  if (unread > 0) {
    collector.leaveOut('lines that are not requests', unread);
  }
}

/** Documents are parsed as a whole. */
const MAX_DOCUMENT = 2 ** 28;

/** Text of a file in pieces: UTF-8 or, by its byte order mark, UTF-16; also gzipped. */
async function* textOf(path: string): AsyncGenerator<string, undefined> {
  const bytes = piecesOf(path);
  try {
    let decoder: InstanceType<typeof TextDecoder> | undefined;
    for await (const piece of await unpacked(bytes)) {
      const [one, two] = piece;
      decoder ??= new TextDecoder(
        one === 0xff && two === 0xfe ? 'utf-16le' : one === 0xfe && two === 0xff ? 'utf-16be' : 'utf-8',
      );
      yield decoder.decode(piece, { stream: true });
    }
  } finally {
    // Closes a file that is not read to its end.
    await bytes.return(undefined);
  }
  return undefined;
}

async function unpacked(pieces: AsyncGenerator<Uint8Array, undefined>): Promise<AsyncIterable<Uint8Array>> {
  const first = await pieces.next();
  const [one, two] = first.value ?? [];
  const isPacked = one === 0x1f && two === 0x8b;
  const all = (async function* () {
    for (let next = first; next.value !== undefined; next = await pieces.next()) {
      yield isPacked ? Buffer.from(next.value) : next.value;
    }
  })();
  // A failure of either stream ends both, and is thrown to the reader.
  return isPacked ? pipeline(Readable.from(all), createGunzip(), () => undefined) : all;
}

async function wholeOf(first: string, pieces: AsyncIterable<string>): Promise<string> {
  const all = [first];
  let length = first.length;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > MAX_DOCUMENT) {
      throw new FormatError(`has more than ${MAX_DOCUMENT} characters in one document, which is the limit`);
    }
    all.push(piece);
  }
  return all.join('');
}

/** Value of a JSON text. Throws FormatError with line and column. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const isTruncated = isBeginning(text);
    // Longest prefix that only lacks its end, since the engine does not always report the place of an error.
    let [good, bad] = isTruncated ? [text.length, text.length] : [0, text.length];
    while (bad - good > 1) {
      const middle = Math.floor((good + bad) / 2);
      [good, bad] = isBeginning(text.slice(0, middle)) ? [middle, bad] : [good, middle];
    }
    const before = text.slice(0, bad).split('\n');
    const what = isTruncated ? 'ends inside of the JSON: it is truncated' : 'is not valid JSON';
    throw new FormatError(`${before.length}:${Math.max(1, before.at(-1)?.length ?? 1)}: ${what}`);
  }
}

/** True if a text could be the beginning of a JSON text. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (thrown) {
    const why = messageOf(thrown);
    const at = Number(/at position (\d+)/.exec(why)?.[1] ?? -1);
    return /end of JSON|Unterminated string/.test(why) || at >= text.trimEnd().length;
  }
}
