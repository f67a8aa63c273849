import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Octokit } from '@octokit/core';
import { paginateRest } from '@octokit/plugin-paginate-rest';
import { throttling } from '@octokit/plugin-throttling';
import { messageOf } from '../../foundation/errors.ts';
import { type Failure, failureOf, NoAnswer, type Patience, waitBeforeRepeat } from './patience.ts';

/** Client of the API that retries as configured by Patience, and paces its writes as GitHub requires. */
export type GithubClient = ReturnType<typeof openClient>;

/** Opens a client without sending a request. */
export function openClient(apiUrl: string, token: string, patience: Patience, log: (line: string) => void) {
  const Kind = Octokit.plugin(paginateRest, repeating(patience, log), throttling);
  return new Kind({
    auth: token,
    baseUrl: apiUrl,
    userAgent: 'wiregauge',
    log: { debug: () => undefined, info: () => undefined, warn: log, error: log },
    request: { fetch: wholeFetch(patience.requestMs) },
    // Only paces requests; waits for limits are part of the retries. Its state is shared by id within a process.
    throttle: { id: randomUUID(), onRateLimit: () => false, onSecondaryRateLimit: () => false },
  });
}

/** Plugin that retries requests as configured by Patience: that of Octokit has no jitter, and repeats a POST that may have succeeded. */
function repeating(patience: Patience, log: (line: string) => void) {
  const waitMs = waitsOf(patience, log);
  return ({ hook }: Octokit) => {
    hook.wrap('request', async (send, request) => {
      for (let repeats = 0; ; repeats += 1) {
        try {
          return await send(request);
        } catch (thrown) {
          const ms = waitMs(failureOf(thrown), repeats, request);
          if (ms === undefined) {
            throw thrown;
          }
          await sleep(ms);
        }
      }
    });
  };
}

/** Function that returns the milliseconds to wait before a retry, which it logs; undefined for no retry. */
function waitsOf(patience: Patience, log: (line: string) => void) {
  let limitLeftMs = patience.limitMs;

  return (failure: Failure | undefined, repeats: number, sent: { readonly method: string; readonly url: string }) => {
    const { method, url } = sent;
    // GraphQL requests only read here.
    const isRepeatable = method !== 'POST' || url.endsWith('/graphql');
    const moment = { nowMs: Date.now(), random: Math.random(), limitLeftMs };
    const wait = failure && waitBeforeRepeat({ failure, repeats, isRepeatable }, patience, moment);
    if (wait === undefined) {
      return undefined;
    }
    limitLeftMs -= wait.why === 'limit' ? wait.ms : 0;
    const words = failure?.kind === 'answer' ? `HTTP ${failure.status}` : failure?.words;
    log(`GitHub, ${method} ${url}: ${words}; retrying in ${(wait.ms / 1000).toFixed(1)} s`);
    return wait.ms;
  };
}

const WITHOUT_BODY = new Set([204, 205, 301, 302, 303, 304, 307, 308]);

const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Function like `fetch` that resolves once the whole body was received within `limitMs`, and rejects with NoAnswer otherwise. Octokit
 * treats a truncated response as an empty one, and an empty list of comments would lead to a second comment.
 */
function wholeFetch(limitMs: number): typeof fetch {
  return async (url, options) => {
    try {
      const answer = await fetch(url, { ...options, signal: AbortSignal.timeout(limitMs) });
      const body = await answer.arrayBuffer();
      const { status, statusText, headers } = answer;
      if (answer.ok && body.byteLength === 0 && !WITHOUT_BODY.has(status)) {
        throw new NoAnswer(`the answer with HTTP ${status} is empty`, true);
      }
      const whole = new Response(WITHOUT_BODY.has(status) ? null : body, { status, statusText, headers });
      // Octokit needs the address for pagination.
      return Object.defineProperty(whole, 'url', { value: answer.url });
    } catch (thrown) {
      throw githubNoAnswer(thrown, limitMs);
    }
  };
}

/** Error for a request without a response. */
export function githubNoAnswer(thrown: unknown, limitMs: number): NoAnswer {
  if (thrown instanceof NoAnswer) {
    return thrown;
  }
  if (thrown instanceof Error && thrown.name === 'TimeoutError') {
    return new NoAnswer(`no answer within ${limitMs / 1000} s`, true);
  }
  // The cause of fetch()'s error has the reason.
  const inner = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const code = inner instanceof Error && 'code' in inner ? String(inner.code) : undefined;
  const words = messageOf(inner) || code || 'the connection failed';
  return new NoAnswer(words, code === undefined || !NOT_SENT.has(code));
}
