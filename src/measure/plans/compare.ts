import { formatDuration } from '../../foundation/numbers.ts';
import { seededRandom, shuffled } from '../../foundation/random.ts';
import { isDecided, judgeRun } from '../../judge/verdict/judge.ts';
import { ALL_OPERATIONS, type Sample } from '../../model/metric.ts';
import { budgetFor, fewestRounds, mostRounds, secondsToFirstLook } from '../../model/rounds.ts';
import type { CallsRecord } from '../../model/run/calls.ts';
import type { ProfilerRecord } from '../../model/run/functions/profiler.ts';
import type { InstructionsRecord } from '../../model/run/instructions.ts';
import type { RoundRecord, RoundsRecord } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { Budget } from '../trial/budget.ts';
import { countCalls } from './calls.ts';
import { countInstructions } from './count.ts';
import { profileServices } from './profile.ts';
import { type AttemptName, attemptRound, isGivenUp, mayDiscard } from './round.ts';
import type { RunFacts } from './run.ts';
import type { RoundBench } from './versions.ts';

/** What is known of a comparison before its first round. */
export interface RoundsFacts extends Omit<RunFacts, 'rounds'> {
  readonly rounds: Omit<RoundsRecord, 'rounds' | 'ended' | 'decided'>;
}

/**
 * Compares two versions in rounds, each service until its answer is clear, the last look is reached, the time is spent or the signal
 * aborts; keeps what was measured so far. A version that fails is recorded, not thrown.
 */
export async function compareVersions(bench: RoundBench, head: RoundsFacts): Promise<RunInRounds> {
  const rounds = new Rounds(bench, head);
  await rounds.countCalls();
  if (bench.countingSeconds !== undefined) {
    await rounds.count();
  }
  let ended: RoundsRecord['ended'] = bench.signal.aborted ? 'interrupted' : 'rounds';
  for (const look of bench.profile.looks) {
    ended = await rounds.upTo(look.rounds);
    if (ended !== 'rounds') {
      break;
    }
    if (look.rounds < mostRounds(bench.profile) && rounds.look()) {
      ended = 'decided';
      break;
    }
  }
  if (ended !== 'interrupted') {
    await rounds.profile(ended);
  }
  return await rounds.write(ended);
}

/** What was measured so far. */
class Rounds {
  readonly #bench: RoundBench;
  readonly #head: RoundsFacts;
  readonly #budget: Budget;
  readonly #records: RoundRecord[] = [];
  readonly #samples: Sample[] = [];
  /** Services that a look ended. */
  readonly #decided: string[] = [];
  #instructions: InstructionsRecord | undefined;
  #calls: CallsRecord | undefined;
  #profiler: ProfilerRecord | undefined;
  #countingSeconds = 0;
  #machine: string;
  #isWarned = false;

  constructor(bench: RoundBench, head: RoundsFacts) {
    this.#bench = bench;
    this.#head = head;
    this.#budget = new Budget(bench.clock, bench.budgetSeconds);
    this.#machine = bench.machine();
  }

  /** Counts the calls of services to what they need. */
  async countCalls(): Promise<void> {
    this.#calls = this.#head.rounds.versus === undefined ? await countCalls(this.#bench) : undefined;
  }

  /** Counts what the services execute for a request. */
  async count(): Promise<void> {
    this.#instructions = await countInstructions(this.#bench, (instructions) => ({
      ...this.#runSoFar('running'),
      instructions,
    }));
    this.#countingSeconds = this.#budget.spentSeconds;
    await this.write('running');
    if (this.#bench.profile.looks.length > 0) {
      this.#bench.progress.chapter('Rounds');
    }
  }

  /** Has profilers look at what takes more CPU time, if there is time left for it. */
  async profile(ended: RoundsRecord['ended']): Promise<void> {
    const left = () => this.#budget.leftSeconds;
    this.#profiler = await profileServices(this.#bench, this.#runSoFar(ended), { left });
  }

  /** Attempts rounds until every service has so many, or was given up. */
  async upTo(wanted: number): Promise<'rounds' | 'budget' | 'interrupted'> {
    for (let open = this.#open(wanted); open.length > 0; open = this.#open(wanted)) {
      for (const service of open) {
        if (!this.#budget.hasTimeFor()) {
          return 'budget';
        }
        if (!(await this.#attempt(service, wanted))) {
          return 'interrupted';
        }
      }
    }
    return 'rounds';
  }

  /** Services that want more rounds, in random order. */
  #open(wanted: number): readonly string[] {
    const { suite, seed } = this.#bench;
    return shuffled(suite.services, seededRandom(seed + this.#records.length)).filter(
      (service) => this.#isMeasured(service) && keptRounds(this.#records, service) < wanted,
    );
  }

  #isMeasured(service: string): boolean {
    return !this.#decided.includes(service) && !isGivenUp(this.#records, service);
  }

  /** Ends each service whose answer is clear, and leaves the time to the others; gives whether all are ended. */
  look(): boolean {
    const { stopsEarly, suite, progress } = this.#bench;
    if (!stopsEarly) {
      return false;
    }
    const result = judgeRun(this.#runSoFar('running'));
    for (const service of suite.services.filter((name) => this.#isMeasured(name))) {
      const gate = result.findings.filter(({ family, cell }) => family === 'gate' && cell.service === service);
      const open = gate.filter(({ verdict }) => verdict === 'inconclusive').length;
      const counts = `${gate.length - open} of ${gate.length} comparisons decided, ${open} open`;
      const isClear = isDecided(result, service);
      progress.line(
        `${service} after ${keptRounds(this.#records, service)} rounds: ${counts}${isClear ? '; finished' : ''}`,
      );
      if (isClear) {
        this.#decided.push(service);
      }
    }
    return this.#decided.length > 0 && !suite.services.some((service) => this.#isMeasured(service));
  }

  async write(ended: RoundsRecord['ended']): Promise<RunInRounds> {
    const run = this.#runSoFar(ended);
    await this.#bench.keep(run);
    return run;
  }

  /** False if the signal aborted it. */
  async #attempt(service: string, wanted: number): Promise<boolean> {
    const { progress, signal } = this.#bench;
    if (signal.aborted) {
      return false;
    }
    const own = this.#records.filter((record) => record.service === service);
    const discarded = own.filter(({ outcome, failure }) => outcome === 'discarded' && failure === undefined).length;
    const name: AttemptName = { service, round: own.length + 1, mayDiscard: mayDiscard(discarded, wanted) };
    try {
      const attempt = () => attemptRound(this.#bench, name, (step) => this.#show(service, step));
      const { record, samples } = await this.#budget.spend(attempt);
      this.#records.push(record);
      this.#restartOnChange();
      this.#samples.push(...samples);
      progress.line(lineOf(record, { kept: keptRounds(this.#records, service), wanted }));
      this.#warnOfBudget();
    } catch (thrown) {
      if (signal.aborted) {
        return false;
      }
      await this.write('interrupted');
      throw thrown;
    }
    await this.write('running');
    return true;
  }

  /** Logs once that the budget ends before a verdict, if rounds go on to take what they took so far. */
  #warnOfBudget(): void {
    const { profile, suite, budgetSeconds, progress } = this.#bench;
    const services = suite.services.filter((name) => this.#isMeasured(name));
    const { spentSeconds } = this.#budget;
    const seconds = secondsToFirstLook(profile, { services, rounds: this.#records, spentSeconds }) ?? 0;
    if (!this.#isWarned && seconds > budgetSeconds && this.#head.rounds.versus === undefined) {
      this.#isWarned = true;
      const needed = `${fewestRounds(profile)} rounds take about ${formatDuration(seconds)}`;
      progress.line(
        `${needed}, more than the budget of ${formatDuration(budgetSeconds)}: use --budget ${budgetFor(seconds)}`,
      );
    }
  }

  /** Rounds of another machine do not count, nor the one in which it was moved: the counting starts again. */
  #restartOnChange(): void {
    const machine = this.#bench.machine();
    if (machine === this.#machine) {
      return;
    }
    const message = `the machine changed from ${this.#machine} to ${machine}`;
    this.#bench.progress.line(`${message}: the rounds so far do not count`);
    this.#machine = machine;
    this.#decided.length = 0;
    for (const [index, record] of this.#records.entries()) {
      if (record.outcome === 'kept') {
        this.#records[index] = { ...record, outcome: 'discarded', failure: { message } };
      }
    }
  }

  #show(service: string, step: string): void {
    const { progress, budgetSeconds, profile } = this.#bench;
    const kept = keptRounds(this.#records, service);
    const last = kept < fewestRounds(profile) ? fewestRounds(profile) : mostRounds(profile);
    progress.show({
      doneSeconds: this.#budget.spentSeconds,
      totalSeconds: budgetSeconds,
      label: `${service} round ${kept + 1} of ${last}`,
      phase: step,
      isFleeting: true,
    });
  }

  #runSoFar(ended: RoundsRecord['ended']): RunInRounds {
    const totalSeconds = this.#budget.spentSeconds;
    const loadSeconds = this.#samples
      .filter(({ cell }) => cell.operation === ALL_OPERATIONS)
      .reduce((sum, { measuredSeconds }) => sum + measuredSeconds, 0);
    const { rounds } = this.#head;
    const answers = this.#bench.answers.record();
    return {
      ...this.#head,
      rounds: {
        ...rounds,
        ...(answers !== undefined && { answers }),
        rounds: [...this.#records],
        ended,
        decided: [...this.#decided],
      },
      ...(this.#instructions !== undefined && { instructions: this.#instructions }),
      ...(this.#calls !== undefined && { calls: this.#calls }),
      ...(this.#profiler !== undefined && { profiler: this.#profiler }),
      samples: [...this.#samples],
      failures: [],
      complete: ended === 'decided' || ended === 'rounds',
      spent: {
        totalSeconds,
        overheadSeconds: Math.max(0, totalSeconds - loadSeconds),
        ...(this.#countingSeconds > 0 && { countingSeconds: this.#countingSeconds }),
      },
    };
  }
}

function lineOf({ service, round, outcome, failure, contamination }: RoundRecord, standing: Standing): string {
  const { kept, wanted } = standing;
  if (outcome === 'failed') {
    const whose = failure?.side === undefined ? '' : `, ${failure.side}`;
    return `${service} attempt ${round}: failed${whose}: ${failure?.message ?? ''}`;
  }
  const moved = `machine speed changed by ${((contamination ?? 0) * 100).toFixed(0)}%`;
  return outcome === 'discarded'
    ? `${service} attempt ${round}: discarded, ${moved}; repeating it`
    : `${service} round ${kept} of ${wanted}: kept`;
}

interface Standing {
  readonly kept: number;
  readonly wanted: number;
}

/** Rounds of a service that count. */
function keptRounds(records: readonly RoundRecord[], service: string): number {
  return records.filter((record) => record.service === service && record.outcome === 'kept').length;
}
