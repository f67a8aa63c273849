import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { KnownError } from '../../src/foundation/errors.ts';
import type { Documents } from './edits-text.ts';

/** How long to look for documents that a reader does not take as it should. */
export interface Search {
  readonly seed: number | undefined;
  /** Undefined for so many documents as tests have time for. */
  readonly seconds: number | undefined;
}

/** What was tried. */
export interface Tried {
  readonly cases: number;
  /** CPU time of the dearest one. */
  readonly slowestMs: number;
}

/** Something that reads what others may have written. */
export interface Reader {
  readonly name: string;
  /** The documents that were found earlier, each in a file. */
  readonly corpus: string;
  /**
   * Tries the corpus, and then documents that are made of it and of valid ones. Rejects with a document, as small as can be, that is
   * neither read nor refused; where there is time to look for them, it is kept in the corpus, and one that takes too much counts, too.
   */
  readonly search: (search: Search) => Promise<Tried>;
}

/** A job of every pull request fuzzes each reader for 20 s. */
const CASES = 60;

const CORPUS = 'tests/fixtures/corpus';

const NAME_LENGTH = 12;

/** A reader, and the documents to try it with. */
export function readerOf<Document extends string | Buffer>(
  name: string,
  { seeds, fromFile, changed }: Documents<Document>,
  read: (document: Document) => unknown,
): Reader {
  const corpus = join(CORPUS, name.toLowerCase().replace(/\W+/g, '-'));
  return {
    name,
    corpus,
    async search({ seed, seconds }) {
      const found = filesIn(corpus).map((file) => fromFile(readFileSync(file)));
      const meter = new Meter(seconds !== undefined);
      const reading = (document: Document) => readOrRefuse(() => meter.metered(() => read(document)));
      for (const document of found) {
        await reading(document);
      }
      const length =
        seconds === undefined
          ? { numRuns: CASES }
          : { numRuns: 1e9, interruptAfterTimeLimit: seconds * 1000, markInterruptAsFailure: false };
      const property = fc.asyncProperty(changed([...seeds, ...found]), reading);
      const details = await fc.check(property, { ...length, ...(seed !== undefined && { seed }) });
      if (details.failed) {
        const kept = seconds === undefined ? '' : keep(corpus, details.counterexample?.[0]);
        throw new Error(`${await fc.asyncDefaultReportMessage(details)}${kept}`);
      }
      return meter.tried();
    },
  };
}

function filesIn(corpus: string): readonly string[] {
  return existsSync(corpus)
    ? readdirSync(corpus)
        .sort()
        .map((name) => join(corpus, name))
    : [];
}

function keep(corpus: string, document: string | Buffer | undefined): string {
  if (document === undefined) {
    return '';
  }
  const file = join(corpus, createHash('sha256').update(document).digest('hex').slice(0, NAME_LENGTH));
  mkdirSync(corpus, { recursive: true });
  writeFileSync(file, document);
  return `\nIt is kept as ${file}`;
}

const MAX_MS = 2000;

const MAX_BYTES = 300 * 2 ** 20;

/** Counts what each document takes. CPU time, since the machine may be busy with something else. */
class Meter {
  readonly #isStrict: boolean;
  #cases = 0;
  #slowestMs = 0;

  constructor(isStrict: boolean) {
    this.#isStrict = isStrict;
  }

  async metered(read: () => unknown): Promise<void> {
    this.#cases += 1;
    const before = { cpu: process.cpuUsage(), bytes: bytesInUse() };
    try {
      await read();
    } finally {
      const { user, system } = process.cpuUsage(before.cpu);
      this.#judge((user + system) / 1000, bytesInUse() - before.bytes);
    }
  }

  tried(): Tried {
    return { cases: this.#cases, slowestMs: this.#slowestMs };
  }

  #judge(milliseconds: number, bytes: number): void {
    this.#slowestMs = Math.max(this.#slowestMs, milliseconds);
    if (this.#isStrict && milliseconds > MAX_MS) {
      throw new Error(`takes ${Math.round(milliseconds)} ms`);
    }
    if (this.#isStrict && bytes > MAX_BYTES) {
      throw new Error(`takes ${Math.round(bytes / 2 ** 20)} MiB`);
    }
  }
}

function bytesInUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** What every object has; a reader that adds to it changes the program. */
const NATURES = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Number.prototype];
const keysOfNatures = (): string => NATURES.map((nature) => Reflect.ownKeys(nature).map(String).join(' ')).join('\n');
const UNCHANGED = keysOfNatures();

const LONGEST_MESSAGE = 5000;

/** Reads a document; rejects if that throws anything but a KnownError with a message for people, or leaves a trace in all objects. */
export async function readOrRefuse(read: () => unknown): Promise<void> {
  try {
    await read();
  } catch (thrown) {
    if (!(thrown instanceof KnownError)) {
      throw new Error(`throws what is no message for people: ${thrown}`, { cause: thrown });
    }
    if (thrown.message === '' || thrown.message.length > LONGEST_MESSAGE) {
      throw new Error(`says ${thrown.message.length} characters: ${thrown.message.slice(0, 200)}`);
    }
  }
  if (keysOfNatures() !== UNCHANGED) {
    throw new Error('changes what every object has');
  }
  // Else nothing that waits for its turn, such as the end of the time, would have one.
  await pause();
}
