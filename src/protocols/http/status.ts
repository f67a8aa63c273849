import { MeasurementError } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import type { Reply } from '../../model/load.ts';
import { type Answer, isExpected, type StatusRange, statusText } from '../../model/suite/http.ts';
import { beginningOf } from '../../secrets/mask.ts';

/** Throws MeasurementError for an answer of another status than those. */
export function refuseStatus(
  { status, answer }: Pick<Reply, 'status' | 'answer'>,
  expected: readonly StatusRange[],
): void {
  if (isExpected(Number(status), expected)) {
    return;
  }
  const isRedirect = /^3/.test(status) && answer?.location !== undefined;
  const told = isRedirect ? `, a redirect to ${shortText(answer.location ?? '')}` : toldBy(answer);
  const next = isRedirect ? FOR_REDIRECT : (NEXT[status] ?? nextFor(status));
  throw new MeasurementError(`answered ${status}${told}; expected: ${statusText(expected)}`, { code: 'WG-307', next });
}

const FOR_REDIRECT =
  'Redirects are not followed: request the path that it redirects to, or expect it: `expect: { status: 3xx }`.';

const CREDENTIALS =
  'Set the credentials that the service needs, such as `headers: { Authorization: "Bearer ${env.API_TOKEN}" }`: a load of refused requests measures the refusal.';

/** What to do about statuses that nobody wants to measure. */
const NEXT: Readonly<Record<string, string>> = {
  '401': CREDENTIALS,
  '403': CREDENTIALS,
  '407': CREDENTIALS,
  '429': 'The service limits its rate: turn the limit off for the measurement, such as by a variable in `environment`.',
};

function nextFor(status: string): string {
  return `If this is correct, set \`expect: { status: ${status} }\`; otherwise fix the service, or the path, headers and arguments of the operation.`;
}

function toldBy(answer: Answer | undefined): string {
  return answer === undefined || answer.text.trim() === '' ? '' : ` (${shortText(answer.text.trim())})`;
}

/** Of a longer text of a service, messages have the beginning. */
const LONGEST_QUOTE = 200;

/** The beginning of a text of a service, in one line. */
export function shortText(text: string): string {
  return beginningOf(text.replace(/\s+/g, ' '), LONGEST_QUOTE);
}

/** What is not JSON stands for itself if it is short; else for its length and hash. */
export function plainAnswer({ text, bytes, sha256 }: Answer): Json {
  return text.length <= LONGEST_QUOTE && !text.includes('\uFFFD') ? text : { bytes, sha256 };
}
