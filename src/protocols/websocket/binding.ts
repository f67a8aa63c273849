import * as z from 'zod';
import type { Json } from '../../foundation/json.ts';
import { deadlineMs, headers, USUAL_DEADLINE } from '../http/headers.ts';
import { type BodySource, body, type RestBody } from '../rest/binding.ts';

/** How an operation is asked for over a WebSocket: a message, and what its connection is opened with. */
export interface WebsocketBinding {
  readonly path: string;
  /** Of the handshake; these come before the service's own. */
  readonly headers: Readonly<Record<string, string>>;
  readonly subprotocols: readonly string[];
  /** With `{name}` from the arguments; undefined: the arguments are the message. */
  readonly message: RestBody | undefined;
  readonly isBinary: boolean;
  /** The key of the number that a message and its answer have in common; undefined if each message is answered in turn. */
  readonly correlation: string | undefined;
  /** Whether that number is sent as a text. */
  readonly isText: boolean;
  /** The key of an answer that has what is compared; undefined for all of it. */
  readonly answer: string | undefined;
  /** The time that a message may take, until its answer has ended; undefined for the usual. */
  readonly deadlineMs?: number | undefined;
}

/** What the driver finds in answers as it stands there, without escapes. */
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

/** A text stands for itself. A map of nothing but a text would be one form over REST, and a message of a chat to who reads it here. */
const message = z
  .json()
  .superRefine((value, context) => {
    const isMap = value !== null && typeof value === 'object' && !Array.isArray(value);
    if (isMap && Object.keys(value).join() === 'text') {
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

/** How an operation is asked for over a WebSocket. */
export const websocketSchema = z
  .union([text.transform((message): z.output<typeof long> => ({ message })), long], {
    error: 'must be the text of a message, or a map with message, path, subprotocols, correlation, answer and headers',
  })
  .describe('The text of a message, or a map.');

/** What the schema makes of a `websocket:`. */
export type WebsocketSource = z.output<typeof long>;
