import { Command, Option } from 'commander';
import { remarkLog } from '../../host/terminal/output.ts';
import { judgedRun } from '../../judge/verdict/judge.ts';
import { keepIn } from '../../measure/trial/keep.ts';
import { compareProfile } from '../../model/profiles.ts';
import { policyFor } from '../../project/policy.ts';
import { withOperations } from '../../project/selected.ts';
import { readSuite, withCheckedContracts } from '../../project/suite.ts';
import type { CommandFile } from '../program/command.ts';
import { COMPARE_PROFILE, exitCodeFor, withOptions } from '../program/options.ts';
import { withLabel } from '../pull-request/label.ts';
import { NOWHERE, usualStored, withBaseline } from '../runs/against.ts';
import { measuring, type Within } from '../runs/previous.ts';
import { type CommandEnd, reportOutcome, type WrittenReports } from '../runs/report.ts';
import { requiredAnchor } from './anchored.ts';
import { baseOf, type CompareFlags, measuredFrom } from './comparing.ts';

export const compareCommand: CommandFile = {
  group: 'Measure:',
  examples: {
    compare: [
      ['compare', 'the working tree against its merge base with the default branch'],
      ['compare --base main', 'the working tree against main'],
      ['compare --base v1.2.0 --head HEAD --profile quick', 'two commits, quickly'],
      ['compare --base main --profile instructions', 'count instructions per request instead of measuring time'],
      ['compare --base main --services rest --budget 20m --json', 'one service with a long budget, as JSON'],
      ['compare --operations GetUser', 'one operation only, against the default branch'],
      ['compare --anchor --head HEAD', 'how far HEAD is from the latest release, or the pinned commit'],
    ],
  },
  make: (end) => {
    const anchor = new Option(
      '--anchor',
      'compare with the latest release tag, or the commit pinned by `baseline pin`',
    );
    const command = withOptions(new Command('compare'), 'base')
      .description('Compare two versions in interleaved rounds, and judge what got slower')
      .option('--head <ref>', 'the version to judge; default: the working tree')
      .option('--merge-base', 'compare with the merge base, as for a pull request')
      .addOption(anchor.conflicts(['base', 'mergeBase', 'shard', 'confirmAll']))
      .option('--confirm-all', 'run all rounds, to find everything that got slower')
      .option('--always', 'measure services that run the same files in both versions, too')
      .action(async (flags) => end((await compare(flags)).exitCode));
    const others =
      'suite services operations shard budget runtime wait policy fail-on pull-request seed against out verbose json';
    return withOptions(command, `interleave profiler ${others}`, {
      profile: COMPARE_PROFILE,
      'comment-id': 'the comment that shows what the label accepts',
    });
  },
};

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
