import { KnownError, MeasurementError, messageOf } from '../../foundation/errors.ts';
import { canonicalJson } from '../../foundation/json.ts';
import { withoutPaths } from '../../foundation/json-path.ts';
import type { Service } from '../../model/service.ts';
import type { Operation } from '../../model/suite/suite.ts';
import type { Client } from '../../protocols/client.ts';
import { PROTOCOLS } from '../../protocols/protocols.ts';
import type { RunningService } from '../../runtime/port.ts';
import { type Answers, canonicalAnswer, type ServiceAnswer } from './answers.ts';
import type { TrialBench } from './bench.ts';
import { untilReady } from './ready.ts';

/** A service that was started, and its operations. */
export interface StartedService {
  readonly service: Service;
  readonly running: RunningService;
  readonly operations: readonly Operation[];
}

/** Waits for the first answer, as untilReady does. */
export async function untilAnswering(
  { client, clock, signal }: Pick<TrialBench, 'client' | 'clock' | 'signal'>,
  { service, running, operations: [operation] }: StartedService,
): Promise<void> {
  if (operation !== undefined) {
    const protocol = PROTOCOLS[service.protocol];
    await untilReady(running, { client, clock, signal, service, operation, protocol });
  }
}

interface Questions {
  readonly service: Service;
  readonly address: string;
  readonly operations: readonly Operation[];
}

/** The answers to every operation with every argument; throws MeasurementError if one is refused. */
export async function canonicalAnswers(client: Client, { service, address, operations }: Questions): Promise<Answers> {
  const answers = new Map<string, ServiceAnswer>();
  for (const operation of operations) {
    if (operation.verify !== 'none') {
      const asked = { ...operation, arguments: someOf(operation.arguments) };
      for (const [index, answer] of (await answersTo(client, service, address, asked)).entries()) {
        const own = { operation: operation.name, arguments: canonicalJson(asked.arguments[index] ?? {}) };
        answers.set(`${own.operation} ${own.arguments}`, { ...own, ...answer });
      }
    }
  }
  return answers;
}

/** All of a few; of a long feed so many, from its first row to its last, since every start of a service is verified. */
const MOST_ASKED = 100;

function someOf<Row>(rows: readonly Row[]): readonly Row[] {
  const step = Math.max(1, rows.length / MOST_ASKED);
  return rows.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

/** Any answer that is as expected and not compared. */
const AS_EXPECTED = { canonical: undefined, envelope: undefined };

async function answersTo(
  client: Client,
  service: Service,
  address: string,
  operation: Operation,
): Promise<Pick<ServiceAnswer, 'canonical' | 'envelope'>[]> {
  const protocol = PROTOCOLS[service.protocol];
  const { verify: verification, ignore = [] } = operation;
  const answers: Pick<ServiceAnswer, 'canonical' | 'envelope'>[] = [];
  for (const request of protocol.target(operation, service, address).requests) {
    try {
      const answer = protocol.canonical(await client.call(service, address, request), operation);
      answers.push(verification === 'status' ? AS_EXPECTED : canonicalAnswer(withoutPaths(answer, ignore)));
    } catch (cause) {
      throw new MeasurementError(
        `${service.name}: ${request.call} of operation ${operation.name}: ${refusalWords(cause)}`,
        { cause, next: (cause instanceof KnownError && cause.next) || EVERY_REQUEST },
      );
    }
  }
  return answers;
}

const EVERY_REQUEST = 'Every service of a suite must answer every request as the operation expects.';

/** What is thousands of lists within each other cannot be put into one form. */
function refusalWords(cause: unknown): string {
  return cause instanceof RangeError ? 'its answer is nested too deeply to be compared' : messageOf(cause);
}

/** How long the answer of each operation is, in characters of its canonical form; without those that cannot be asked. */
export type AnswerLengths = ReadonlyMap<string, number>;

/**
 * Asks for every operation once, with its first argument. An operation that refuses is left out, and so is one whose answers are not
 * verified: to ask for that may change something.
 */
export async function answerLengths(client: Client, questions: Questions): Promise<AnswerLengths> {
  const lengths = new Map<string, number>();
  for (const operation of questions.operations) {
    const length = operation.verify === 'none' ? undefined : await lengthOf(client, questions, operation);
    if (length !== undefined) {
      lengths.set(operation.name, length);
    }
  }
  return lengths;
}

async function lengthOf(client: Client, { service, address }: Questions, operation: Operation) {
  const protocol = PROTOCOLS[service.protocol];
  try {
    const one = { ...operation, arguments: operation.arguments.slice(0, 1) };
    const [request] = protocol.target(one, service, address).requests;
    const reply = request && (await client.call(service, address, request));
    return reply && canonicalJson(protocol.canonical(reply, operation)).length;
  } catch {
    // What an operation refuses is said of its requests under load.
    return undefined;
  }
}

/** An answer that has grown by this share is another load at the end than at the beginning. */
const GROWN_SHARE = 0.1;

/** Less is a number with more digits. */
const GROWN_CHARACTERS = 100;

/** The operations whose answers have grown between two times of asking. */
export function grownOperations(before: AnswerLengths, after: AnswerLengths): readonly string[] {
  return [...before].flatMap(([operation, length]) => {
    const grown = (after.get(operation) ?? 0) - length;
    return grown >= GROWN_CHARACTERS && grown > GROWN_SHARE * length ? [operation] : [];
  });
}
