import { Command, Option } from 'commander';
import { MEASURED_METRICS, parseAlpha, parsePolicy } from '../../config/index.ts';
import { ConfigError } from '../../foundation/index.ts';
import { readText } from '../../host/index.ts';
import type { ComparisonResult } from '../../judge/index.ts';
import { exitCodeOfVersus, judgeComparison as judgeInput, judgeRun } from '../../judge/index.ts';
import { changedPolicy, DEFAULT_POLICY, isVersus, type Policy } from '../../model/index.ts';
import { comparisonText } from '../../report/index.ts';
import type { CommandFile } from '../program/command.ts';
import { JSON_OPTION } from '../program/options.ts';
import { tellResult } from '../program/result.ts';
import { tellReports, terminalText, writeReports } from './report.ts';
import { readComparison } from './run-files.ts';
import { parseSamples } from './samples.ts';

/** The command line of `wiregauge judge`. */
export const judgeCommand: CommandFile = {
  group: 'Results:',
  examples: {
    judge: [
      ['judge out/run.json --policy other.yml', 'the verdicts again, by other thresholds'],
      ['judge --samples figures.csv --json', 'figures that were measured elsewhere'],
    ],
  },
  make: (end) => {
    return new Command('judge')
      .description('Judge a run.json again, or samples of another tool')
      .argument('[run.json]')
      .option(
        '--samples <file>',
        'a CSV with the columns round,side,position,service,operation,tier,metric,value and, if wanted, better and gate',
      )
      .option(...JSON_OPTION)
      .option('--policy <file>', 'other thresholds, budgets and the like')
      .option('--alpha <share>', 'how often unchanged code may fail, like 1%')
      .addOption(new Option('--inconclusive <outcome>', 'what "inconclusive" is').choices(['warn', 'fail', 'pass']))
      .option('--out <folder>', 'where report.md and report.html go; default: the terminal report only')
      .action(async (file: string | undefined, flags) => end(await judge(file, flags)));
  },
};

export interface JudgeFlags {
  /** A CSV of figures that were measured elsewhere. */
  readonly samples?: string;
  readonly json?: boolean;
  readonly policy?: string;
  /** A share, like 1% or 0.01. */
  readonly alpha?: string;
  readonly inconclusive?: Policy['inconclusive'];
  /** Where report.md and report.html go. */
  readonly out?: string;
}

/** Figures that were measured elsewhere were drawn by nobody's seed; the swaps of the test need some. */
const SEED_OF_SAMPLES = 1;

/**
 * `wiregauge judge`: judges a comparison again from its `run.json`, or figures that were measured elsewhere, by the policy of
 * the file with what the flags change. Exit code by the policy; the same bytes in give the same bytes out.
 */
export async function judge(file: string | undefined, flags: JudgeFlags): Promise<number> {
  if ((file === undefined) === (flags.samples === undefined)) {
    throw new ConfigError('judge needs either a run.json or --samples with a CSV', {
      code: 'WG-101',
      next: 'Give the run.json that `wiregauge compare` left in its output folder.',
    });
  }
  if (flags.out !== undefined && (flags.json === true || file === undefined)) {
    throw new ConfigError('--out is for the reports of a run.json; it cannot be combined with --json or --samples', {
      code: 'WG-101',
      next: 'Leave out --out, and redirect the output to a file.',
    });
  }
  return file === undefined ? judgeSamples(flags.samples ?? '', flags) : await judgeFile(file, flags);
}

async function judgeFile(file: string, flags: JudgeFlags): Promise<number> {
  const run = readComparison(file);
  const compared = judgeRun(run, policyOf(run.rounds.policy, flags, MEASURED_METRICS));
  const judgement = { run, against: undefined, compared };
  if (flags.out !== undefined) {
    tellReports({ command: 'judge', run: file }, await writeReports(judgement, flags.out));
  } else {
    print(compared, flags, () => terminalText(judgement));
  }
  return isVersus(run) ? exitCodeOfVersus(compared) : compared.exitCode;
}

function judgeSamples(file: string, flags: JudgeFlags): number {
  const text = readText(file, 'Give a CSV with a line for every figure.');
  const { input, metrics } = parseSamples({ file, text });
  const result = judgeInput(input, policyOf(DEFAULT_POLICY, flags, metrics), SEED_OF_SAMPLES);
  print(result, flags, () => comparisonText(result, file));
  return result.exitCode;
}

function policyOf(policy: Policy, flags: JudgeFlags, metrics: typeof MEASURED_METRICS): Policy {
  const { policy: file, alpha, inconclusive } = flags;
  const text =
    file === undefined ? undefined : readText(file, "Give a YAML file with the keys of a suite's `policy:` block.");
  const own =
    file === undefined || text === undefined ? policy : changedPolicy(policy, parsePolicy({ file, text }, metrics));
  return changedPolicy(own, { alpha: alpha === undefined ? undefined : parseAlpha(alpha), inconclusive });
}

function print(result: ComparisonResult, { json }: JudgeFlags, report: () => string): void {
  tellResult({ command: 'judge', json }, { text: report, data: () => result });
}
