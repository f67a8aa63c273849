import { counted, formatDuration } from '../../foundation/numbers.ts';
import { seededRandom, shuffled } from '../../foundation/random.ts';
import { wordList } from '../../foundation/text.ts';
import { isPlantDecided } from '../../judge/calibration/plant.ts';
import { evidenceIn } from '../../judge/verdict/finding.ts';
import { isDecided, judgeRun } from '../../judge/verdict/judge.ts';
import { ALL_OPERATIONS, SATURATION } from '../../model/metric.ts';
import { fewestRounds, mostRounds, type Side, tiersOf } from '../../model/rounds.ts';
import type { InstructionsRecord } from '../../model/run/instructions.ts';
import type { RoundRecord, RoundsRecord } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { Sample } from '../../model/run/sample.ts';
import { WrongPathError } from '../trial/ready.ts';
import { Budget } from '../trial/time.ts';
import type { RoundBench } from '../trial/versions.ts';
import { countAllocated } from './allocated.ts';
import { countCalls } from './calls.ts';
import { countFunctions, countInstructions } from './count.ts';
import {
  forecast,
  isMostlyBesides,
  misfitOf,
  requiredTiers,
  secondsOf,
  type Timed,
  type TimedRound,
  timesLonger,
} from './fit.ts';
import { measureGrowth } from './memory-growth.ts';
import { profileServices } from './profile.ts';
import { MAX_CONTAMINATION, mayDiscard, measureRound } from './round.ts';
import type { RunFacts } from './run.ts';

export interface RoundsFacts extends Omit<RunFacts, 'rounds'> {
  readonly rounds: Omit<RoundsRecord, 'rounds' | 'ended' | 'decided'>;
}

/** Compares two versions in rounds until each service is decided, or time is up. A version that fails is recorded, not thrown. */
export async function compareVersions(bench: RoundBench, head: RoundsFacts): Promise<RunInRounds> {
  const { profile, signal } = bench;
  const comparison = new Comparison(bench, head);
  await comparison.countFirst();
  let ended: RoundsRecord['ended'] = signal.aborted ? 'interrupted' : 'rounds';
  for (const look of profile.looks) {
    ended = await comparison.upTo(look.rounds);
    // Runs before rounds in which a noisy service would spend the rest of the budget.
    if (look === profile.looks[0] && ended !== 'interrupted') {
      await comparison.measureGrowth();
      ended = signal.aborted ? 'interrupted' : ended;
    }
    if (ended === 'rounds' && look.rounds < mostRounds(profile) && comparison.look()) {
      ended = 'decided';
    }
    if (ended !== 'rounds') {
      break;
    }
  }
  if (ended !== 'interrupted') {
    await comparison.findFunctions(ended);
  }
  const run = comparison.run(ended);
  await bench.keep(run);
  return run;
}

class Comparison {
  readonly #budget: Budget;
  readonly #parts: {
    -readonly [Part in 'calls' | 'instructions' | 'memoryGrowth' | 'profiler']?: RunInRounds[Part] | undefined;
  } = {};
  #countingSeconds = 0;
  readonly #bench: RoundBench;
  readonly #head: RoundsFacts;
  readonly #rounds: TimedRound[] = [];
  readonly #samples: Sample[] = [];
  readonly #decided: string[] = [];
  #leftOut: RoundsRecord['leftOut'];
  #machine: string;
  #isWarned = false;
  #isForecast = false;

  constructor(bench: RoundBench, head: RoundsFacts) {
    this.#bench = bench;
    this.#head = head;
    this.#budget = new Budget(bench.clock, bench.budgetSeconds);
    this.#machine = bench.machine();
  }

  async countFirst(): Promise<void> {
    const { profile, budgetSeconds, progress, keep, onCounts, countingSeconds } = this.#bench;
    this.#parts.calls = this.#head.rounds.versus === undefined ? await countCalls(this.#bench) : undefined;
    if (countingSeconds === undefined) {
      return;
    }
    const runOf = (counts: InstructionsRecord) => ({ ...this.run('running'), instructions: counts });
    const instructions = await countInstructions(this.#bench, runOf);
    this.#parts.instructions = instructions;
    // Before the rounds, which take the whole budget where a JVM starts slowly.
    const left = () => this.#budget.leftSeconds - budgetSeconds / 2;
    const allocated = await countAllocated(this.#bench, instructions.failures, left);
    if (allocated.length > 0) {
      const { starts = [], failures = [] } = this.#parts.calls ?? {};
      this.#parts.calls = { starts: [...starts, ...allocated], failures };
    }
    this.#countingSeconds = this.#budget.spentSeconds;
    const counted = this.run('running');
    await keep(counted);
    if (profile.looks.length > 0) {
      await onCounts?.(counted);
      progress.chapter('Rounds');
    }
  }

  async measureGrowth(): Promise<void> {
    this.#parts.memoryGrowth = await measureGrowth(this.#bench, this.run('running'), () => this.#budget.leftSeconds);
  }

  async findFunctions(ended: RoundsRecord['ended']): Promise<void> {
    const left = () => this.#budget.leftSeconds;
    const leftSeconds = Math.max(left(), (this.#bench.countingSeconds ?? 0) - this.#countingSeconds);
    this.#parts.instructions = await countFunctions(this.#bench, this.run(ended), { leftSeconds });
    this.#parts.profiler = await profileServices(this.#bench, this.run(ended), { left });
  }

  get #records(): readonly RoundRecord[] {
    return this.#rounds.map(({ record }) => record);
  }

  async upTo(required: number): Promise<'rounds' | 'budget' | 'interrupted'> {
    const { seed } = this.#bench;
    for (;;) {
      const open = shuffled(this.#bench.suite.services, seededRandom(seed + this.#records.length)).filter(
        (service) => this.#isMeasured(service) && this.#kept(service) < required,
      );
      if (open.length === 0) {
        return 'rounds';
      }
      for (const service of open) {
        if (!this.#hasTimeFor(required)) {
          return 'budget';
        }
        if (!(await this.#runRound(service, required))) {
          return 'interrupted';
        }
      }
    }
  }

  /** The last rounds before the first look may end late: without them, earlier rounds would give no verdict. */
  #hasTimeFor(required: number): boolean {
    const { profile, suite, budgetSeconds } = this.#bench;
    if (required > fewestRounds(profile)) {
      return this.#budget.hasTimeFor();
    }
    const open = suite.services.filter(this.#isMeasured);
    const missing = open.reduce((sum, service) => sum + Math.max(0, required - this.#kept(service)), 0);
    const seconds = missing * this.#budget.longestSeconds - LATE_SHARE * budgetSeconds;
    return this.#budget.hasTimeFor() || this.#budget.hasTimeFor(seconds);
  }

  #isMeasured = (service: string): boolean => !this.#decided.includes(service) && !isGivenUp(this.#records, service);

  #kept(service: string): number {
    return this.#records.filter((record) => record.service === service && record.outcome === 'kept').length;
  }

  look(): boolean {
    const { stopsEarly, suite, progress } = this.#bench;
    if (!stopsEarly) {
      return false;
    }
    const result = judgeRun(this.run('running'));
    const findings = evidenceIn(result, 'change');
    const { plant } = this.#head.rounds;
    for (const service of suite.services.filter(this.#isMeasured)) {
      const gate = findings.filter(({ family, cell }) => family === 'gate' && cell.service === service);
      const open = gate.filter(({ verdict }) => verdict === 'inconclusive').length;
      const counts = `${gate.length - open} of ${gate.length} comparisons decided, ${open} open`;
      const isClear = plant === undefined ? isDecided(result, service) : isPlantDecided(result, service, plant);
      progress.line(`${service} after ${this.#kept(service)} rounds: ${counts}${isClear ? '; finished' : ''}`);
      if (isClear) {
        this.#decided.push(service);
      }
    }
    return this.#decided.length > 0 && !suite.services.some(this.#isMeasured);
  }

  async #runRound(service: string, required: number): Promise<boolean> {
    const { progress, signal, keep } = this.#bench;
    if (signal.aborted) {
      return false;
    }
    const own = this.#records.filter((record) => record.service === service);
    const discarded = own.filter(({ outcome, failure }) => outcome === 'discarded' && failure === undefined).length;
    const name = {
      service,
      round: own.length + 1,
      mayDiscard: mayDiscard(discarded, required),
      tiers: this.#tiers,
      times: this.#times(service),
      controlMs: this.#controlMs(),
    };
    try {
      const trial = () => measureRound(this.#bench, name, (step) => this.#show(service, step));
      const { samples, ...measured } = await this.#budget.spend(trial);
      this.#rounds.push(measured);
      this.#restartOnChange();
      this.#samples.push(...samples);
      progress.line(lineOf(measured.record, `${this.#kept(service)} of ${required}`));
      this.#reportForecast();
      this.#fitBudget();
    } catch (thrown) {
      if (signal.aborted) {
        return false;
      }
      await keep(this.run('interrupted'));
      throw thrown;
    }
    await keep(this.run('running'));
    return true;
  }

  /** Time of the control loop after the last round; undefined if that ended over a second ago, or the machine changed in it. */
  #controlMs(): number | undefined {
    const { startedAt = '', seconds, controlMs, contamination = 1 } = this.#records.at(-1) ?? {};
    const endedMs = Date.parse(startedAt) + (seconds?.total ?? 0) * 1000;
    const isUsable = contamination <= MAX_CONTAMINATION && this.#bench.clock.nowMs() - endedMs < 1000;
    return isUsable ? controlMs?.after : undefined;
  }

  get #timings(): Timed {
    const { profile, suite, budgetSeconds } = this.#bench;
    const services = suite.services.filter(this.#isMeasured);
    const { spentSeconds } = this.#budget;
    const tiers = this.#tiers;
    const required = requiredTiers(this.#head.rounds.policy, tiers);
    return { profile, services, tiers, required, rounds: this.#rounds, spentSeconds, budgetSeconds };
  }

  /** Multiple of the time at saturation, for rounds that mostly start and read: figures vary as much within a start as between starts. */
  #times(service: string): number {
    const isSlow = isMostlyBesides(this.#rounds, service) && this.#bench.interleave === 'blocks';
    return isSlow ? timesLonger(this.#timings) : 1;
  }

  get #tiers(): readonly string[] {
    const { profile, suite } = this.#bench;
    const names = tiersOf(profile, suite).map(({ name }) => name);
    return names.filter((name) => this.#leftOut?.tiers.includes(name) !== true);
  }

  /** Logs once when the first look is expected, if rounds take much longer than planned. */
  #reportForecast(): void {
    const { profile, progress, budgetSeconds } = this.#bench;
    const sumOf = (seconds: (record: RoundRecord) => number | undefined) =>
      this.#records.reduce((sum, record) => sum + (seconds(record) ?? 0), 0);
    const taken = sumOf(({ seconds }) => seconds?.total);
    const planned = sumOf(({ seconds, plannedSeconds }) => seconds && plannedSeconds);
    // 0 until each service has a round, and after the first look.
    const needed = forecast(this.#timings, this.#times(this.#records.at(-1)?.service ?? ''));
    if (this.#isForecast || needed === 0 || needed > budgetSeconds || taken <= UNPLANNED * planned) {
      return;
    }
    this.#isForecast = true;
    const longer = `rounds take ${(taken / planned).toFixed(1)} times as long as planned`;
    progress.line(`${longer}: ${counted(fewestRounds(profile), 'round')} end after about ${formatDuration(needed)}`);
  }

  /** Leaves out tiers if the budget would end before a verdict, or logs once that it does. Shards load the same tiers. */
  #fitBudget(): void {
    const { profile, budgetSeconds, progress, stopsEarly } = this.#bench;
    const { versus, shards } = this.#head.rounds;
    const misfit = misfitOf(this.#timings);
    if (misfit === undefined || this.#isWarned || versus !== undefined) {
      return;
    }
    const { seconds, enough } = misfit;
    const leftOut = stopsEarly && shards === undefined ? misfit.leftOut : [];
    const needed = `${fewestRounds(profile)} rounds take about ${formatDuration(seconds)}`;
    const more = `${needed}, more than the budget of ${formatDuration(budgetSeconds)}`;
    if (leftOut.length === 0) {
      this.#isWarned = true;
      progress.line(`${more}: use --budget ${enough}`);
      return;
    }
    this.#leftOut = {
      seconds: Math.max(seconds, this.#leftOut?.seconds ?? 0),
      tiers: [...(this.#leftOut?.tiers ?? []), ...leftOut],
    };
    this.#budget.shorten(Math.max(...this.#rounds.map(({ loadSeconds }) => secondsOf(loadSeconds, leftOut))));
    progress.line(`${more}: they go on without ${wordList(leftOut)}; to measure these, use --budget ${enough}`);
    this.#fitBudget();
  }

  /** Discards all rounds so far, including the current one, if the machine changed, and starts again. */
  #restartOnChange(): void {
    const machine = this.#bench.machine();
    if (machine === this.#machine) {
      return;
    }
    const message = `the machine changed from ${this.#machine} to ${machine}`;
    this.#bench.progress.line(`${message}: the rounds so far do not count`);
    this.#machine = machine;
    this.#decided.length = 0;
    for (const [index, { record, ...timed }] of this.#rounds.entries()) {
      if (record.outcome === 'kept') {
        this.#rounds[index] = { ...timed, record: { ...record, outcome: 'discarded', failure: { message } } };
      }
    }
  }

  #show(service: string, step: string): void {
    const { progress, budgetSeconds, profile } = this.#bench;
    const kept = this.#kept(service);
    const last = kept < fewestRounds(profile) ? fewestRounds(profile) : mostRounds(profile);
    progress.show({
      doneSeconds: this.#budget.spentSeconds,
      totalSeconds: budgetSeconds,
      label: `${service} round ${kept + 1} of ${last}`,
      phase: step,
      isFleeting: true,
    });
  }

  run(ended: RoundsRecord['ended']): RunInRounds {
    const totalSeconds = this.#budget.spentSeconds;
    const loadSeconds = this.#samples
      .filter(({ cell }) => cell.operation === ALL_OPERATIONS)
      .reduce((sum, { measuredSeconds }) => sum + measuredSeconds, 0);
    const answers = this.#bench.answers.record();
    const tiers = this.#tiers;
    const leftOut = this.#leftOut;
    return {
      ...this.#head,
      rounds: {
        ...this.#head.rounds,
        ...(leftOut !== undefined && { leftOut, tiers }),
        ...(answers !== undefined && { answers }),
        rounds: this.#records,
        ended,
        decided: [...this.#decided],
      },
      ...this.#parts,
      samples: this.#samples.filter(({ cell }) => cell.tier === SATURATION || tiers.includes(cell.tier)),
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

/** Share of the budget by which the rounds of the first look may exceed it. */
const LATE_SHARE = 0.1;

/** Rounds that take more than this multiple of their planned time change the forecast. */
const UNPLANNED = 1.5;

function lineOf({ service, round, outcome, failure, contamination }: RoundRecord, count: string): string {
  if (outcome === 'failed') {
    const whose = failure?.side === undefined ? '' : `, ${failure.side}`;
    return `${service} attempt ${round}: failed${whose}: ${failure?.message ?? ''}`;
  }
  const moved = `machine speed changed by ${((contamination ?? 0) * 100).toFixed(0)}%`;
  return outcome === 'discarded'
    ? `${service} attempt ${round}: discarded, ${moved}; repeating it`
    : `${service} round ${count}: kept`;
}

/** A version that failed this often is not tried again; nor is a service with this many failures in total. */
const MAX_VERSION_FAILURES = 2;

const MAX_FAILURES = 4;

function isGivenUp(records: readonly RoundRecord[], service: string): boolean {
  const failures = records.filter((record) => record.service === service && record.outcome === 'failed');
  const count = (side: Side | undefined, isOne = (_: string | undefined): boolean => true) =>
    failures.filter(({ failure }) => failure?.side === side && isOne(failure?.code)).length;
  // A path that neither version has will also be missing at the next try.
  const missing = count(undefined, (code) => code === WrongPathError.code);
  const worst = Math.max(count('base'), count('head'), missing);
  return worst >= MAX_VERSION_FAILURES || failures.length >= MAX_FAILURES;
}
