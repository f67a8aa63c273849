import { messageOf } from '../../foundation/errors.ts';
import { NoAnswer } from './github-answer.ts';

/** Answers without a body by their meaning, and redirections, which need none. */
const WITHOUT_BODY = new Set([204, 205, 301, 302, 303, 304, 307, 308]);

/** Failures before a request is sent. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * A fetch that gives an answer only once its whole body is there, within that many milliseconds; rejects with NoAnswer otherwise.
 * Octokit by itself takes an answer that breaks off for an empty one, and an empty list of comments would make a second comment.
 */
export function wholeFetch(limitMs: number): typeof fetch {
  return async (url, options) => {
    try {
      const answer = await fetch(url, { ...options, signal: AbortSignal.timeout(limitMs) });
      const body = await answer.arrayBuffer();
      const { status, statusText, headers } = answer;
      if (answer.ok && body.byteLength === 0 && !WITHOUT_BODY.has(status)) {
        throw new NoAnswer(`the answer with HTTP ${status} is empty`, true);
      }
      const whole = new Response(WITHOUT_BODY.has(status) ? null : body, { status, statusText, headers });
      // Octokit reads the address of a page to count pages.
      return Object.defineProperty(whole, 'url', { value: answer.url });
    } catch (thrown) {
      throw githubNoAnswer(thrown, limitMs);
    }
  };
}

/** Why nothing came back, in words. */
export function githubNoAnswer(thrown: unknown, limitMs: number): NoAnswer {
  if (thrown instanceof NoAnswer) {
    return thrown;
  }
  if (thrown instanceof Error && thrown.name === 'TimeoutError') {
    return new NoAnswer(`no answer within ${limitMs / 1000} s`, true);
  }
  // fetch() hides the reason of a failed connection one level down.
  const inner = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const code = inner instanceof Error && 'code' in inner ? String(inner.code) : undefined;
  const words = messageOf(inner) || code || 'the connection failed';
  return new NoAnswer(words, code === undefined || !NOT_SENT.has(code));
}
