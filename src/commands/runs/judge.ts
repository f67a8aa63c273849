import { MEASURED_METRICS } from '../../config/schema/metric-names.ts';
import { parseAlpha, parsePolicy, parseToolPolicy } from '../../config/schema/policy.ts';
import type { SourceText } from '../../config/yaml/frame.ts';
import { ConfigError } from '../../foundation/errors.ts';
import { wordList } from '../../foundation/text.ts';
import { readText } from '../../host/files/reader.ts';
import { exitCodeOfVersus } from '../../judge/study/versus.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { judgeComparison as judgeInput, judgeRun } from '../../judge/verdict/judge.ts';
import { changedPolicy, DEFAULT_POLICY, type Policy, type PolicyChange } from '../../model/policy.ts';
import type { Side } from '../../model/rounds.ts';
import { isVersus } from '../../model/run/comparison.ts';
import { comparisonText } from '../../report/comparison/document.ts';
import { terminalOf } from '../../report/render/terminal.ts';
import { resultData } from '../../report/views/notes.ts';
import { exitCodeFor, type FailOn, failingOn } from '../program/options.ts';
import { printResult, terminalPaint } from '../program/result.ts';
import { judgmentPage, printReports, writeReports } from './report.ts';
import { readComparison } from './run-files.ts';
import { parseSamples } from './samples.ts';
import { toolSamples } from './tool-samples.ts';

interface JudgeFlags {
  readonly base?: readonly string[];
  readonly head?: readonly string[];
  /** CSV with metrics measured elsewhere. */
  readonly samples?: string;
  readonly json?: boolean;
  readonly policy?: string;
  /** Share, like 1% or 0.01. */
  readonly alpha?: string;
  readonly failOn?: FailOn;
  /** Former flag for the key of the policy. */
  readonly inconclusive?: Policy['inconclusive'];
  readonly out?: string;
}

/** Seed of the test for metrics measured elsewhere, which have none. */
const SEED_OF_SAMPLES = 1;

/**
 * `wiregauge judge`: judges a comparison again from its `run.json`, or metrics measured elsewhere, by the policy in the file and the flags. Exit code
 * by the policy; equal input gives equal output.
 */
export async function judge(file: string | undefined, flags: JudgeFlags): Promise<number> {
  checkSource(file, flags);
  if (flags.out !== undefined && (flags.json === true || file === undefined)) {
    throw new ConfigError(
      '--out is for the reports of a run.json; it cannot be combined with --json, --samples or --base',
      { code: 'WG-101', next: 'Omit --out, and redirect the output to a file.' },
    );
  }
  if (file !== undefined) {
    return await judgeFile(file, flags);
  }
  const { samples: csv, base = [], head = [] } = flags;
  const [result, text] = csv === undefined ? judgedOutputs({ base, head }, flags) : judgedCsv(csv, flags);
  printResult({ command: 'judge', json: flags.json }, resultData(result), text);
  return exitCodeFor(result, flags.failOn);
}

/** Throws ConfigError unless there is exactly one thing to judge. */
function checkSource(file: string | undefined, { samples, base, head }: JudgeFlags): void {
  if ((base === undefined) !== (head === undefined)) {
    const [given, lacking] = base === undefined ? ['--head', '--base'] : ['--base', '--head'];
    throw new ConfigError(`${given} needs ${lacking}`, {
      code: 'WG-101',
      next: 'Pass outputs of a benchmark tool for both versions: --base base.txt --head head.txt.',
    });
  }
  if ([file, samples, base].filter((source) => source !== undefined).length !== 1) {
    throw new ConfigError('judge needs a run.json, --samples with a CSV, or --base and --head', {
      code: 'WG-101',
      next: 'Pass the run.json that `wiregauge compare` wrote to its output folder, or outputs of a benchmark tool: --base base.txt --head head.txt.',
    });
  }
}

async function judgeFile(file: string, flags: JudgeFlags): Promise<number> {
  const run = readComparison(file);
  const compared = judgeRun(run, policyOf(run.rounds.policy, flags, MEASURED_METRICS));
  const judgment = { run, against: undefined, compared };
  if (flags.out !== undefined) {
    printReports({ command: 'judge', run: file }, await writeReports(judgment, flags.out));
  } else {
    const text = terminalOf(judgmentPage(judgment), terminalPaint());
    printResult({ command: 'judge', json: flags.json }, resultData(compared, run), text);
  }
  return isVersus(run) ? exitCodeOfVersus(compared) : exitCodeFor(compared, flags.failOn);
}

/** Result, and its report as text. */
type Judged = readonly [ComparisonResult, string];

function judgedCsv(file: string, flags: JudgeFlags): Judged {
  const text = readText(file, 'Pass a CSV with a line for every figure.');
  const { input, metrics } = parseSamples({ file, text });
  const result = judgeInput(input, policyOf(DEFAULT_POLICY, flags, metrics), SEED_OF_SAMPLES);
  return [result, comparisonText(result, file)];
}

function judgedOutputs({ base, head }: Record<Side, readonly string[]>, flags: JudgeFlags): Judged {
  const read = (file: string) => ({
    file,
    text: readText(file, 'Pass a file with the output of a benchmark tool.'),
  });
  const { input, metrics } = toolSamples({ base: base.map(read), head: head.map(read) });
  const own = flags.policy === undefined ? undefined : parseToolPolicy(policySource(flags.policy));
  const changed = changedPolicy(DEFAULT_POLICY, { ...own?.policy(metrics(own.given)), ...flagsPolicy(flags) });
  const policy = failingOn(changed, flags.failOn);
  const result = judgeInput(input(own?.given), policy, SEED_OF_SAMPLES);
  return [result, comparisonText(result, `base: ${wordList(base, 1)}; head: ${wordList(head, 1)}`)];
}

function policyOf(policy: Policy, flags: JudgeFlags, metrics: typeof MEASURED_METRICS): Policy {
  const { policy: file } = flags;
  const own = file === undefined ? policy : changedPolicy(policy, parsePolicy(policySource(file), metrics));
  return failingOn(changedPolicy(own, flagsPolicy(flags)), flags.failOn);
}

function policySource(file: string): SourceText {
  return { file, text: readText(file, "Pass a YAML file with the keys of a suite's `policy:` block.") };
}

function flagsPolicy({ alpha, inconclusive }: JudgeFlags): Pick<PolicyChange, 'alpha' | 'inconclusive'> {
  return {
    ...(alpha !== undefined && { alpha: parseAlpha(alpha) }),
    ...(inconclusive !== undefined && { inconclusive }),
  };
}
