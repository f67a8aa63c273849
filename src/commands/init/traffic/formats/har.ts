import * as z from 'zod/mini';
import { ifPossible } from '../../../../foundation/errors.ts';
import type { Json } from '../../../../foundation/json.ts';
import type { Exchange } from '../chains.ts';
import { BINARY, FormatError, type ObservedRequest } from '../request.ts';
import { formBody } from './variables.ts';

const pair = z.pipe(
  z.object({ name: z.string(), value: z._default(z.string(), '') }),
  z.transform(({ name, value }) => [name, value] as const),
);
const pairs = z._default(z.array(pair), []);
const content = z.object({ text: z._default(z.string(), ''), encoding: z.optional(z.string()) });
const postData = z.extend(content, { params: pairs });

const entry = z.object({
  startedDateTime: z.optional(z.string()),
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers: pairs,
    postData: z.nullish(postData),
  }),
  response: z.optional(z.object({ status: z._default(z.number(), 0), content: z.optional(content) })),
});

const har = z.object({ log: z.object({ version: z._default(z.string(), '1.1'), entries: z.array(z.unknown()) }) });

/** Requests of a HAR file, versions 1.1 and 1.2, with their responses. */
export function harExchanges(document: unknown): readonly Exchange[] {
  const { data } = har.safeParse(document);
  if (data === undefined) {
    throw new FormatError('log.entries is missing');
  }
  if (!data.log.version.startsWith('1.')) {
    throw new FormatError(`has HAR version ${data.log.version}; only 1.2 is supported`);
  }
  return data.log.entries.map((one, index) => {
    const read = entry.safeParse(one);
    if (!read.success) {
      const [issue] = read.error.issues;
      throw new FormatError(`log.entries[${index}].${issue?.path.join('.')}: ${issue?.message}`);
    }
    const { request, response, startedDateTime } = read.data;
    const observed: ObservedRequest = {
      method: request.method.toUpperCase(),
      target: request.url,
      headers: request.headers,
      body: request.postData ? bodyOf(request.postData) : undefined,
      // 0: it was aborted, or blocked.
      status: response?.status || undefined,
      minute: startedDateTime?.slice(0, 16),
    };
    const { text = '', encoding } = response?.content ?? {};
    // Not JSON: a page, or a part of a stream.
    const isRead = encoding === undefined && text.length <= LONGEST_ANSWER;
    return { request: observed, answer: isRead ? ifPossible((): Json => JSON.parse(text)) : undefined };
  });
}

function bodyOf({ text, params, encoding }: z.infer<typeof postData>): ObservedRequest['body'] {
  const isBinary = encoding === 'base64' || text.includes('\ufffd') || text.includes('\0');
  return isBinary ? BINARY : text || formBody(params) || undefined;
}

const LONGEST_ANSWER = 2 ** 18;
