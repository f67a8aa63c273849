import { canonicalJson, KnownError, MeasurementError, messageOf } from '../../foundation/index.ts';
import type { Clock, Progress } from '../../host/index.ts';
import type { Operation, Service, Suite } from '../../model/index.ts';
import type { Client } from '../../protocols/index.ts';
import { PROTOCOLS } from '../../protocols/index.ts';
import type { Runtime } from '../../runtime/index.ts';
import { beginningOf } from '../../secrets/index.ts';
import { type Asking, untilReady } from './ready.ts';

/** The services of a suite, and what is needed to ask them. */
export interface Questioning {
  readonly suite: Suite;
  readonly services: ReadonlyMap<string, Service>;
  readonly runtime: Runtime;
  readonly client: Client;
  readonly clock: Clock;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Canonical answers by operation and argument, in the order of the suite. */
type Answers = ReadonlyMap<string, string>;

/**
 * Starts every service once, one at a time, and asks it for every operation with every argument; gives what the first one answered.
 * Throws MeasurementError where one refuses or two of them answer differently: then nothing is measured.
 */
export async function verify(bench: Questioning): Promise<Answered | undefined> {
  let reference: Answered | undefined;
  for (const service of bench.services.values()) {
    const answers = await answersOf(bench, service);
    reference ??= { service, answers };
    refuseDifference({ service, answers }, reference);
  }
  bench.progress.line(
    `verified: ${verifiedWords([...bench.services.keys()], [...(reference?.answers.values() ?? [])])}`,
  );
  return reference;
}

function verifiedWords(names: readonly string[], answers: readonly string[]): string {
  const [name] = names;
  if (names.length === 1) {
    return `${name} answers ${requestsWord(answers.length)}`;
  }
  const uncompared = answers.filter((answer) => answer === AS_EXPECTED).length;
  const same = `give the same answers to ${requestsWord(answers.length - uncompared)}`;
  const expected = `answer ${requestsWord(uncompared)} as expected, without a comparison`;
  const done = [
    ...(uncompared < answers.length || uncompared === 0 ? [same] : []),
    ...(uncompared > 0 ? [expected] : []),
  ];
  return `${names.join(', ')} ${done.join(' and ')}`;
}

function requestsWord(count: number): string {
  return `${count} ${count === 1 ? 'request' : 'requests'}`;
}

/** A service and what it answered. */
export interface Answered {
  readonly service: Service;
  readonly answers: Answers;
}

/** Services, or starts of one, that answer differently: there is nothing to be measured. */
export class AnswersDiffer extends MeasurementError {}

/** Throws AnswersDiffer where a service answers otherwise than the reference, or than it did itself after an earlier start. */
export function refuseDifference({ service, answers }: Answered, reference: Answered): void {
  for (const [request, answer] of answers) {
    const expected = reference.answers.get(request);
    if (answer !== expected) {
      const [now, other] = [cut(answer), cut(expected ?? '')];
      throw service.name === reference.service.name
        ? new AnswersDiffer(
            `${service.name} answers ${request} differently from start to start: ${now}, and before: ${other}`,
            { next: FROM_START_TO_START },
          )
        : new AnswersDiffer(
            `${service.name} and ${reference.service.name} answer ${request} differently: ${now} and ${other}`,
            { next: DIFFERENT },
          );
    }
  }
}

const DIFFERENT =
  'Mend the service that is wrong; figures of services that do different things cannot be compared. Where answers differ on purpose, say `verify: status` of the operation.';

const FROM_START_TO_START =
  'Every start is measured as if it were the same: leave times, numbers of processes and the like out of the answer, or say `verify: status` of the operation.';

/** Asks a service that was started again. Throws AnswersDiffer where it answers otherwise than at first, MeasurementError where it refuses. */
export async function refuseOtherAnswers(client: Client, asked: Questions, first: Answered | undefined): Promise<void> {
  if (first !== undefined) {
    const { service } = asked;
    refuseDifference({ service, answers: await canonicalAnswers(client, asked) }, { ...first, service });
  }
}

async function answersOf(bench: Questioning, service: Service): Promise<Answers> {
  await using running = await bench.runtime.start(service, bench.signal);
  const { operations } = bench.suite;
  const [first] = operations;
  if (first !== undefined) {
    await untilReady(running, askingFor(bench, service, first));
  }
  return await canonicalAnswers(bench.client, { service, address: running.address, operations });
}

/** A service that is ready, and what it is asked. */
export interface Questions {
  readonly service: Service;
  readonly address: string;
  readonly operations: readonly Operation[];
}

/** The answers to every operation with every argument; throws MeasurementError where one is refused. */
export async function canonicalAnswers(client: Client, { service, address, operations }: Questions): Promise<Answers> {
  const answers = new Map<string, string>();
  for (const operation of operations) {
    if (operation.verify !== 'none') {
      const asked = { ...operation, arguments: someOf(operation.arguments) };
      for (const [index, answer] of (await answersTo(client, service, { operation: asked, address })).entries()) {
        answers.set(`${operation.name} ${canonicalJson(asked.arguments[index] ?? {})}`, answer);
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

/** Stands for any answer that is as expected, where they differ on purpose. */
const AS_EXPECTED = 'as expected';

async function answersTo(
  client: Client,
  service: Service,
  { operation, address }: { readonly operation: Operation; readonly address: string },
): Promise<string[]> {
  const protocol = PROTOCOLS[service.protocol];
  const answers: string[] = [];
  for (const request of protocol.target(operation, service, address).requests) {
    try {
      const answer = protocol.canonical(await client.call(service, address, request), operation);
      answers.push(operation.verify === 'status' ? AS_EXPECTED : canonicalJson(answer));
    } catch (cause) {
      throw new MeasurementError(
        `${service.name}: ${request.call} of operation ${operation.name}: ${refusalWords(cause)}`,
        { cause, next: (cause instanceof KnownError && cause.next) || EVERY_REQUEST },
      );
    }
  }
  return answers;
}

const EVERY_REQUEST = 'Every service of a suite must answer every request of it as the operation expects.';

/** What is thousands of lists within each other cannot be put into one form. */
function refusalWords(cause: unknown): string {
  return cause instanceof RangeError ? 'its answer goes too deep to be compared' : messageOf(cause);
}

/** How a service is asked for one operation in this run. */
export function askingFor(
  bench: Pick<Questioning, 'client' | 'clock' | 'signal'>,
  service: Service,
  operation: Operation,
): Asking {
  const { client, clock, signal } = bench;
  return { client, clock, signal, service, operation, protocol: PROTOCOLS[service.protocol] };
}

function cut(text: string): string {
  return beginningOf(text, 200);
}
