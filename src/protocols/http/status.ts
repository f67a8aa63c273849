import { MeasurementError } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import type { Reply } from '../../model/load.ts';
import { beginningOf } from '../../model/secrets/mask.ts';
import { type Answer, isExpected, RATE_LIMITED, type StatusRange, statusText } from '../../model/suite/http.ts';

export function refuseStatus(
  { status, answer }: Pick<Reply, 'status' | 'answer'>,
  expected: readonly StatusRange[],
): void {
  if (isExpected(Number(status), expected)) {
    return;
  }
  const isRedirect = /^3/.test(status) && answer?.location !== undefined;
  const text = answer?.text.trim() ?? '';
  const quote = text === '' ? '' : ` (${shortText(text)})`;
  const detail = isRedirect ? `, a redirect to ${shortText(answer.location ?? '')}` : quote;
  const usual = `If this is correct, set \`expect: { status: ${status} }\`; otherwise fix the service, or the path, headers and arguments of the operation.`;
  const next = isRedirect ? FOR_REDIRECT : (NEXT[status] ?? usual);
  throw new MeasurementError(`answered ${status}${detail}; expected: ${statusText(expected)}`, {
    code: 'WG-307',
    next,
  });
}

const FOR_REDIRECT =
  'Redirects are not followed: request the path that it redirects to, or expect it: `expect: { status: 3xx }`.';

const CREDENTIALS =
  'Set the credentials that the service needs, such as `headers: { Authorization: "Bearer ${env.API_TOKEN}" }`: a load of refused requests measures the refusal.';

const NEXT: Readonly<Record<string, string>> = {
  '401': CREDENTIALS,
  '403': CREDENTIALS,
  '405':
    'The path answers other methods only: correct the method of the operation, such as `rest: POST /orders`, or its path.',
  '407': CREDENTIALS,
  '429': RATE_LIMITED,
};

/** Longer texts of a service are truncated in messages. */
const LONGEST_QUOTE = 200;

export function shortText(text: string): string {
  return beginningOf(text.replace(/\s+/g, ' '), LONGEST_QUOTE);
}

/** Response that is not JSON: its text if it is short, else its length and hash. */
export function plainAnswer({ text, bytes, sha256 }: Answer): Json {
  return text.length <= LONGEST_QUOTE && !text.includes('\uFFFD') ? text : { bytes, sha256 };
}
