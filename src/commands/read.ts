import { readText } from '../adapters/config-files.ts';
import { parseBaseline } from '../core/baseline.ts';
import { ConfigError } from '../core/errors.ts';
import { judgeAgainstHistory } from '../core/history/judge.ts';
import type { Judgement } from '../core/judgement.ts';
import { parseRun, type Run } from '../core/run.ts';
import type { RunInRounds } from '../core/verdict/kept-cells.ts';
import { DEFAULT_POLICY, type Policy } from '../core/verdict/policy.ts';

/** The run in a `run.json`; throws ConfigError where there is none or it is of another schema. */
export function readRun(file: string): Run {
  return parseRun(readText(file, 'Give the run.json that `wiregauge run` left in its output folder.'), file);
}

/** The same for a run in which two versions were compared; throws ConfigError for any other. */
export function readComparison(file: string): RunInRounds {
  const run = readRun(file);
  const { rounds } = run;
  if (rounds === undefined) {
    throw new ConfigError(`${file}: holds no comparison of two versions`, {
      next: '`wiregauge compare` makes one; `wiregauge report` shows this one.',
    });
  }
  return { ...run, rounds };
}

/** Reads a stored baseline now, so that a wrong path is known before anything is measured; undefined without a path. */
export function againstBaseline(file: string | undefined, policy: Policy = DEFAULT_POLICY): (run: Run) => Judgement {
  if (file === undefined) {
    return (run) => ({ run, against: undefined });
  }
  const text = readText(file, 'Baselines lie under baselines/<suite>/; `wiregauge baseline update` writes one.');
  const baseline = parseBaseline(text, file);
  return (run) => ({ run, against: { file, ...judgeAgainstHistory(run, baseline, policy) } });
}
