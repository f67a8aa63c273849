import * as z from 'zod';
import { ConfigError, MeasurementError } from '../../foundation/errors.ts';
import { isJsonMap, type Json } from '../../foundation/json.ts';
import type { Reply, TargetRequest } from '../../model/load.ts';
import { type Call, refuseCut } from '../call.ts';
import { callHttp } from '../http/client.ts';
import { deadlineMs, headers, USUAL_DEADLINE } from '../http/headers.ts';
import { plainAnswer, shortText } from '../http/status.ts';
import { type BindingPlace, boundTo, type Protocol } from '../protocol.ts';
import { type BodySource, body, type RestBody } from '../rest/binding.ts';
import { refuseMissing, restRequest, type Values } from '../rest/request.ts';

/** Request of an operation over a WebSocket: a message, and the settings of the handshake. */
interface WebsocketBinding {
  readonly path: string;
  /** Headers of the handshake, which override those of the service. */
  readonly headers: Readonly<Record<string, string>>;
  readonly subprotocols: readonly string[];
  /** Message with `{name}` from the arguments; undefined: the arguments are the message. */
  readonly message: RestBody | undefined;
  readonly isBinary: boolean;
  /** Key of the number that a message and its response share; undefined if responses come in order. */
  readonly correlation: string | undefined;
  readonly isText: boolean;
  /** Key of the part of a response that is compared; undefined for all of it. */
  readonly answer: string | undefined;
  readonly deadlineMs?: number | undefined;
}

/** The driver searches for the key literally, without escapes. */
const key = z
  .string()
  .regex(
    /^[A-Za-z0-9_@$][A-Za-z0-9_@$.-]{0,39}$/,
    'must be a top-level key of the message, with letters, digits, _, @, $, . and -',
  );

const text = z
  .string()
  .min(1)
  .transform((found): BodySource => ({ kind: 'text', text: found }));

/** A string is sent as text. A map with only a `text` key is refused as ambiguous: over REST it is a form, in a chat a message. */
const message = z
  .json()
  .superRefine((value, context) => {
    if (isJsonMap(value) && Object.keys(value).join() === 'text') {
      context.addIssue({
        code: 'custom',
        message: 'is ambiguous: for text, write `message: hello`; for JSON, `{ json: { text: hello } }`',
      });
    }
  })
  .transform((value): Json => (typeof value === 'string' ? { text: value } : value))
  .pipe(body);

const long = z.strictObject({
  message: message
    .optional()
    .describe(
      'Text, a JSON value, `{ file: message.bin }`, sent as binary, or `{ json: … }` for JSON that looks like one of these; default: the arguments.',
    ),
  binary: z.boolean().optional().meta({ default: false }).describe('Sends JSON and text as binary messages.'),
  path: z
    .string()
    .regex(/^\/[^\s{}]*$/, 'must begin with / and have no spaces or {name}: the connection is opened only once')
    .optional()
    .meta({ default: '/' })
    .describe('The path of the handshake.'),
  subprotocols: z
    .array(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'must be the name of a sub-protocol'))
    .min(1)
    .max(10)
    .refine((all) => new Set(all).size === all.length, 'must not contain duplicates')
    .optional()
    .describe('Sub-protocols; the service must accept one.'),
  correlation: key
    .optional()
    .describe(
      'The top-level key of a number that the answer repeats; other messages are skipped. Default: answers come in the order of the messages.',
    ),
  answer: key
    .optional()
    .describe('The top-level key that is compared, and must not be missing or null; default: all but the correlation.'),
  headers: headers.optional().describe('Headers of the handshake, which override those of the service.'),
  deadlineMs: deadlineMs.optional().describe(`The time limit until the end of the answer; ${USUAL_DEADLINE}`),
});

const websocketSchema = z
  .union([text.transform((message): z.output<typeof long> => ({ message })), long], {
    error: 'must be the text of a message, or a map with message, path, subprotocols, correlation, answer and headers',
  })
  .describe('The text of a message, or a map.');

type WebsocketSource = z.output<typeof long>;

/** Messages over a WebSocket, each with one response, matched by a number or by order. */
export const websocket: Protocol<WebsocketSource, WebsocketBinding> = {
  name: 'websocket',
  transport: 'websocket',
  example: 'websocket: { message: { get: user, id: "{id}" }, correlation: request }',
  schema: websocketSchema,
  bindingOf,
  call: callSocketOrPath,

  target(operation, { headers, connection }, address) {
    const binding = boundTo(operation, websocket);
    const whole = { ...binding, headers: { ...headers, ...binding.headers } };
    const requests = operation.arguments.map((row) => requestOf(whole, row));
    return { address, requests, connection };
  },

  canonical(reply, operation) {
    refuseHandshake(reply);
    refuseCut(reply, operation);
    return reply.cut === undefined ? dataOf(reply, boundTo(operation, websocket)) : null;
  },
};

/** Throws ConfigError if the message does not fit the arguments or the correlation. */
function bindingOf(source: WebsocketSource, place: BindingPlace): WebsocketBinding {
  const { path = '/', headers = {}, subprotocols = [], correlation, answer, deadlineMs } = source;
  const { message: given } = source;
  const message = given?.kind === 'file' ? { ...given, base64: place.contentOf(given.file, 'message', 'file') } : given;
  const { binary: isBinary = message?.kind === 'file' } = source;
  if (correlation !== undefined) {
    refuseCorrelation(correlation, { message, isBinary }, place);
  }
  refuseMissing(templateOf(message), place);
  const isText = correlation !== undefined && typeof numberedBy(message, correlation) === 'string';
  const more = deadlineMs === undefined ? {} : { deadlineMs };
  return { path, headers, subprotocols, message, isBinary, correlation, isText, answer, ...more };
}

function refuseCorrelation(
  correlation: string,
  { message, isBinary }: Pick<WebsocketBinding, 'message' | 'isBinary'>,
  { at, rows }: BindingPlace,
): void {
  const isMap = message === undefined || (message.kind === 'json' && isJsonMap(message.json));
  if (isBinary || !isMap) {
    throw new ConfigError(`${at('correlation')}: works only with messages that are JSON maps, sent as text`, {
      code: 'WG-105',
      next: 'Remove it if each message is answered in turn, or write the message as a map.',
    });
  }
  const isTaken =
    message === undefined
      ? rows.some((row) => Object.hasOwn(row, correlation))
      : /\{\w+\}/.test(JSON.stringify(numberedBy(message, correlation) ?? null));
  if (isTaken) {
    throw new ConfigError(`${at('correlation')}: is a key that the message fills from an argument`, {
      code: 'WG-105',
      next: 'Wiregauge would replace it with a counter: set another key, or remove `correlation`.',
    });
  }
}

function numberedBy(message: RestBody | undefined, correlation: string): Json | undefined {
  return message?.kind === 'json' && isJsonMap(message.json) ? message.json[correlation] : undefined;
}

function templateOf(message: RestBody | undefined) {
  return { path: '/', headers: {}, body: message };
}

function requestOf(binding: WebsocketBinding, row: Values): TargetRequest {
  const { path, headers, subprotocols, isBinary, correlation, isText, answer, deadlineMs } = binding;
  const { content = { text: JSON.stringify(row) } } = restRequest(templateOf(binding.message), row);
  return {
    call: `${isBinary ? 'BINARY' : 'TEXT'} ${path}`,
    body: undefined,
    headers,
    // The number is added when the message is sent.
    content:
      correlation !== undefined && 'text' in content
        ? { text: JSON.stringify(withoutKey(JSON.parse(content.text), correlation)) }
        : content,
    socket: {
      subprotocols,
      ...(correlation !== undefined && { correlation, isText }),
      ...(answer !== undefined && { answer }),
    },
    ...(deadlineMs !== undefined && { deadlineMs }),
  };
}

/** The client is loaded with the first message. Readiness checks of a path use HTTP. */
async function callSocketOrPath(call: Call): Promise<Reply> {
  if (call.request.socket === undefined) {
    return await callHttp(call);
  }
  const { callSocket } = await import('./client.ts');
  return await callSocket(call);
}

function refuseHandshake({ status, answer }: Reply): void {
  if (status !== 'OK') {
    const text = answer?.text.trim() ?? '';
    throw new MeasurementError(
      `answered ${status} to the WebSocket handshake${text === '' ? '' : ` (${shortText(text)})`}`,
      {
        code: 'WG-307',
        next: 'Check `path`, `subprotocols` and `headers` of the operation: a WebSocket handshake must answer 101.',
      },
    );
  }
}

function dataOf(reply: Reply, { correlation, answer: key }: WebsocketBinding): Json {
  const { body, answer } = reply;
  if (key !== undefined) {
    return dataAt(reply, key);
  }
  if (body !== undefined) {
    return correlation === undefined || !isJsonMap(body) ? body : withoutKey(body, correlation);
  }
  if (answer === undefined) {
    throw new MeasurementError('answered without a readable message', { code: 'WG-307' });
  }
  return plainAnswer(answer);
}

function dataAt({ body, answer }: Reply, key: string): Json {
  const data = isJsonMap(body) ? body[key] : undefined;
  if (data === undefined || data === null) {
    throw new MeasurementError(`answered without \`${key}\`: ${shortText(answer?.text ?? '')}`, {
      code: 'WG-307',
      next: 'Fix the message or the service, or `answer` of the operation.',
    });
  }
  return data;
}

function withoutKey(map: Readonly<Record<string, Json>>, key: string): Json {
  return Object.fromEntries(Object.entries(map).filter(([name]) => name !== key));
}
