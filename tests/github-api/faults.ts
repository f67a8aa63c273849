import { type Answer, refusal } from './answer.ts';

/** What the service can be told to do instead of what it was asked to. */
export type Fault =
  | { readonly kind: 'unauthorized' | 'read-only' | 'not-found' | 'invalid' | 'bad-gateway' }
  | { readonly kind: 'secondary-limit' | 'too-many'; readonly retryAfterSeconds: number }
  | { readonly kind: 'exhausted'; readonly resetSeconds: number }
  /** Never answers; with `isDone`, after it did what it was asked to. */
  | { readonly kind: 'hang' | 'reset'; readonly isDone?: boolean }
  /** Sends half of its answer and ends the connection. */
  | { readonly kind: 'cut' };

/** Answers, in GitHub's words; undefined for a fault that is none. */
export function faultAnswer(fault: Fault): Answer | undefined {
  switch (fault.kind) {
    case 'unauthorized':
      return refusal(401, 'Bad credentials');
    case 'read-only':
      return refusal(403, 'Resource not accessible by integration');
    case 'not-found':
      return refusal(404, 'Not Found');
    case 'invalid':
      return refusal(422, 'Validation Failed');
    case 'bad-gateway':
      return { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad Gateway</html>' };
    case 'secondary-limit':
      return limit(403, SECONDARY, { 'retry-after': String(fault.retryAfterSeconds) });
    case 'too-many':
      return limit(429, 'Too many requests', { 'retry-after': String(fault.retryAfterSeconds) });
    case 'exhausted':
      return limit(403, 'API rate limit exceeded for installation ID 1.', {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + fault.resetSeconds),
      });
    default:
      return undefined;
  }
}

const SECONDARY =
  'You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.';

function limit(status: number, message: string, headers: Readonly<Record<string, string>>): Answer {
  return { ...refusal(status, message), headers };
}
