import { METHODS } from 'node:http';
import * as z from 'zod';
import { isJsonMap, type Json } from '../../foundation/json.ts';
import { path, slipOf } from '../../foundation/names.ts';
import type { StatusRange } from '../../model/suite/http.ts';
import { deadlineMs, headers, requestPath, USUAL_DEADLINE } from '../http/headers.ts';

/** Request of an operation over HTTP. `{name}` in the path, in header values and in texts of the body is filled from the arguments. */
export interface RestBinding {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RestBody | undefined;
  readonly expect: RestExpectation;
  readonly deadlineMs?: number | undefined;
}

export type RestBody =
  | { readonly kind: 'json'; readonly json: Json }
  | { readonly kind: 'text'; readonly text: string }
  /** Content of a file, unchanged. */
  | { readonly kind: 'file'; readonly file: string; readonly base64: string };

export interface RestExpectation {
  readonly status: readonly StatusRange[];
  /** Media type, without parameters. */
  readonly contentType: string | undefined;
  readonly contains: string | undefined;
  /** Protobuf message of the body, which is protobuf or its JSON form: "user.v1.User". */
  readonly message?: string | undefined;
}

/** Other methods are allowed, except those that look like a typo of one of these. */
const USUAL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

/** Method that was probably meant; undefined if the text is not a typo. */
function meantMethod(text: string): string | undefined {
  return METHODS.includes(text) ? undefined : slipOf(text, USUAL_METHODS);
}

const UNKNOWN_METHOD = 'is not an HTTP method; did you mean';

const method = z
  .string()
  .regex(/^[A-Z]+$/, 'must be a method in upper case, like POST')
  .refine((text) => meantMethod(text) === undefined, {
    error: ({ input }) => `${UNKNOWN_METHOD} ${meantMethod(String(input))}?`,
  });

const shortText = z
  .string()
  .regex(/^[A-Z]+ \/\S*$/)
  .refine((text) => meantMethod(methodIn(text)) === undefined)
  .transform((text): RestSource => {
    const [verb = '', target = ''] = text.split(' ');
    return { method: verb, path: target };
  });

function methodIn(text: string): string {
  return text.split(' ', 1)[0] ?? '';
}

function misfitOf(input: unknown): string {
  const verb = typeof input === 'string' ? methodIn(input) : '';
  const meant = meantMethod(verb);
  return meant === undefined
    ? 'must be a method and a path, like GET /user/{id}, or a map with path, method, headers, body and expect'
    : `${verb.slice(0, 20)} ${UNKNOWN_METHOD} ${meant}?`;
}

const STATUS = 'must be a status like 200, a class like 2xx, or a list of these';

const oneStatus = z.union([z.int().min(100, STATUS).max(599, STATUS), z.string().regex(/^[1-5]xx$/, STATUS)], STATUS);

const status = z
  .union([oneStatus, z.array(oneStatus).min(1, STATUS)], STATUS)
  .transform((found): readonly StatusRange[] => [found].flat().map(rangeOf));

function rangeOf(one: number | string): StatusRange {
  if (typeof one === 'number') {
    return { from: one, to: one };
  }
  const from = Number(one[0]) * 100;
  return { from, to: from + 99 };
}

const expectation = z.strictObject({
  status: status.optional().describe('Statuses that count as success: `200`, `[200, 204]`, `2xx`; default: `2xx`.'),
  contentType: z
    .string()
    .regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be a media type without parameters, like text/html')
    .optional()
    .describe('The media type, like `text/html`.'),
  contains: z.string().min(1).max(1000).optional().describe('Text that the answer must contain.'),
  message: z
    .string()
    .regex(/^[\w.]+$/, 'must be a protobuf message, like user.v1.User')
    .optional()
    .describe('The message of the answer in the `proto` of the service, as protobuf or as JSON.'),
});

export type BodySource = Exclude<RestBody, { kind: 'file' }> | { readonly kind: 'file'; readonly file: string };

export const body = z.json().transform((value, context): BodySource => {
  const form = formOf(value);
  if ('misfit' in form) {
    context.addIssue({ code: 'custom', path: form.at, message: form.misfit });
    return z.NEVER;
  }
  return form;
});

interface Misfit {
  readonly at: string[];
  readonly misfit: string;
}

function formOf(value: Json): BodySource | Misfit {
  if (typeof value === 'string') {
    return { at: [], misfit: 'must be { text: … }, or { json: … } for a string in JSON' };
  }
  const [entry, ...others] = isJsonMap(value) ? Object.entries(value) : [];
  const form = entry !== undefined && others.length === 0 ? FORMS.get(entry[0])?.(entry[1]) : undefined;
  return form ?? { kind: 'json', json: value };
}

const FORMS = new Map<string, (inner: Json) => BodySource | Misfit>([
  ['json', (json) => ({ kind: 'json', json })],
  [
    'text',
    (text) => (typeof text === 'string' ? { kind: 'text', text } : { at: ['text'], misfit: 'must be a string' }),
  ],
  [
    'file',
    (inner) => {
      const { data: file } = path.safeParse(inner);
      return file === undefined
        ? { at: ['file'], misfit: 'must be a path inside the repository' }
        : { kind: 'file', file };
    },
  ],
]);

const longForm = z.strictObject({
  method: method.optional().meta({ default: 'GET' }).describe('The method.'),
  path: requestPath.optional().describe('The path with its query; arguments are escaped. Required without `from`.'),
  headers: headers.optional().describe('Headers that override those of the service.'),
  body: body
    .optional()
    .describe(
      'A JSON value, `{ text: … }`, `{ file: body.bin }`, or `{ json: … }` for JSON that looks like one of these.',
    ),
  deadlineMs: deadlineMs.optional().describe(`The time limit until the end of the answer; ${USUAL_DEADLINE}`),
  expect: expectation.optional().describe('Requirements for the answer.'),
});

export const restSchema = z
  .union([shortText, longForm], { error: ({ input }) => misfitOf(input) })
  .describe('Method and path, like `GET /user/{id}`, or a map.');

export type RestSource = z.output<typeof longForm>;
