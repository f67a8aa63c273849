import { createHash } from 'node:crypto';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Json } from '../core/json.ts';
import type { Reply } from '../core/protocol.ts';
import { BODY_LIMIT_BYTES, type Call, LIMIT_MS } from './client-call.ts';
import { restFailure } from './client-rest-failure.ts';
import { type Exchange, type RawAnswer, sendHttp1 } from './client-rest-http1.ts';
import { sendHttp2 } from './client-rest-http2.ts';

/** Asks over HTTP; rejects with MeasurementError where no answer came, or one that is not kept. */
export async function callRest(call: Call): Promise<Reply> {
  const exchange = exchangeOf(call);
  const signal = AbortSignal.timeout(LIMIT_MS);
  const send = exchange.http === '1.1' ? sendHttp1 : sendHttp2;
  let raw: RawAnswer | undefined;
  try {
    raw = await send(exchange, signal);
    return await replyOf(raw);
  } catch (thrown) {
    throw restFailure(exchange, { thrown, isLate: signal.aborted, hasBegun: raw !== undefined });
  } finally {
    raw?.close();
  }
}

function exchangeOf({ service, address, request }: Call): Exchange {
  const [method = 'GET', path = '/'] = request.call.split(' ');
  const { http, tls } = service.connection ?? { http: '1.1', tls: undefined };
  const port = address.slice(address.lastIndexOf(':'));
  const { content } = request;
  const body = content && ('text' in content ? Buffer.from(content.text) : Buffer.from(content.base64, 'base64'));
  const headers = {
    Host: tls?.serverName === undefined ? address : `${tls.serverName}${port}`,
    // What the load tool asks for, so that what is verified is what is measured.
    'Accept-Encoding': 'gzip',
    'User-Agent': 'wiregauge',
    ...(body !== undefined && { 'Content-Length': String(body.length) }),
    ...service.headers,
    ...request.headers,
  };
  return { http, tls, address, method, path, headers, body };
}

async function replyOf({ status, headers, body }: RawAnswer): Promise<Reply> {
  const bytes = await limitedBytes(decompressed(body, headers['content-encoding']));
  const text = bytes.toString('utf8');
  const answer = {
    contentType: headers['content-type'],
    location: headers['location'],
    text,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
  return { status: String(status), body: parseJson(text), answer };
}

const DECOMPRESSIONS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

function decompressed(body: Readable, encoding: string | undefined): Readable {
  const name = encoding?.trim().toLowerCase() || 'identity';
  const create = DECOMPRESSIONS.get(name);
  if (create === undefined && name !== 'identity') {
    throw new Error(`the answer is compressed with ${name.slice(0, 50)}, which was not asked for`);
  }
  // Errors of both come out of the last one.
  return create === undefined ? body : pipeline(body, create(), () => undefined);
}

async function limitedBytes(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > BODY_LIMIT_BYTES) {
      throw new Error(`the answer is longer than ${BODY_LIMIT_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
