import type { Readiness } from '../../../model/service.ts';
import type { RunningService } from '../../../runtime/port.ts';

/** Seconds without progress after which a service counts as stuck; also the limit of one whose progress cannot be seen. */
const IDLE_SECONDS = 20;

/** Longest start-up of a service that goes on working, in seconds. */
const MOST_SECONDS = 180;

/** CPU time within IDLE_SECONDS that is progress: 10% of a core. Answers to our own checks cost less. */
const WORKING_SECONDS = 0.1 * IDLE_SECONDS;

const SAMPLE_MS = 1000;

/** How long the start of a service is waited for: `timeoutSeconds` if it is set, else for as long as it makes progress. */
export class Patience {
  readonly #running: RunningService;
  readonly #startedMs: number;
  readonly #timeoutSeconds: number | undefined;
  readonly #lines = new Set(['']);
  #sampledMs: number;
  #progress: { readonly atMs: number; readonly cpuSeconds: number };

  constructor(running: RunningService, ready: Readiness | undefined, nowMs: number) {
    this.#running = running;
    this.#startedMs = nowMs;
    this.#timeoutSeconds = ready?.timeoutSeconds;
    this.#sampledMs = nowMs;
    this.#progress = { atMs: nowMs, cpuSeconds: 0 };
  }

  /** Why the wait ends, like "after 20 s"; undefined if it goes on. */
  async endAt(nowMs: number): Promise<string | undefined> {
    const seconds = (nowMs - this.#startedMs) / 1000;
    if (this.#timeoutSeconds !== undefined) {
      return seconds >= this.#timeoutSeconds ? `after ${this.#timeoutSeconds} s` : undefined;
    }
    if (seconds >= MOST_SECONDS) {
      return `after ${MOST_SECONDS} s`;
    }
    if (nowMs - this.#sampledMs >= SAMPLE_MS) {
      this.#sampledMs = nowMs;
      await this.#notice(nowMs);
    }
    if (nowMs - this.#progress.atMs < IDLE_SECONDS * 1000) {
      return undefined;
    }
    const idle = this.#progress.atMs === this.#startedMs ? '' : `, the last ${IDLE_SECONDS} s without progress`;
    return `after ${Math.floor(seconds)} s${idle}`;
  }

  /** Progress is CPU time, or a line of output that differs from all others in more than its numbers. */
  async #notice(nowMs: number): Promise<void> {
    const cpuSeconds = await this.#running.cpuSeconds?.().catch(() => undefined);
    if (cpuSeconds === undefined) {
      return;
    }
    const known = this.#lines.size;
    for (const line of (await this.#running.logs()).split('\n')) {
      this.#lines.add(line.replace(/\d/g, ''));
    }
    if (cpuSeconds - this.#progress.cpuSeconds >= WORKING_SECONDS || this.#lines.size > known) {
      this.#progress = { atMs: nowMs, cpuSeconds };
    }
  }
}
