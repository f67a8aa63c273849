import { ConfigError, MeasurementError } from '../../foundation/errors.ts';
import { isJsonMap, type Json } from '../../foundation/json.ts';
import type { Reply, TargetRequest } from '../../model/load.ts';
import { type Call, refuseCut } from '../call.ts';
import type { contractReader } from '../grpc/contract.ts';
import { callHttp } from '../http/client.ts';
import { plainAnswer, shortText } from '../http/status.ts';
import { type BindingPlace, boundTo, type Protocol } from '../protocol.ts';
import type { RestBody } from '../rest/binding.ts';
import { missingArgument, restRequest, type Values } from '../rest/request.ts';
import { type WebsocketBinding, type WebsocketSource, websocketSchema } from './binding.ts';

/** Messages over a WebSocket, each with one response, matched by a number or by order. */
export const websocket: Protocol<WebsocketSource, WebsocketBinding> = {
  name: 'websocket',
  transport: 'websocket',
  example: 'websocket: { message: { get: user, id: "{id}" }, correlation: request }',
  schema: websocketSchema,
  bindingOf,
  caller: (contractOf) => ({ call: async (call) => await callSocketOrPath(call, contractOf) }),

  target(operation, { headers, connection }, address) {
    const binding = boundTo(operation, websocket);
    const whole = { ...binding, headers: { ...headers, ...binding.headers } };
    const requests = operation.arguments.map((row) => requestOf(whole, row));
    return { address, requests, proto: undefined, connection };
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
  refuseMissing(message, place);
  const isText = correlation !== undefined && typeof numberedBy(message, correlation) === 'string';
  const more = deadlineMs === undefined ? {} : { deadlineMs };
  return { path, headers, subprotocols, message, isBinary, correlation, isText, answer, ...more };
}

function refuseMissing(message: RestBody | undefined, { at, rows }: BindingPlace): void {
  for (const [index, row] of rows.entries()) {
    const missing = missingArgument(templateOf(message), row);
    if (missing !== undefined) {
      throw new ConfigError(`${at()}: item ${index + 1} of the arguments has no plain value for {${missing}}`, {
        code: 'WG-114',
        next: `Add ${missing} to every item of \`arguments\` or \`feed\`. If it is not a placeholder, write a space inside the braces, \`{ ${missing} }\`.`,
      });
    }
  }
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

/** Value of a message at its correlation key. */
function numberedBy(message: RestBody | undefined, correlation: string): Json | undefined {
  return message?.kind === 'json' && isJsonMap(message.json) ? message.json[correlation] : undefined;
}

/** The part with placeholders: only the message. */
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
async function callSocketOrPath(call: Call, contractOf: ReturnType<typeof contractReader>): Promise<Reply> {
  if (call.request.socket === undefined) {
    return await callHttp(call, contractOf);
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
