import { z } from 'zod';
import type { Json } from '../../foundation/index.ts';
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
    'must be a key of the message itself, of letters, digits, _, @, $, . and -',
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
        message: 'may be a text or JSON: write the text itself, as in `message: hello`, or `{ json: { text: hello } }`',
      });
    }
  })
  .transform((value): Json => (typeof value === 'string' ? { text: value } : value))
  .pipe(body);

const long = z.strictObject({
  message: message
    .optional()
    .describe(
      'A text; or any other JSON value; or `{ file: message.bin }`, a file of the repository, sent as binary; or `{ json: … }` for a JSON value that is a text, or looks like one of those, or has no key but `text`. `{name}` comes from the arguments. Default: the arguments are the message.',
    ),
  binary: z
    .boolean()
    .optional()
    .meta({ default: false })
    .describe('Sends a JSON value or a text as a binary message, too.'),
  path: z
    .string()
    .regex(/^\/[^\s{}]*$/, 'must be a path that begins with /, without spaces and {name}: a connection is opened once')
    .optional()
    .meta({ default: '/' })
    .describe('The path that the connection is opened with.'),
  subprotocols: z
    .array(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'must be the name of a sub-protocol'))
    .min(1)
    .max(10)
    .refine((all) => new Set(all).size === all.length, 'has one twice')
    .optional()
    .describe('The sub-protocols of which the service has to take one.'),
  correlation: key
    .optional()
    .describe(
      'The key of a JSON message, at its top, for a number that Wiregauge counts up, and that the answer repeats; other messages are passed over. If the message itself has a text there, the number is sent as a text. Default: each message is answered in turn, and a message that was not asked for is a failure.',
    ),
  answer: key
    .optional()
    .describe(
      'The key of a JSON answer, at its top, that has what is compared with other services. An answer without it, or with null, is a failure, under load too. Default: all of the answer but the correlation.',
    ),
  headers: headers.optional().describe('Of the handshake. These come before the `headers` of the service.'),
  deadlineMs: deadlineMs
    .optional()
    .describe(`The time that a message may take, until its answer has ended; ${USUAL_DEADLINE}`),
});

/** How an operation is asked for over a WebSocket. */
export const websocketSchema = z
  .union([text.transform((message): z.output<typeof long> => ({ message })), long], {
    error: 'must be the text of a message, or a map with message, path, subprotocols, correlation, answer and headers',
  })
  .describe('A message over a WebSocket as text, or a map with `message`, `path`, `correlation` and more.');

/** What the schema makes of a `websocket:`. */
export type WebsocketSource = z.output<typeof long>;
