import { KnownError, MeasurementError, messageOf } from '../../foundation/errors.ts';
import { canonicalJson } from '../../foundation/json.ts';
import { withoutPaths } from '../../foundation/json-path.ts';
import { counted } from '../../foundation/numbers.ts';
import type { Clock } from '../../host/machine/clock.ts';
import { unlessAborted } from '../../host/signals.ts';
import type { Progress } from '../../host/terminal/progress.ts';
import type { Service } from '../../model/service.ts';
import { isSameGroup, operationsFor } from '../../model/suite/groups.ts';
import type { Operation, Suite } from '../../model/suite/suite.ts';
import type { Client } from '../../protocols/client.ts';
import { PROTOCOLS } from '../../protocols/protocols.ts';
import type { RunningService, Runtime } from '../../runtime/port.ts';
import { type Answered, type Answers, canonicalAnswer, refuseDifference, type ServiceAnswer } from './answers.ts';
import { blamingMembers } from './early-exit.ts';
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
  /** What else is asked of each while it stands, with the answers verified. */
  readonly whileItStands?: ((service: Service, running: RunningService) => Promise<void>) | undefined;
}

/**
 * Starts every service once, one at a time, and asks it for every operation with every argument; gives what each answered, by its name.
 * Throws MeasurementError if one refuses, or two that are asked for the same answer differently: then nothing is measured.
 */
export async function verify(bench: Questioning): Promise<ReadonlyMap<string, Answered>> {
  const found = new Map<string, Answered>();
  for (const service of bench.services.values()) {
    const answered = { service, answers: await answersOf(bench, service) };
    const alike = [...found.values()].find((one) => isSameGroup(bench.suite, one.service.name, service.name));
    refuseDifference(answered, alike ?? answered);
    found.set(service.name, answered);
  }
  for (const names of groupsOf(bench)) {
    const answers = found.get(names[0] ?? '')?.answers.values() ?? [];
    bench.progress.line(`verified: ${verifiedWords(names, [...answers])}`);
  }
  if (groupsOf(bench).length > 1) {
    bench.progress.line('services with different operations are not compared with each other');
  }
  return found;
}

/** The names of services that are asked for the same. */
function groupsOf({ suite, services }: Pick<Questioning, 'suite' | 'services'>): readonly (readonly string[])[] {
  const names = [...services.keys()];
  const isFirst = (name: string) => names.find((one) => isSameGroup(suite, one, name)) === name;
  return names.filter(isFirst).map((first) => names.filter((name) => isSameGroup(suite, first, name)));
}

function verifiedWords(names: readonly string[], answers: readonly ServiceAnswer[]): string {
  const [name] = names;
  if (names.length === 1) {
    return `${name} answers ${counted(answers.length, 'request')}`;
  }
  const uncompared = answers.filter(({ canonical }) => canonical === undefined).length;
  const same = `give the same answers to ${counted(answers.length - uncompared, 'request')}`;
  const expected = `answer ${counted(uncompared, 'request')} as expected, not compared`;
  const done = [
    ...(uncompared < answers.length || uncompared === 0 ? [same] : []),
    ...(uncompared > 0 ? [expected] : []),
  ];
  return `${names.join(', ')} ${done.join(' and ')}`;
}

/** Asks a service that was started again. Throws AnswersDiffer if it answers otherwise than at first, MeasurementError if it refuses. */
export async function refuseOtherAnswers(client: Client, asked: Questions, first: Answered | undefined): Promise<void> {
  if (first !== undefined) {
    refuseDifference({ service: asked.service, answers: await canonicalAnswers(client, asked) }, first);
  }
}

async function answersOf(bench: Questioning, service: Service): Promise<Answers> {
  await using running = await bench.runtime.start(service, bench.signal);
  const operations = operationsFor(bench.suite, service.name);
  return await blamingMembers(running, async () => {
    await untilAnswering(bench, { service, running, operations });
    const asked = { service, address: running.address, operations };
    const answers = await unlessAborted(canonicalAnswers(bench.client, asked), bench.signal);
    await bench.whileItStands?.(service, running);
    return answers;
  });
}

/** A service that was started, and its operations. */
export interface StartedService {
  readonly service: Service;
  readonly running: RunningService;
  readonly operations: readonly Operation[];
}

/** Waits for the first answer, as untilReady does. */
export async function untilAnswering(
  bench: Parameters<typeof askingFor>[0],
  { service, running, operations: [first] }: StartedService,
): Promise<void> {
  if (first !== undefined) {
    await untilReady(running, askingFor(bench, service, first));
  }
}

/** A service that is ready, and what it is asked. */
export interface Questions {
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
      for (const [index, answer] of (await answersTo(client, service, { operation: asked, address })).entries()) {
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
  { operation, address }: { readonly operation: Operation; readonly address: string },
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

/** How a service is asked for one operation in this run. */
export function askingFor(
  bench: Pick<Questioning, 'client' | 'clock' | 'signal'>,
  service: Service,
  operation: Operation,
): Asking {
  const { client, clock, signal } = bench;
  return { client, clock, signal, service, operation, protocol: PROTOCOLS[service.protocol] };
}
