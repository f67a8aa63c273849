import { join } from 'node:path';
import { ConfigError } from '../../foundation/errors.ts';
import { formatDuration } from '../../foundation/numbers.ts';
import { outputFolder } from '../../host/files/output.ts';
import { interruptible } from '../../host/signals.ts';
import { USUAL_CRITERIA } from '../../measure/knee/criteria.ts';
import { exitCodeOfKnees, KNEE_FILE } from '../../measure/knee/record.ts';
import { measureKnees, searchSeconds } from '../../measure/session/knees.ts';
import { aloneOnMachine, type MeasureFlags } from '../../measure/session/runtime.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { writableRoot } from '../../project/own-root.ts';
import { takeSecrets } from '../../project/policy.ts';
import { withOperations } from '../../project/selected.ts';
import { measuredRoot, readSuite, withCheckedContracts } from '../../project/suite.ts';
import { KNEE_WORDS } from '../../report/knee/words.ts';
import { printKnees } from '../runs/report.ts';
import { withRouteAdvice } from './route-advice.ts';

interface SaturateFlags extends Omit<MeasureFlags, 'profile'> {
  /** Milliseconds; undefined: derived from the latency at low load. */
  readonly p99?: number;
  /** Requests per second that every service must sustain; undefined: none. */
  readonly atLeast?: number;
  /** Seconds measured of each step. */
  readonly step: number;
  readonly budget: number;
}

/**
 * `wiregauge saturate [service...]`: the highest arrival rate that each service sustains, all of the suite if none is named. Exit code 0 if it was
 * found, or `--at-least` is sustained; 1 if a service sustains less than that; 2 if it cannot be judged; 130 after Ctrl-C.
 */
export async function saturateServices(names: readonly string[], flags: SaturateFlags): Promise<number> {
  if (new Set(names).size < names.length) {
    throw new ConfigError('a service is named twice', { code: 'WG-101', next: 'Name each service once.' });
  }
  const root = await writableRoot(measuredRoot(flags.suite));
  const read = withCheckedContracts(readSuite(root, flags.suite, names.length === 0 ? undefined : names));
  const files = withOperations(read, flags.operations);
  checkTime(flags, files);
  const { p99, step: stepSeconds, budget: budgetSeconds, runtime, json } = flags;
  const criteria = { ...USUAL_CRITERIA, ...(p99 !== undefined && { p99Ms: p99 }) };
  const secrets = takeSecrets(files.secrets);
  const output = await outputFolder(flags.out);
  return await interruptible(async (signal) => {
    await using _lock = await aloneOnMachine(flags, { what: 'wiregauge saturate', mostSeconds: flags.budget, signal });
    const requested = { files, criteria, stepSeconds, budgetSeconds, runtime, json, secrets, output, signal };
    const record = await withRouteAdvice(() => measureKnees({ ...requested, says: KNEE_WORDS }));
    const exitCode = exitCodeOfKnees(record, flags.atLeast);
    const options = { command: 'saturate', json, file: join(flags.out, KNEE_FILE), further: { exitCode } };
    await printKnees(options, record, flags.out);
    return exitCode;
  });
}

/** Throws ConfigError if there is not enough time for a search without surprises. */
function checkTime({ budget, step }: SaturateFlags, { services }: SuiteFiles): void {
  const needed = services.size * searchSeconds(step);
  if (needed > budget) {
    throw new ConfigError(
      `a budget of ${formatDuration(budget)} is too small: ${services.size === 1 ? 'a search takes' : `${services.size} searches take`} about ${formatDuration(needed)}`,
      { code: 'WG-115', next: 'Raise --budget, use shorter steps with --step, or name fewer services.' },
    );
  }
}
