import type { IncomingMessage } from 'node:http';
import WebSocket from 'ws';
import { codeOf, MeasurementError } from '../../foundation/errors.ts';
import { isJsonMap, parsedJson } from '../../foundation/json.ts';
import { bytesUpTo } from '../../host/body.ts';
import type { Reply, SocketSettings } from '../../model/load.ts';
import { answerOf, BODY_LIMIT_BYTES, type Call, limitMsOf } from '../call.ts';
import { httpFailure } from '../http/client.ts';
import { hostHeader, sentPath, tlsOptions } from '../http/send.ts';
import { shortText } from '../http/status.ts';

/** Correlation number of the only message on a connection. */
const NUMBER = 1;

/** Time limit for a pong, during which a second response would be noticed. */
const PONG_MS = 1000;

/** Sends a message over a new connection. A refused handshake is a reply with its status. */
export async function callSocket(call: Call): Promise<Reply> {
  const { request } = call;
  const { correlation } = request.socket ?? {};
  const limitMs = limitMsOf(call);
  let answer: Reply | undefined;
  let skipped = 0;
  let settle: (end: Reply | Error) => void = () => undefined;
  const settled = new Promise<Reply>((resolve, reject) => {
    settle = (end) => (end instanceof Error ? reject(end) : resolve(end));
  });
  const fail = (words: string, next?: string) => settle(failure(call, words, next));
  const others = () => (skipped === 0 ? '' : `; messages with another \`${correlation}\`: ${skipped}`);
  const onError = (thrown: unknown) => settle(endBy(call, thrown));
  const receive = (message: Buffer, isBinary: boolean): void => {
    const reply = replyOf(message);
    if (correlation !== undefined) {
      if (!isBinary && isJsonMap(reply.body) && String(reply.body[correlation]) === String(NUMBER)) {
        settle(reply);
      } else {
        skipped += 1;
      }
    } else if (answer !== undefined) {
      fail(`sent an unexpected message: ${shortText(message.toString('utf8'))}`, IN_TURN);
    } else {
      answer = reply;
      // Messages sent before the pong arrive before it.
      socket.ping();
      setTimeout(() => settle(reply), PONG_MS).unref();
    }
  };
  const socket = opened(call);
  const timer = setTimeout(() => fail(`timeout: no answer within ${limitMs / 1000} s${others()}`), limitMs);
  socket.on('unexpected-response', (_request, response) => void refusalReply(response).then(settle, onError));
  socket.on('error', onError);
  socket.on('open', () => {
    const { content = { text: '' } } = request;
    const message = 'text' in content ? numbered(content.text, request.socket) : Buffer.from(content.base64, 'base64');
    socket.send(message, { binary: request.call.startsWith('BINARY ') });
  });
  socket.on('message', receive);
  socket.on('pong', () => answer && settle(answer));
  socket.on('close', (code, reason) => {
    if (answer !== undefined) {
      settle(answer);
    }
    const words = reason.length === 0 ? '' : ` (${shortText(reason.toString('utf8'))})`;
    fail(`the connection was closed with ${code}${words} before the answer${others()}`);
  });
  try {
    return await settled;
  } finally {
    clearTimeout(timer);
    socket.terminate();
  }
}

function failure(call: Call, words: string, next?: string): MeasurementError {
  return new MeasurementError(`message to ${urlOf(call)}: ${words}`, { code: 'WG-308', next });
}

function endBy(call: Call, thrown: unknown): Reply | Error {
  const { address, service, request } = call;
  if (codeOf(thrown) === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
    return { status: 'OK', body: undefined, cut: `longer than ${BODY_LIMIT_BYTES} bytes` };
  }
  if (thrown instanceof Error && /subprotocol/i.test(thrown.message)) {
    const requested = request.socket?.subprotocols.join(', ') || 'none';
    return failure(call, `it did not accept the requested sub-protocol (${requested}): ${shortText(thrown.message)}`);
  }
  const sent = { address, tls: service.connection?.tls, path: pathOf(call), method: 'GET' };
  return httpFailure(sent, { thrown, hasBegun: false });
}

function replyOf(message: Buffer): Reply {
  const answer = answerOf(message);
  return { status: 'OK', body: parsedJson(answer.text), answer };
}

const IN_TURN =
  'If the service sends other messages, or answers in another order, set the key that a message and its answer share: `correlation: id`.';

function opened(call: Call): WebSocket {
  const { service, address, request } = call;
  const { tls } = service.connection ?? {};
  return new WebSocket(urlOf(call), [...(request.socket?.subprotocols ?? [])], {
    headers: { Host: hostHeader(address, tls), 'User-Agent': 'wiregauge', ...request.headers },
    maxPayload: BODY_LIMIT_BYTES,
    // The driver does not request compression either.
    perMessageDeflate: false,
    ...(tls !== undefined && tlsOptions(tls)),
  });
}

function urlOf(call: Call): string {
  return `${call.service.connection?.tls === undefined ? 'ws' : 'wss'}://${call.address}${pathOf(call)}`;
}

function pathOf({ request }: Call): string {
  return sentPath(request.call.slice(request.call.indexOf('/')));
}

function numbered(text: string, { correlation, isText }: Partial<SocketSettings> = {}): string {
  return correlation === undefined
    ? text
    : JSON.stringify({ [correlation]: isText ? String(NUMBER) : NUMBER, ...JSON.parse(text) });
}

const LONGEST_REFUSAL = 10_000;

async function refusalReply(response: IncomingMessage): Promise<Reply> {
  const { bytes } = await bytesUpTo(LONGEST_REFUSAL, response);
  const { location, 'content-type': type } = response.headers;
  const answer = answerOf(bytes, { location, 'content-type': type });
  return { status: String(response.statusCode), body: undefined, answer };
}
