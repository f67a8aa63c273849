import type { Service } from '../../model/service.ts';
import { untilReady } from '../service/ready.ts';
import { askingFor } from '../service/verify.ts';
import type { SaturateBench, Started } from './bench.ts';
import { drains } from './drained.ts';
import type { Step } from './step.ts';

/** Owns the one start of a service that a search has at a time: it goes on from step to step, as long as no work of a step is left. */
export class Stand implements AsyncDisposable {
  readonly #bench: SaturateBench;
  readonly #service: Service;
  #started: Started | undefined;

  constructor(bench: SaturateBench, service: Service) {
    this.#bench = bench;
    this.#service = service;
  }

  /**
   * The service without work: as it is where it answers quickly, started anew where it does not, and the first time. Throws
   * MeasurementError where it does not get ready.
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
      const [first] = suite.operations;
      if (first !== undefined) {
        await untilReady(running, askingFor(this.#bench, this.#service, first));
      }
      return { running, service: await client.described(this.#service, running.address) };
    } catch (thrown) {
      await running[Symbol.asyncDispose]();
      throw thrown;
    }
  }
}
