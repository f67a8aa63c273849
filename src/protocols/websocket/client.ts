import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import WebSocket from 'ws';
import { MeasurementError } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import type { Reply, SocketSettings } from '../../model/load.ts';
import { BODY_LIMIT_BYTES, type Call, limitMsOf } from '../call.ts';
import { codeOf, httpFailure, parseJson } from '../http/client.ts';
import { sentPath, tlsOptions } from '../http/send.ts';
import { shortText } from '../http/status.ts';

/** Correlation number of the only message on a connection. */
const NUMBER = 1;

/** Time limit for a pong, during which a second response would be noticed. */
const PONG_MS = 1000;

/** Sends a message over a new connection. A refused handshake is a reply with its status. */
export async function callSocket(call: Call): Promise<Reply> {
  const pending = new SocketCall(call);
  try {
    return await pending.reply;
  } finally {
    pending.close();
  }
}

class SocketCall {
  readonly reply: Promise<Reply>;
  readonly #call: Call;
  readonly #socket: WebSocket;
  readonly #timer: NodeJS.Timeout;
  #settle: (end: Reply | Error) => void = () => undefined;
  #answer: Reply | undefined;
  #skipped = 0;

  constructor(call: Call) {
    this.#call = call;
    this.reply = new Promise((resolve, reject) => {
      this.#settle = (end) => (end instanceof Error ? reject(end) : resolve(end));
    });
    const limitMs = limitMsOf(call);
    this.#timer = setTimeout(
      () => this.#fail(`timeout: no answer within ${limitMs / 1000} s${this.#others()}`),
      limitMs,
    );
    this.#socket = opened(call);
    this.#listen();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#socket.terminate();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('unexpected-response', (_request, response) => {
      void refusalReply(response).then(this.#settle, (thrown: unknown) => this.#onError(thrown));
    });
    socket.on('error', (thrown) => this.#onError(thrown));
    socket.on('open', () => this.#send());
    socket.on('message', (message: Buffer, isBinary) => this.#receive(message, isBinary));
    socket.on('pong', () => this.#answer && this.#settle(this.#answer));
    socket.on('close', (code, reason) => {
      if (this.#answer !== undefined) {
        this.#settle(this.#answer);
      }
      const words = reason.length === 0 ? '' : ` (${shortText(reason.toString('utf8'))})`;
      this.#fail(`the connection was closed with ${code}${words} before the answer${this.#others()}`);
    });
  }

  #send(): void {
    const { call, content = { text: '' }, socket } = this.#call.request;
    const message = 'text' in content ? numbered(content.text, socket) : Buffer.from(content.base64, 'base64');
    this.#socket.send(message, { binary: call.startsWith('BINARY ') });
  }

  #receive(message: Buffer, isBinary: boolean): void {
    const text = message.toString('utf8');
    const body = isBinary ? undefined : parseJson(text);
    const { correlation } = this.#call.request.socket ?? {};
    if (correlation !== undefined && !hasNumber(body, correlation)) {
      this.#skipped += 1;
      return;
    }
    const answer = {
      contentType: undefined,
      location: undefined,
      text,
      bytes: message.length,
      sha256: createHash('sha256').update(message).digest('hex'),
    };
    const reply = { status: 'OK', body: body ?? parseJson(text), answer };
    if (correlation !== undefined) {
      this.#settle(reply);
      return;
    }
    if (this.#answer !== undefined) {
      this.#fail(`sent an unexpected message: ${shortText(text)}`, IN_TURN);
      return;
    }
    this.#answer = reply;
    // Messages sent before the pong arrive before it.
    this.#socket.ping();
    setTimeout(() => this.#settle(reply), PONG_MS).unref();
  }

  #others(): string {
    const { correlation } = this.#call.request.socket ?? {};
    return this.#skipped === 0 ? '' : `; messages with another \`${correlation}\`: ${this.#skipped}`;
  }

  #onError(thrown: unknown): void {
    const { address, service, request } = this.#call;
    if (codeOf(thrown) === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
      this.#settle({ status: 'OK', body: undefined, cut: `longer than ${BODY_LIMIT_BYTES} bytes` });
      return;
    }
    const refused = thrown instanceof Error && /subprotocol/i.test(thrown.message);
    if (refused) {
      const requested = request.socket?.subprotocols.join(', ') || 'none';
      this.#fail(`it did not accept the requested sub-protocol (${requested}): ${shortText(thrown.message)}`);
      return;
    }
    const { tls } = service.connection ?? {};
    const exchange = {
      http: '1.1',
      tls,
      address,
      method: 'GET',
      path: pathOf(this.#call),
      headers: {},
      body: undefined,
    } as const;
    this.#settle(httpFailure(exchange, { thrown, lateMs: undefined, hasBegun: false }));
  }

  #fail(words: string, next?: string): void {
    const name = `message to ${urlOf(this.#call)}`;
    this.#settle(new MeasurementError(`${name}: ${words}`, { code: 'WG-308', ...(next !== undefined && { next }) }));
  }
}

const IN_TURN =
  'If the service sends other messages, or answers in another order, set the key that a message and its answer share: `correlation: id`.';

function opened(call: Call): WebSocket {
  const { service, address, request } = call;
  const { tls } = service.connection ?? {};
  const port = address.slice(address.lastIndexOf(':'));
  return new WebSocket(urlOf(call), [...(request.socket?.subprotocols ?? [])], {
    headers: {
      Host: tls?.serverName === undefined ? address : `${tls.serverName}${port}`,
      'User-Agent': 'wiregauge',
      ...request.headers,
    },
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

function hasNumber(body: Json | undefined, correlation: string): boolean {
  const isMap = typeof body === 'object' && body !== null && !Array.isArray(body);
  return isMap && String((body as Readonly<Record<string, Json>>)[correlation]) === String(NUMBER);
}

const LONGEST_REFUSAL = 10_000;

async function refusalReply(response: IncomingMessage): Promise<Reply> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.length > LONGEST_REFUSAL) {
      break;
    }
  }
  const { location, 'content-type': contentType } = response.headers;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return {
    status: String(response.statusCode),
    body: undefined,
    answer: { contentType, location, text, bytes: Buffer.byteLength(text), sha256 },
  };
}
