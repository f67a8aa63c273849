import { createHash } from 'node:crypto';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type protobuf from 'protobufjs';
import type { Json } from '../../foundation/json.ts';
import type { Reply } from '../../model/protocol.ts';
import { BODY_LIMIT_BYTES, type Call, limitMsOf } from '../client-call.ts';
import type { contractReader } from '../grpc/client-grpc-contract.ts';
import { restFailure } from './client-rest-failure.ts';
import { type Exchange, type RawAnswer, sendHttp1 } from './client-rest-http1.ts';
import { sendHttp2 } from './client-rest-http2.ts';
import { messageJson } from './client-rest-message.ts';

/**
 * Asks over HTTP; rejects with MeasurementError where no answer came, one that is not kept, or one that is not the message that it is
 * said to be.
 */
export async function callRest(call: Call, contractOf: ReturnType<typeof contractReader>): Promise<Reply> {
  const exchange = exchangeOf(call);
  const limitMs = limitMsOf(call);
  const signal = AbortSignal.timeout(limitMs);
  const send = exchange.http === '1.1' ? sendHttp1 : sendHttp2;
  const { answerMessage } = call.request;
  const type = answerMessage === undefined ? undefined : contractOf(call.service).message(answerMessage);
  let raw: RawAnswer | undefined;
  try {
    raw = await send(exchange, signal);
    return await replyOf(raw, type);
  } catch (thrown) {
    throw restFailure(exchange, { thrown, lateMs: signal.aborted ? limitMs : undefined, hasBegun: raw !== undefined });
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

async function replyOf({ status, headers, body }: RawAnswer, type: protobuf.Type | undefined): Promise<Reply> {
  const { bytes, isCut } = await limitedBytes(decompressed(body, headers['content-encoding']));
  const text = bytes.toString('utf8');
  const answer = {
    contentType: headers['content-type'],
    location: headers['location'],
    text,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
  if (isCut) {
    return { status: String(status), body: undefined, answer, cut: `longer than ${BODY_LIMIT_BYTES} bytes` };
  }
  const json = parseJson(text);
  // An error is seldom the message that success is.
  const isMessage = type !== undefined && status >= 200 && status < 300;
  return { status: String(status), body: isMessage ? messageJson(type, { answer, bytes, json }) : json, answer };
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

/** The bytes, or the beginning of too many. */
async function limitedBytes(body: Readable): Promise<{ readonly bytes: Buffer; readonly isCut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > BODY_LIMIT_BYTES) {
      return { bytes: Buffer.concat(chunks), isCut: true };
    }
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
