import type { Side } from '../../../model/rounds.ts';
import { type AnswersRecord, MOST_CHANGED_ANSWERS } from '../../../model/run/rounds.ts';
import { beginningOf } from '../../../secrets/mask.ts';
import type { Secrets } from '../../../secrets/secrets.ts';
import { type AnswerComparison, type Answered, compareAnswers, differenceWords, refuseDifference } from './answers.ts';

/** Of the arguments and the path that a run keeps. */
const MOST_KEPT = 250;

/** How answers are kept. */
export interface AnswerSettings extends Pick<Secrets, 'mask'> {
  /** Whether the sides are two versions of a service; if not, they are two services that were compared before. */
  readonly comparesVersions: boolean;
  /** Whether two services of a version are asked for the same operations. */
  readonly areAlike: (one: string, other: string) => boolean;
  /** Told of answers that changed. */
  readonly note: (line: string) => void;
}

/**
 * What each service of each version answered first. Every start of it must answer the same, and all services of a version that are
 * asked for the same must answer alike. The two versions may answer differently, since a change of an answer is no slowdown: then it is said, and kept for the report.
 */
export class AnswerBook {
  readonly #first: Readonly<Record<Side, Map<string, Answered>>> = { base: new Map(), head: new Map() };
  readonly #compared = new Map<string, AnswerComparison>();
  readonly #settings: AnswerSettings;

  constructor(settings: AnswerSettings) {
    this.#settings = settings;
  }

  /** Throws AnswersDiffer if a service of a version answers otherwise than before, or than the first one that is asked for the same. */
  check(side: Side, answered: Answered): void {
    const { name } = answered.service;
    const own = this.#first[side];
    const first = [...own.values()].find(({ service }) => this.#settings.areAlike(service.name, name)) ?? answered;
    refuseDifference(answered, own.get(name) ?? first);
    if (!own.has(name)) {
      own.set(name, answered);
      this.#compareVersions(name);
    }
  }

  /** How the answers of the versions compare, for every service that answered in both; undefined if none did. */
  record(): AnswersRecord | undefined {
    const all = [...this.#compared].toSorted(([left], [right]) => (left < right ? -1 : 1));
    return all.length === 0
      ? undefined
      : {
          requests: all.reduce((sum, [, { compared }]) => sum + compared.length, 0),
          changed: all
            .flatMap(([service, comparison]) => this.#changedRows(comparison).map((row) => ({ service, ...row })))
            .slice(0, MOST_CHANGED_ANSWERS),
        };
  }

  #compareVersions(service: string): void {
    const [base, head] = [this.#first.base.get(service), this.#first.head.get(service)];
    if (!this.#settings.comparesVersions || base === undefined || head === undefined) {
      return;
    }
    const comparison = compareAnswers(base, head);
    this.#compared.set(service, comparison);
    const { compared, differences } = comparison;
    const [first] = differences;
    if (first !== undefined) {
      const { request, place, left, right } = differenceWords(first);
      const count = `${differences.length} of ${compared.length} requests`;
      this.#settings.note(
        `${service}: base and head answer ${count} differently: ${request} at ${place}: ${left} and ${right}`,
      );
    }
  }

  /** One row for each operation, by its first request that is answered otherwise. */
  #changedRows({
    compared,
    differences,
  }: AnswerComparison): readonly Omit<AnswersRecord['changed'][number], 'service'>[] {
    const operations = [...new Set(differences.map(({ answer }) => answer.operation))];
    const kept = (text: string): string => beginningOf(this.#settings.mask(text), MOST_KEPT);
    return operations.flatMap((operation) => {
      const own = differences.filter(({ answer }) => answer.operation === operation);
      const [first] = own;
      const requests = compared.filter((answer) => answer.operation === operation).length;
      return first === undefined
        ? []
        : {
            operation,
            arguments: kept(first.answer.arguments),
            path: kept(first.path),
            requests,
            changedRequests: own.length,
          };
    });
  }
}
