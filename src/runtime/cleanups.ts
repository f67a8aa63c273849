import { messageOf } from '../foundation/errors.ts';
import type { RunningService } from './port.ts';

/** Removals for everything that a start has created: they run in reverse order, and a failed one does not prevent the others. */
export class Cleanups implements AsyncDisposable {
  readonly #removals: (() => PromiseLike<unknown>)[] = [];
  #over = Promise.resolve();

  add(removal: () => PromiseLike<unknown>): void {
    this.#removals.push(removal);
  }

  use<Resource extends AsyncDisposable>(resource: Resource): Resource {
    this.add(() => resource[Symbol.asyncDispose]());
    return resource;
  }

  /** A second call waits for the first, and ignores its failure. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#over = this.#over.catch(() => undefined).then(() => this.#removeAll());
    return this.#over;
  }

  async #removeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (let removal = this.#removals.pop(); removal !== undefined; removal = this.#removals.pop()) {
      await Promise.resolve(removal()).catch((thrown: unknown) => failures.push(thrown));
    }
    if (failures.length > 0) {
      throw failures[0];
    }
  }
}

/** Waits for all, even if one fails; then throws the first failure. */
export async function allOf(works: readonly PromiseLike<unknown>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

/** Result of the start of `name`; if it fails, everything that it created is removed. */
export async function startWhole<Result>(
  { name, log }: { readonly name: string; readonly log: (line: string) => void },
  start: (cleanups: Cleanups) => Promise<Result>,
): Promise<Result> {
  const cleanups = new Cleanups();
  try {
    return await start(cleanups);
  } catch (thrown) {
    await cleanups[Symbol.asyncDispose]().catch((failure: unknown) =>
      log(`cleanup of ${name} failed: ${messageOf(failure)}`),
    );
    throw thrown;
  }
}

/** Services that a runtime has started and that still run: a stopped one, with all its output, is forgotten. Disposing of them stops them. */
export class StartedServices implements AsyncDisposable {
  readonly #running = new Set<RunningService>();

  add(service: RunningService): RunningService {
    const added: RunningService = {
      ...service,
      [Symbol.asyncDispose]: () => {
        this.#running.delete(added);
        return service[Symbol.asyncDispose]();
      },
    };
    this.#running.add(added);
    return added;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await allOf([...this.#running].map((one) => one[Symbol.asyncDispose]()));
  }
}
