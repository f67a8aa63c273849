import { randomUUID } from 'node:crypto';
import { Octokit, type OctokitOptions } from '@octokit/core';
import { paginateRest } from '@octokit/plugin-paginate-rest';
import { restEndpointMethods } from '@octokit/plugin-rest-endpoint-methods';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import { messageOf } from '../../foundation/errors.ts';
import {
  type FailedRequest,
  type Failure,
  failureOf,
  MOST_REPEATS,
  NoAnswer,
  type Patience,
  waitBeforeRepeat,
} from './patience.ts';

/** What a client is made with. */
export interface ClientOptions {
  readonly apiUrl: string;
  readonly token: string;
  readonly patience: Patience;
  /** One line for the log. */
  readonly log: (line: string) => void;
}

/** Every error: the plugin would repeat by its own rules, which neither know chance nor spare a POST that may have been carried out. */
const ALL_STATUSES = Array.from({ length: 200 }, (_, index) => 400 + index);

/** A client of the API that waits and repeats as Patience says, and paces what it writes as GitHub asks for. */
export type GithubClient = ReturnType<typeof openClient>;

/** Opens a client; nothing is asked for yet. */
export function openClient({ apiUrl, token, patience, log }: ClientOptions) {
  const Kind = Octokit.plugin(paginateRest, restEndpointMethods, repeating(patience, log), throttling);
  return new Kind({
    auth: token,
    baseUrl: apiUrl,
    userAgent: 'wiregauge',
    log: { debug: () => undefined, info: () => undefined, warn: log, error: log },
    request: { fetch: wholeFetch(patience.requestMs) },
    // The unit of waits is a millisecond.
    retry: { doNotRetry: ALL_STATUSES, retryAfterBaseValue: 1 },
    // Limits are waited for below, with everything else; this only paces. Its state is shared by id within a process.
    throttle: { id: randomUUID(), onRateLimit: () => false, onSecondaryRateLimit: () => false },
  });
}

/** The plugin that repeats requests, told when and how by Patience. */
function repeating(patience: Patience, log: (line: string) => void) {
  const waitMs = waitsOf(patience, log);

  return (octokit: Octokit, options: OctokitOptions) => {
    // Before the plugin adds its hooks: it acts on what an error says that comes out of this one.
    octokit.hook.error('request', (error, request) => {
      const ms = waitMs(failureOf(error), request);
      throw ms === undefined || !('request' in error) ? error : plugin.retry.retryRequest(error, MOST_REPEATS, ms);
    });
    const plugin = retry(octokit, options);
    return plugin;
  };
}

interface Asked {
  readonly method: string;
  readonly url: string;
}

/** Milliseconds until a failed request is repeated, which the log is told; undefined if it is not. */
function waitsOf(patience: Patience, log: (line: string) => void) {
  let limitLeftMs = patience.limitMs;
  // Not the count of the plugin: it is kept where all requests of a client share it.
  const repeatsOf = new WeakMap<Asked, number>();

  return (failure: Failure | undefined, asked: Asked): number | undefined => {
    const repeats = repeatsOf.get(asked) ?? 0;
    const moment = { nowMs: Date.now(), random: Math.random(), limitLeftMs };
    const wait = failure && waitBeforeRepeat(failedRequest(failure, asked, repeats), patience, moment);
    if (wait === undefined) {
      return undefined;
    }
    repeatsOf.set(asked, repeats + 1);
    limitLeftMs -= wait.why === 'limit' ? wait.ms : 0;
    log(`${lineOf(failure, asked)}; retrying in ${(wait.ms / 1000).toFixed(1)} s`);
    return wait.ms;
  };
}

function failedRequest(failure: Failure, { method, url }: Asked, repeats: number): FailedRequest {
  // What is asked for by GraphQL here is never a change.
  return { failure, repeats, isRepeatable: method !== 'POST' || url.endsWith('/graphql') };
}

function lineOf(failure: Failure | undefined, { method, url }: Asked): string {
  const said = failure?.kind === 'answer' ? `HTTP ${failure.status}` : failure?.words;
  return `GitHub, ${method} ${url}: ${said}`;
}

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
