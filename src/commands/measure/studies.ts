import { join } from 'node:path';
import { type MeasuredStudy, studiesDocument, studyFindings } from '../../../studies/index.ts';
import { ConfigError, knownError } from '../../foundation/errors.ts';
import { INTERRUPTED } from '../../host/signals.ts';
import { remarkLog } from '../../host/terminal/output.ts';
import type { MeasureFlags } from '../../measure/session/runtime.ts';
import type { Suite } from '../../model/suite/suite.ts';
import { suitesIn } from '../../project/suite.ts';
import { briefTerminalOf, terminalOf } from '../../report/render/terminal.ts';
import { printResult, terminalPaint } from '../program/result.ts';
import { type CommandEnd, writeDocument } from '../runs/report.ts';

/** Name of all suites with findings of a study, without findings about open questions. */
export const ALL_STUDIES = 'all-studies';

/** Flags of `wiregauge run` for a single suite. */
const OF_ONE_SUITE = ['services', 'against', 'failOn', 'benchmarks', 'budget', 'for'] as const;

interface StudiesFlags
  extends Pick<MeasureFlags, 'suite' | 'profile' | 'out' | 'json' | 'verbose'>,
    Partial<Readonly<Record<(typeof OF_ONE_SUITE)[number], unknown>>> {}

/**
 * `wiregauge run --suite all-studies`: runs each suite of a folder that has findings of a study, each into its own folder, and writes one page about
 * all. `runSuite` prints nothing. A suite that cannot be measured does not stop the others. Exit code 0, 2 if one of them could not be fully
 * measured, 130 after Ctrl-C. Throws ConfigError for flags that apply to one suite.
 */
export async function runStudies<Flags extends StudiesFlags>(
  flags: Flags,
  root: string,
  runSuite: (flags: Flags, folder: string) => Promise<CommandEnd>,
): Promise<number> {
  refuseFlagsOfOneSuite(flags);
  const suites = studiesIn(root);
  const log = remarkLog(flags);
  const measured: MeasuredStudy[] = [];
  let exitCode = 0;
  for (const [place, suite] of suites.entries()) {
    log(`\nsuite ${place + 1} of ${suites.length}: ${suite.name}`);
    const own = { ...flags, suite: suite.name, out: join(flags.out, suite.name) };
    const { study, exitCode: ownCode } = await measuredStudy(suite, own, () => runSuite(own, root));
    measured.push(study);
    exitCode = Math.max(exitCode, ownCode);
    if (ownCode === INTERRUPTED) {
      break;
    }
  }
  await printStudies(flags, measured);
  return exitCode;
}

function studiesIn(root: string): readonly Suite[] {
  const suites = suitesIn(root)
    .map(({ suite }) => suite)
    .filter(({ published }) => (published?.findings ?? []).length > 0 && published?.leftOpen !== true);
  if (suites.length === 0) {
    throw new ConfigError('no suite here has study findings', {
      code: 'WG-106',
      next: 'Name a suite with --suite, or run this in a folder without wiregauge.yml and suites/, to use the suites that come with Wiregauge.',
    });
  }
  return suites;
}

async function measuredStudy(
  { name, title }: Suite,
  { profile }: StudiesFlags,
  runSuite: () => Promise<CommandEnd>,
): Promise<{ readonly study: MeasuredStudy; readonly exitCode: number }> {
  const startedMs = performance.now();
  const { exitCode, written, failure } = await runSuite().then(
    (end) => ({ ...end, failure: end.exitCode === 0 ? undefined : 'not measured completely' }),
    (thrown) => {
      const { message, next } = knownError(thrown);
      return { exitCode: 2, written: undefined, failure: next === undefined ? message : `${message}. ${next}` };
    },
  );
  const seconds = (performance.now() - startedMs) / 1000;
  const judgment = written?.judgment;
  const report = judgment && `${name}/report.html`;
  return { study: { suite: name, title, profile, seconds, judgment, failure, report }, exitCode };
}

async function printStudies({ out, json, verbose }: StudiesFlags, measured: readonly MeasuredStudy[]): Promise<void> {
  const document = studiesDocument(measured);
  const reports = await writeDocument(out, 'report', document);
  const text = (verbose === true ? terminalOf : briefTerminalOf)(document, terminalPaint());
  printResult(
    { command: 'run', json },
    { suites: measured.map(studyData), reports },
    `${text}\nreports: ${reports.join(', ')}\n`,
  );
}

function studyData({ judgment, ...study }: MeasuredStudy): object {
  return { ...study, findings: judgment === undefined ? [] : studyFindings(judgment) };
}

function refuseFlagsOfOneSuite(flags: StudiesFlags): void {
  const flag = OF_ONE_SUITE.find((name) => flags[name] !== undefined)?.replace('failOn', 'fail-on');
  if (flag !== undefined) {
    throw new ConfigError(`--${flag} is for a single suite, but ${ALL_STUDIES} runs several`, {
      code: 'WG-101',
      next: `Leave out --${flag}, or name one suite: wiregauge suites lists them.`,
    });
  }
}
