import * as z from 'zod';
import { isJsonMap, type Json } from '../../foundation/json.ts';
import { deadlineMs, headers, USUAL_DEADLINE } from '../http/headers.ts';
import { type BodySource, body, type RestBody } from '../rest/binding.ts';

/** Request of an operation over a WebSocket: a message, and the settings of the handshake. */
export interface WebsocketBinding {
  readonly path: string;
  /** Headers of the handshake, which override those of the service. */
  readonly headers: Readonly<Record<string, string>>;
  readonly subprotocols: readonly string[];
  /** Message with `{name}` from the arguments; undefined: the arguments are the message. */
  readonly message: RestBody | undefined;
  readonly isBinary: boolean;
  /** Key of the number that a message and its response share; undefined if responses come in order. */
  readonly correlation: string | undefined;
  /** True if that number is sent as a string. */
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

export const websocketSchema = z
  .union([text.transform((message): z.output<typeof long> => ({ message })), long], {
    error: 'must be the text of a message, or a map with message, path, subprotocols, correlation, answer and headers',
  })
  .describe('The text of a message, or a map.');

export type WebsocketSource = z.output<typeof long>;
