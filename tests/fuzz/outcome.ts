import { setImmediate as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { KnownError } from '../../src/foundation/errors.ts';

/** How long to look for documents that a reader does not take as it should. */
export interface Search {
  readonly seed: number | undefined;
  /** Undefined for a few documents. */
  readonly seconds: number | undefined;
}

/** Something that reads what others may have written. */
export interface Reader {
  readonly name: string;
  /** Rejects with a document, as small as can be, that is neither read nor refused. */
  readonly search: (search: Search) => Promise<void>;
}

const FEW = 60;

/** A reader, and the documents to try it with. */
export function readerOf<Document>(
  name: string,
  documents: fc.Arbitrary<Document>,
  read: (document: Document) => unknown,
): Reader {
  const property = fc.asyncProperty(documents, async (document) => await readOrRefuse(() => read(document)));
  return {
    name,
    async search({ seed, seconds }) {
      const length =
        seconds === undefined
          ? { numRuns: FEW }
          : { numRuns: 1e9, interruptAfterTimeLimit: seconds * 1000, markInterruptAsFailure: false };
      await fc.assert(property, { ...length, ...(seed !== undefined && { seed }) });
    },
  };
}

/** What every object has; a reader that adds to it changes the program. */
const NATURES = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Number.prototype];
const keysOfNatures = (): string => NATURES.map((nature) => Reflect.ownKeys(nature).map(String).join(' ')).join('\n');
const UNCHANGED = keysOfNatures();

const LONGEST_MESSAGE = 5000;

/** Reads a document; rejects where that throws anything but a KnownError with a message for people, or leaves a trace in all objects. */
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
