import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type protobuf from 'protobufjs';
import { codeOf, KnownError, MeasurementError, messageOf } from '../../foundation/errors.ts';
import { type Json, parsedJson } from '../../foundation/json.ts';
import { bytesUpTo } from '../../host/body.ts';
import type { Reply } from '../../model/load.ts';
import type { Answer } from '../../model/suite/http.ts';
import { answerOf, BODY_LIMIT_BYTES, type Call, limitMsOf } from '../call.ts';
import { jsonOf } from '../grpc/answer.ts';
import { readContract } from '../grpc/contract.ts';
import { messageFrom } from '../grpc/message.ts';
import { TLS_FAILURES } from '../tls.ts';
import { type Exchange, hostHeader, type RawAnswer, sendHttp1, sendHttp2 } from './send.ts';

/** Sends a request over HTTP. Rejects with MeasurementError if there is no response, or if it is not the expected message. */
export async function callHttp(call: Call): Promise<Reply> {
  const exchange = exchangeOf(call);
  const limitMs = limitMsOf(call);
  const signal = AbortSignal.timeout(limitMs);
  const send = exchange.http === '1.1' ? sendHttp1 : sendHttp2;
  const { answerMessage } = call.request;
  const type = answerMessage === undefined ? undefined : readContract(call.service).message(answerMessage);
  let raw: RawAnswer | undefined;
  try {
    raw = await send(exchange, signal);
    return await replyOf(raw, type);
  } catch (thrown) {
    throw httpFailure(exchange, { thrown, lateMs: signal.aborted ? limitMs : undefined, hasBegun: raw !== undefined });
  } finally {
    raw?.close();
  }
}

function exchangeOf({ service, address, request }: Call): Exchange {
  const [method = 'GET', path = '/'] = request.call.split(' ');
  const { http, tls } = service.connection ?? { http: '1.1', tls: undefined };
  const { content } = request;
  const body = content && ('text' in content ? Buffer.from(content.text) : Buffer.from(content.base64, 'base64'));
  const headers = {
    Host: hostHeader(address, tls),
    // Same as the load tool, so that the verified response is the measured one.
    'Accept-Encoding': 'gzip',
    'User-Agent': 'wiregauge',
    ...(body !== undefined && { 'Content-Length': String(body.length) }),
    ...service.headers,
    ...request.headers,
  };
  return { http, tls, address, method, path, headers, body };
}

async function replyOf({ status, headers, body }: RawAnswer, type: protobuf.Type | undefined): Promise<Reply> {
  const { bytes, isCut } = await bytesUpTo(BODY_LIMIT_BYTES, decompressed(body, headers['content-encoding']));
  const answer = answerOf(bytes, headers);
  if (isCut) {
    return { status: String(status), body: undefined, answer, cut: `longer than ${BODY_LIMIT_BYTES} bytes` };
  }
  const json = parsedJson(answer.text);
  // Error responses are seldom the message that success is.
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
    throw new Error(`the answer is compressed with ${name.slice(0, 50)}, which was not requested`);
  }
  // The last stream reports the errors of both.
  return create === undefined ? body : pipeline(body, create(), () => undefined);
}

/** Failures by the code and the message of the error; the first match decides. */
const KNOWN = [
  ...TLS_FAILURES,
  {
    pattern: /^ERR_(OSSL|SSL)_\S*(PEM|KEY|ASN1|UNSUPPORTED)/,
    says: 'the certificate or the key of its `tls` cannot be used',
    next: 'Check that both are PEM, without a passphrase, and belong together.',
  },
  {
    pattern: /^HPE_/,
    says: 'its answer is not HTTP/1.1',
    next: 'If it uses TLS or HTTP/2, set `tls: {}` or `http: h2c`.',
  },
  {
    pattern: /^(ERR_HTTP2_|ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL)/,
    says: 'it does not speak HTTP/2 on this port',
    next: 'Set `http: "1.1"`, or enable HTTP/2 in the service.',
  },
  {
    pattern: /^ECONNRESET\b/,
    says: 'it closed the connection before the answer was complete',
    next: 'Check its output, and whether it uses TLS or another version of HTTP on this port.',
  },
];

/** `lateMs` is the time limit if it was exceeded; `hasBegun` is true if the headers of the response were received. */
export function httpFailure(
  { method, path, address, tls }: Pick<Exchange, 'method' | 'path' | 'address' | 'tls'>,
  { thrown, lateMs, hasBegun }: { thrown: unknown; lateMs?: number | undefined; hasBegun: boolean },
): MeasurementError {
  const name = `${method} ${tls === undefined ? 'http' : 'https'}://${address}${path}`;
  if (lateMs !== undefined) {
    const what = hasBegun ? 'the answer did not end' : 'no answer';
    return new MeasurementError(`${name}: timeout: ${what} within ${lateMs / 1000} s`, {
      code: 'WG-308',
      cause: thrown,
    });
  }
  const first = firstCause(thrown);
  const detail = `${codeOf(first)} ${messageOf(first)}`.replace(/\s+/g, ' ').trim();
  const known = KNOWN.find(({ pattern }) => pattern.test(detail));
  return new MeasurementError(`${name}: ${known === undefined ? detail : `${known.says} (${detail})`}`, {
    code: 'WG-308',
    cause: thrown,
    next: known?.next ?? (thrown instanceof KnownError ? thrown.next : undefined),
  });
}

/** An HTTP/2 stream fails because of its connection. */
function firstCause(thrown: unknown): unknown {
  const isStream = codeOf(thrown) === 'ERR_HTTP2_STREAM_CANCEL';
  return isStream && thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
}

/** There is no registered media type; these are in use. */
const PROTOBUF = /^application\/(?:x-|x-google-|vnd\.google\.)?protobuf\s*(?:;|$)/i;

/** Message as a gRPC service of the same contract would return it. Throws MeasurementError if it is not such a message. */
export function messageJson(
  type: protobuf.Type,
  {
    answer,
    bytes,
    json,
  }: { readonly answer: Pick<Answer, 'contentType'>; readonly bytes: Uint8Array; readonly json: Json | undefined },
): Json {
  const isProtobuf = PROTOBUF.test(answer.contentType?.trim() ?? '');
  try {
    return jsonOf(type, isProtobuf ? bytes : encoded(type, json));
  } catch (cause) {
    const form = isProtobuf ? 'in protobuf' : 'in JSON';
    throw new MeasurementError(`the answer is not a ${type.fullName.slice(1)} ${form}: ${messageOf(cause)}`, {
      code: 'WG-307',
      cause,
      next: 'Fix the service, or `expect.message` of the operation.',
    });
  }
}

function encoded(type: protobuf.Type, json: Json | undefined): Uint8Array {
  if (json === undefined) {
    throw new Error('it is neither JSON nor application/x-protobuf');
  }
  return type.encode(type.fromObject(messageFrom(type, json, 'body'))).finish();
}
