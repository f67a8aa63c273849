import { remarkLog } from '../../host/terminal/output.ts';
import { judgedRun } from '../../judge/verdict/judge.ts';
import { keepIn } from '../../measure/trial/keep.ts';
import { compareProfile } from '../../model/profiles.ts';
import { policyFor } from '../../project/policy.ts';
import { withOperations } from '../../project/selected.ts';
import { readSuite, withCheckedContracts } from '../../project/suite.ts';
import { exitCodeFor } from '../program/options.ts';
import { withLabel } from '../pull-request/label.ts';
import { NOWHERE, usualStored, withBaseline } from '../runs/against.ts';
import { measuring, type Within } from '../runs/previous.ts';
import { type CommandEnd, reportOutcome, type WrittenReports } from '../runs/report.ts';
import { requiredAnchor } from './anchored.ts';
import { baseOf, type CompareFlags, measuredFrom } from './comparing.ts';

/**
 * `wiregauge compare`: base against head in interleaved rounds. Exit code 0 passed, 1 regressed by policy, 2 could not judge, 130 after Ctrl-C; the
 * part measured until then is judged and kept. `report` receives the written files instead of printing them.
 */
export async function compare(
  flags: CompareFlags,
  report: (written: WrittenReports) => void = (written) => reportOutcome({ command: 'compare', ...flags }, written),
): Promise<CommandEnd> {
  compareProfile(flags.profile);
  const start = flags.anchor === true ? await requiredAnchor(flags.head) : await baseOf(flags);
  const { shard, operations, failOn } = flags;
  if (flags.head === undefined) {
    // Both versions are read after their checkout; a mistake in the working tree is reported earlier.
    const files = withCheckedContracts(readSuite(process.cwd(), flags.suite, flags.services));
    policyFor(process.cwd(), withOperations(files, operations).suite, flags.policy);
  }
  const measure = async (within: Within) => {
    const measured = await measuredFrom(start, flags, within);
    const { against: stored = usualStored(), baseline = stored } = flags;
    const isWhole = shard === undefined && operations === undefined && flags.anchor !== true;
    const { run: reported, against } = await withBaseline(measured, isWhole ? baseline : NOWHERE, remarkLog(flags));
    // Acceptances by the label are part of the file, so that the verdict follows from it alone.
    const { run, result: compared } = await withLabel(judgedRun(reported), flags, remarkLog(flags));
    if (run !== measured) {
      await keepIn(within.output)(run);
    }
    return { run, against, compared };
  };
  return await measuring(flags, measure, ({ compared }, written) => {
    report(written);
    // A shard never fails by default: the job that merges them judges all.
    return shard !== undefined && failOn === 'never' ? 0 : exitCodeFor(compared, failOn);
  });
}
