import { type ErrorCode, KnownError, MeasurementError, messageOf } from '../../foundation/errors.ts';
import { canonicalJson, type Json } from '../../foundation/json.ts';
import { firstDifference, type JsonDifference, withoutPaths } from '../../foundation/json-path.ts';
import { unlessAborted } from '../../host/signals.ts';
import type { Side } from '../../model/rounds.ts';
import { type AnswersRecord, MAX_CHANGED_ANSWERS } from '../../model/run/rounds.ts';
import { beginningOf, endingOf } from '../../model/secrets/mask.ts';
import type { Secrets } from '../../model/secrets/secrets.ts';
import type { Service } from '../../model/service.ts';
import type { Operation } from '../../model/suite/suite.ts';
import type { Client } from '../../protocols/client.ts';
import { PROTOCOLS } from '../../protocols/protocols.ts';
import type { RunningService } from '../../runtime/port.ts';
import type { TrialBench } from './bench.ts';
import { Preparing } from './preparing.ts';
import { type SlowStart, untilReady } from './ready.ts';

export interface ServiceAnswer {
  readonly operation: string;
  readonly arguments: string;
  /** Canonical JSON without ignored parts; undefined if the response was as expected and is not compared. */
  readonly canonical: string | undefined;
  /** Only key of a response that is a map with one key. */
  readonly envelope: string | undefined;
}

export function canonicalAnswer(value: Json): Pick<ServiceAnswer, 'canonical' | 'envelope'> {
  const keys = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  return { canonical: canonicalJson(value), envelope: keys.length === 1 ? keys[0] : undefined };
}

export type Answers = ReadonlyMap<string, ServiceAnswer>;

export interface Answered {
  readonly service: Service;
  readonly answers: Answers;
}

interface AnswerDifference extends JsonDifference {
  readonly request: string;
  readonly answer: ServiceAnswer;
}

interface AnswerComparison {
  readonly compared: readonly ServiceAnswer[];
  readonly differences: readonly AnswerDifference[];
}

/**
 * Compares the responses to the requests that two services share. Responses of one service must be equal. For different services, a map with a single
 * key equals its value: a response message that only wraps the result (`{"user": {...}}`) equals a response that does not.
 */
export function compareAnswers(left: Answered, right: Answered): AnswerComparison {
  const isSameService = left.service.name === right.service.name;
  const pairs = [...left.answers].flatMap(([request, answer]) => {
    const other = right.answers.get(request);
    if (answer.canonical === undefined || other?.canonical === undefined) {
      return [];
    }
    const isWhole = isSameService || answer.envelope === other.envelope;
    // A result with a single key, in a wrapper.
    const isWrapped = !isWhole && (bare(answer) === other.canonical || answer.canonical === bare(other));
    const texts = isWhole ? [answer.canonical, other.canonical] : [bare(answer), bare(other)];
    return [{ request, answer, isWhole, isWrapped, texts }];
  });
  const different = pairs.filter(({ texts: [one, two], isWrapped }) => one !== two && !isWrapped);
  return {
    compared: pairs.map(({ answer }) => answer),
    differences: different.map(({ request, answer, isWhole, texts }) => {
      const wrap = (value: Json): Json =>
        isWhole || answer.envelope === undefined ? value : { [answer.envelope]: value };
      const [one = null, two = null] = texts.map((text) => wrap(JSON.parse(text ?? 'null') as Json));
      return { request, answer, ...(firstDifference(one, two) ?? { path: '$', left: one, right: two }) };
    }),
  };
}

function bare({ canonical = '', envelope }: ServiceAnswer): string {
  return envelope === undefined ? canonical : canonical.slice(`{${JSON.stringify(envelope)}:`.length, -1);
}

/** Error for services, or starts of one service, with different responses: nothing can be measured. */
export class AnswersDiffer extends MeasurementError {
  static override readonly code: ErrorCode = 'WG-306';
}

/** Error for a service whose responses differ between starts, which is independent of the versions. */
export class AnswersVary extends AnswersDiffer {
  static override readonly code: ErrorCode = 'WG-305';
}

/** Throws AnswersDiffer if a service responds differently from the reference, and AnswersVary if it responds differently than after an earlier start. */
export function refuseDifference(answered: Answered, reference: Answered): void {
  const { service } = answered;
  const [difference] = compareAnswers(answered, reference).differences;
  if (difference === undefined) {
    return;
  }
  const { request, place, left, right } = differenceWords(difference);
  const path = ignoredPath(difference);
  const advice =
    path === undefined
      ? 'turn off the comparison of answers for the operation: `verify: status`'
      : `ignore this place in the operation: \`ignore: [${JSON.stringify(path)}]\``;
  if (service.name === reference.service.name) {
    throw new AnswersVary(
      `${service.name} answers ${request} differently from start to start at ${place}: ${left}, before that: ${right}`,
      {
        next: `Every start must give the same answers: leave times, process IDs and the like out of the answer, or ${advice}.`,
      },
    );
  }
  throw new AnswersDiffer(
    `${service.name} and ${reference.service.name} answer ${request} differently at ${place}: ${left} and ${right}`,
    {
      next: `Services that do different things cannot be compared: fix the wrong one. If they differ on purpose, ${advice}.`,
    },
  );
}

const MAX = { request: 200, path: 250, value: 120 } as const;

/** Two texts with a longer common beginning are shown from shortly before they differ. */
const MAX_IN_COMMON = 60;

const SHOWN_BEFORE = 20;

/** Request, place like "$.users[0].extra", and excerpts of both values, at the first difference of long texts. */
function differenceWords({ request, path, left, right }: AnswerDifference) {
  const textOf = (value: Json | undefined): string => (value === undefined ? 'nothing' : JSON.stringify(value));
  const values = [textOf(left), textOf(right)] as const;
  const common = commonLength(...values);
  const from = common > MAX_IN_COMMON ? common - SHOWN_BEFORE : 0;
  const [one, two] = values.map((text) => beginningOf(endingOf(text, text.length - from), MAX.value));
  return {
    request: beginningOf(request, MAX.request),
    place: `${beginningOf(path, MAX.path)}${from === 0 ? '' : `, from character ${common} on`}`,
    left: one ?? '',
    right: two ?? '',
  };
}

function commonLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) {
    length += 1;
  }
  return length;
}

const MAX_IGNORED = 300;

/** Path with which an operation ignores a difference, for all items of the lists in it; undefined if it is the whole response, or too long. */
export function ignoredPath({ path, left, right }: JsonDifference): string | undefined {
  const isMissing = left === undefined || right === undefined;
  // An item that only one list has concerns the list.
  const field = isMissing ? path.replace(/\[\d+\]$/, '') : path;
  const everywhere = field.includes('"') ? field : field.replaceAll(/\[\d+\]/g, '[*]');
  return field === '$' || everywhere.length > MAX_IGNORED ? undefined : everywhere;
}

const MAX_KEPT = 250;

/**
 * First responses of each service of each version. Every start of it must respond the same, and all services of a version with the same operations
 * must respond alike. The two versions may respond differently, since a changed response is not a slowdown: it is logged, and kept for the report.
 */
export function answerBook({
  mask,
  comparesVersions,
  areAlike,
  note,
}: Pick<Secrets, 'mask'> & {
  /** True if the sides are versions of one service; otherwise, they are two services that were compared before. */
  readonly comparesVersions: boolean;
  readonly areAlike: (one: string, other: string) => boolean;
  readonly note: (line: string) => void;
}) {
  const firstOf: Readonly<Record<Side, Map<string, Answered>>> = { base: new Map(), head: new Map() };
  const comparisons = new Map<string, AnswerComparison>();
  const compareVersions = (service: string): void => {
    const [base, head] = [firstOf.base.get(service), firstOf.head.get(service)];
    if (!comparesVersions || base === undefined || head === undefined) {
      return;
    }
    const comparison = compareAnswers(base, head);
    comparisons.set(service, comparison);
    const { compared, differences } = comparison;
    const [first] = differences;
    if (first !== undefined) {
      const { request, place, left, right } = differenceWords(first);
      const count = `${differences.length} of ${compared.length} requests`;
      note(`${service}: base and head answer ${count} differently: ${request} at ${place}: ${left} and ${right}`);
    }
  };
  return {
    /** Throws AnswersDiffer if a response of a version differs from earlier ones, or from the first service with the same operations. */
    check(side: Side, answered: Answered): void {
      const { name } = answered.service;
      const own = firstOf[side];
      const first = [...own.values()].find(({ service }) => areAlike(service.name, name)) ?? answered;
      refuseDifference(answered, own.get(name) ?? first);
      if (!own.has(name)) {
        own.set(name, answered);
        compareVersions(name);
      }
    },
    /** Comparison of the versions' responses, for every service that responded in both; undefined if none did. */
    record(): AnswersRecord | undefined {
      const all = [...comparisons].toSorted(([left], [right]) => (left < right ? -1 : 1));
      const changed = all.flatMap(([service, comparison]) =>
        changedRows(comparison, mask).map((row) => ({ service, ...row })),
      );
      return all.length === 0
        ? undefined
        : {
            requests: all.reduce((sum, [, { compared }]) => sum + compared.length, 0),
            changed: changed.slice(0, MAX_CHANGED_ANSWERS),
          };
    },
  };
}

/** One row per operation, for its first request with a changed response. */
function changedRows({ compared, differences }: AnswerComparison, mask: Secrets['mask']) {
  const operations = [...new Set(differences.map(({ answer }) => answer.operation))];
  const kept = (text: string): string => beginningOf(mask(text), MAX_KEPT);
  return operations.flatMap((operation) => {
    const own = differences.filter(({ answer }) => answer.operation === operation);
    const requests = compared.filter((answer) => answer.operation === operation).length;
    return own.slice(0, 1).map(({ answer, path }) => ({
      operation,
      arguments: kept(answer.arguments),
      path: kept(path),
      requests,
      changedRequests: own.length,
    }));
  });
}

/**
 * Waits for the first response, as untilReady does, and sends the requests of `prepare`. Start-up time ends with the first response; it is undefined
 * if the service was not started from here. Latencies of first requests are by operation: that of the check, and those of canonicalAnswers.
 */
export async function untilAnswering(
  {
    client,
    clock,
    signal,
    slowStart,
  }: Pick<TrialBench, 'client' | 'clock' | 'signal'> & { readonly slowStart?: SlowStart | undefined },
  service: Service,
  running: RunningService,
  [operation]: readonly Operation[],
) {
  const preparing = new Preparing(client, service, running.address);
  const firstRequestMs = new Map<string, number>();
  const request = { client, clock, signal, service: preparing.service, preparing, firstRequestMs, slowStart };
  const wasSlow = operation !== undefined && (await untilReady(running, { ...request, operation }));
  const { startedAtMs } = running;
  // The clock of a remote engine may be ahead.
  const startUpMs = startedAtMs === undefined ? undefined : Math.max(0, clock.nowMs() - startedAtMs);
  await unlessAborted(preparing.send(), signal);
  return { preparing, wasSlow, firstRequestMs, startUpMs };
}

interface Questions {
  readonly service: Service;
  readonly address: string;
  readonly operations: readonly Operation[];
}

/** Responses of every operation with every argument, by the names that `preparing` fills in; throws MeasurementError if one is refused. */
export async function canonicalAnswers(
  bench: Pick<TrialBench, 'client' | 'clock'>,
  {
    operations,
    preparing,
    ...questions
  }: Questions & { readonly preparing: Preparing; readonly firstRequestMs: Map<string, number> },
): Promise<Answers> {
  const answers = new Map<string, ServiceAnswer>();
  for (const operation of operations) {
    if (operation.verify !== 'none') {
      const requested = { ...operation, arguments: someOf(operation.arguments) };
      const sent = preparing.filled(requested);
      for (const [index, answer] of (await answersTo(bench, questions, sent)).entries()) {
        const own = { operation: operation.name, arguments: canonicalJson(requested.arguments[index] ?? {}) };
        answers.set(`${own.operation} ${own.arguments}`, { ...own, ...answer });
      }
    }
  }
  return answers;
}

/** Maximum number of rows of a feed that each start verifies, spread from the first to the last. */
const MAX_ASKED = 100;

function someOf<Row>(rows: readonly Row[]): readonly Row[] {
  const step = Math.max(1, rows.length / MAX_ASKED);
  return rows.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

async function answersTo(
  { client, clock }: Pick<TrialBench, 'client' | 'clock'>,
  {
    service,
    address,
    firstRequestMs,
  }: Omit<Questions, 'operations'> & { readonly firstRequestMs: Map<string, number> },
  operation: Operation,
) {
  const protocol = PROTOCOLS[service.protocol];
  const { verify: verification, ignore = [] } = operation;
  const answers: Pick<ServiceAnswer, 'canonical' | 'envelope'>[] = [];
  for (const request of protocol.target(operation, service, address).requests) {
    try {
      const sentMs = clock.steadyMs();
      const reply = await client.call(service, address, request);
      if (answers.length === 0 && !firstRequestMs.has(operation.name)) {
        firstRequestMs.set(operation.name, clock.steadyMs() - sentMs);
      }
      const answer = protocol.canonical(reply, operation);
      answers.push(
        verification === 'status'
          ? { canonical: undefined, envelope: undefined }
          : canonicalAnswer(withoutPaths(answer, ignore)),
      );
    } catch (cause) {
      const words = cause instanceof RangeError ? 'its answer is nested too deeply to be compared' : messageOf(cause);
      const every = 'Every service of a suite must answer every request as the operation expects.';
      throw new MeasurementError(`${service.name}: ${request.call} of operation ${operation.name}: ${words}`, {
        cause,
        next: (cause instanceof KnownError && cause.next) || every,
      });
    }
  }
  return answers;
}

/** Response length of each operation, in characters of its canonical form; without operations that fail. */
export type AnswerLengths = ReadonlyMap<string, number>;

/** Response lengths of each operation's first request, except refused ones and operations that are not verified, which may change data. */
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
    // Rejected requests are reported under load.
    return undefined;
  }
}

/** A response that has grown by this share is a different load at the end than at the beginning. */
const GROWN_SHARE = 0.1;

/** Smaller growth is only a number with more digits. */
const GROWN_CHARACTERS = 100;

export function grownOperations(before: AnswerLengths, after: AnswerLengths): readonly string[] {
  return [...before].flatMap(([operation, length]) => {
    const grown = (after.get(operation) ?? 0) - length;
    return grown >= GROWN_CHARACTERS && grown > GROWN_SHARE * length ? [operation] : [];
  });
}
