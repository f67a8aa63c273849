import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../foundation/errors.ts';

export interface WebhookPatience {
  readonly requestMs: number;
  /** Wait before the first retry, doubled for each further one. */
  readonly firstWaitMs: number;
  readonly totalMs: number;
}

const USUAL_PATIENCE: WebhookPatience = { requestMs: 10_000, firstWaitMs: 1000, totalMs: 60_000 };

const MAX_TRIES = 4;

/** Result of sending a message. `why` and `next` never contain the address, which is a secret. */
export type WebhookEnd =
  | { readonly kind: 'delivered'; readonly tries: number }
  | { readonly kind: 'failed'; readonly why: string; readonly next: string };

export interface WebhookMessage {
  /** Address with https, or on this machine. */
  readonly address: string;
  readonly body: string;
  readonly patience?: WebhookPatience;
}

/** Sends a message, with up to four attempts in a minute. Redirects are not followed. Never rejects. */
export async function sendToWebhook({ address, body, patience = USUAL_PATIENCE }: WebhookMessage): Promise<WebhookEnd> {
  const url = webhookUrl(address);
  if (url === undefined) {
    return { kind: 'failed', why: 'its address does not begin with https://', next: CHECK_ADDRESS };
  }
  const until = Date.now() + patience.totalMs;
  for (let tries = 1; ; tries += 1) {
    const left = until - Date.now();
    const answer = await sent(url, body, Math.min(patience.requestMs, left));
    if (answer.isTaken) {
      return { kind: 'delivered', tries };
    }
    const { waitMs = patience.firstWaitMs * 2 ** (tries - 1) * (0.5 + Math.random()) } = answer;
    if (!answer.isPassing || tries === MAX_TRIES || Date.now() + waitMs >= until) {
      return { kind: 'failed', why: `${url.hostname} ${answer.why} (attempt ${tries})`, next: answer.next };
    }
    await pause(waitMs);
  }
}

const CHECK_ADDRESS = 'Check the secret with the address of the webhook.';

const LATER = 'The next change will be sent; this one is in the history and its feed.';

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

function webhookUrl(address: string): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
  return isSafe ? url : undefined;
}

interface WebhookAnswer {
  readonly isTaken: boolean;
  readonly isPassing: boolean;
  readonly why: string;
  readonly next: string;
  readonly waitMs?: number | undefined;
}

async function sent(url: URL, body: string, limitMs: number): Promise<WebhookAnswer> {
  const headers = { 'content-type': 'application/json', 'user-agent': 'wiregauge' };
  const signal = AbortSignal.timeout(Math.max(1, Math.ceil(limitMs)));
  try {
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await answer.body?.cancel();
    return answerOf(answer);
  } catch (thrown) {
    return { isTaken: false, isPassing: true, why: silenceOf(thrown, limitMs), next: LATER };
  }
}

const PASSING = new Set([408, 425, 429]);

/** Ignores the body of the response, which may contain the address. */
function answerOf({ ok, status, headers }: Response): WebhookAnswer {
  if (status >= 300 && status < 400) {
    const why = `answered HTTP ${status}, a redirect, which is not followed`;
    return { isTaken: false, isPassing: false, why, next: 'Set the secret to the address that it redirects to.' };
  }
  const isPassing = status >= 500 || PASSING.has(status);
  const waitMs = isPassing ? retryAfterMs(headers.get('retry-after')) : undefined;
  const next = isPassing
    ? LATER
    : `${CHECK_ADDRESS} The webhook may be gone, or need another format: \`args: --alert-webhook slack\`.`;
  return { isTaken: ok, isPassing, why: `answered HTTP ${status}`, next, waitMs };
}

function retryAfterMs(text: string | null): number | undefined {
  if (text === null) {
    return undefined;
  }
  const ms = /^\d{1,6}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** The cause of fetch()'s error has the code. */
function silenceOf(thrown: unknown, limitMs: number): string {
  if (thrown instanceof Error && thrown.name === 'TimeoutError') {
    return `did not answer within ${(limitMs / 1000).toFixed(0)} s`;
  }
  const code = codeOf(thrown instanceof Error ? thrown.cause : undefined);
  return `could not be reached${code && ` (${code})`}`;
}
