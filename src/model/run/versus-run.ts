import type { RunInRounds } from './kept-cells.ts';
import type { Run } from './run.ts';

/**
 * The rounds in which services were held against each other, as a run of their own: of `wiregauge versus` the run itself, of a main
 * job the part of it that has them. undefined where there are none.
 */
export function versusRun({ versus, ...run }: Run): RunInRounds | undefined {
  const { rounds } = run;
  if (rounds?.versus !== undefined) {
    return { ...run, rounds };
  }
  return versus === undefined ? undefined : { ...run, ...versus, failures: [] };
}

/**
 * The main job's run with the rounds of its services. They stay apart from its slots: whatever reads a run without rounds, as baselines
 * and the history do, goes on reading the slots alone.
 */
export function withVersus(run: Run, { startedAt, plan, spent, complete, rounds, samples }: RunInRounds): Run {
  const { versus } = rounds;
  if (versus === undefined) {
    throw new RangeError('these rounds compare two versions');
  }
  return { ...run, versus: { startedAt, plan, spent, complete, rounds: { ...rounds, versus }, samples } };
}
