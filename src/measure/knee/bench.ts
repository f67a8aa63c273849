import type { OutputFolder } from '../../host/files/output.ts';
import type { Service } from '../../model/service.ts';
import { PROTOCOLS } from '../../protocols/protocols.ts';
import type { RunningService } from '../../runtime/port.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { type Questioning, untilAnswering } from '../service/verify.ts';
import type { Criteria, Step } from './criteria.ts';
import type { KneeRecord, ServiceKnee } from './record.ts';

/** What every step of a search works with. */
export interface KneeBench extends Questioning {
  readonly secrets: Secrets;
  readonly output: OutputFolder;
  readonly criteria: Criteria;
  /** Measured of each step. */
  readonly stepSeconds: number;
  /** Of all services together. */
  readonly budgetSeconds: number;
  readonly says: KneeWords;
}

/** What a search says of itself while it goes on, in words that later stages have. */
export interface KneeWords {
  /** Of a step, the service by its name. */
  readonly step: (service: string, step: Step) => string;
  readonly knee: (knee: ServiceKnee) => string;
}

/** A started service, with its contract in hand. */
export interface Started {
  readonly service: Service;
  readonly running: RunningService;
}

/** What a record is besides its measurements. */
export type KneeFacts = Omit<KneeRecord, 'complete' | 'services'>;

/** The file that a search leaves in its output folder, written anew after every step. */
export const KNEE_FILE = 'saturate.json';

/** Of each step, before it is measured: connections are made, and the first requests of a burst answered. */
export const STEP_WARMUP_SECONDS = 2;

/** Owns the one start of a service that a search has at a time: it goes on from step to step, as long as no work of a step is left. */
export class Stand implements AsyncDisposable {
  readonly #bench: KneeBench;
  readonly #service: Service;
  #started: Started | undefined;

  constructor(bench: KneeBench, service: Service) {
    this.#bench = bench;
    this.#service = service;
  }

  /**
   * The service without work: as it is if it answers quickly, started anew if it does not, and the first time. Throws
   * MeasurementError if it does not get ready.
   */
  async ready(limitMs: number | undefined): Promise<{ readonly place: Started; readonly start: Step['start'] }> {
    const standing = this.#started;
    if (standing !== undefined && (await drains(this.#bench, standing, limitMs))) {
      return { place: standing, start: 'same' };
    }
    await this.stop();
    this.#started = await this.#start();
    // One that runs by itself stays what it was.
    const isSame = standing !== undefined && this.#service.address !== undefined;
    return { place: this.#started, start: isSame ? 'same' : 'fresh' };
  }

  async stop(): Promise<void> {
    const standing = this.#started;
    this.#started = undefined;
    await standing?.running[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #start(): Promise<Started> {
    const { runtime, client, suite, signal } = this.#bench;
    const running = await runtime.start(this.#service, signal);
    try {
      await untilAnswering(this.#bench, { service: this.#service, running, operations: suite.operations });
      return { running, service: await client.described(this.#service, running.address) };
    } catch (thrown) {
      await running[Symbol.asyncDispose]();
      throw thrown;
    }
  }
}

/** Longer than this a service is not waited for. */
const LIMIT_SECONDS = 5;

const PAUSE_MS = 100;

/** Quick answers in a row: one may find a gap in a queue. */
const QUICK_ANSWERS = 3;

/** This program's own share in the time of an answer, which is more than that of a load tool. */
const LEAST_MS = 50;

/**
 * Whether a service has done all that the step before left it, within 5 s: it answers three requests in a row as quickly as it may under
 * a load that it holds.
 */
export async function drains(
  bench: Pick<KneeBench, 'suite' | 'client' | 'clock' | 'signal'>,
  { service, running }: Started,
  limitMs = LEAST_MS,
): Promise<boolean> {
  const { suite, client, clock, signal } = bench;
  const [first] = suite.operations;
  const protocol = PROTOCOLS[service.protocol];
  const request = first && protocol.target(first, service, running.address).requests[0];
  if (first === undefined || request === undefined) {
    return true;
  }
  const asks = async (): Promise<boolean> => {
    try {
      protocol.canonical(await client.call(service, running.address, request), first);
      return true;
    } catch {
      return false;
    }
  };
  const untilMs = clock.steadyMs() + LIMIT_SECONDS * 1000;
  let quick = 0;
  while (quick < QUICK_ANSWERS && clock.steadyMs() < untilMs) {
    signal.throwIfAborted();
    const askedMs = clock.steadyMs();
    const isAnswered = await asks();
    quick = isAnswered && clock.steadyMs() - askedMs <= Math.max(limitMs, LEAST_MS) ? quick + 1 : 0;
    if (quick === 0) {
      await clock.sleep(PAUSE_MS, signal);
    }
  }
  return quick >= QUICK_ANSWERS;
}
