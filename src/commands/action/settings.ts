import { ConfigError, KnownError, messageOf } from '../../foundation/index.ts';
import { type GithubEvent, isArtifactName, type WorkflowHost } from '../../github/index.ts';
import { type ComparisonResult, type Finding, isRegression, type Uncompared } from '../../judge/index.ts';
import { type RunInRounds, SATURATION } from '../../model/index.ts';
import { FAIL_ON } from '../program/options.ts';
import { publishCheck } from '../pull-request/check.ts';
import { MEND_TOKEN } from '../pull-request/comment.ts';

/** What a step does besides measuring. */
export interface ActionSettings {
  readonly uploads: boolean;
  readonly writesCheckRun: boolean;
}

/** Reads them from the inputs, before anything is measured. Throws ConfigError for a value that is none. */
export function actionSettings(inputs: ReadonlyMap<string, string>): ActionSettings {
  const name = inputs.get('artifact');
  if (name !== undefined && !isArtifactName(name)) {
    throw new ConfigError(`the input \`artifact\` is ${JSON.stringify(name)}, which no artifact can be called`, {
      next: 'Use at most 200 characters, and none of " : < > | * ? \\ /.',
    });
  }
  return { uploads: isOn(inputs, 'upload', true), writesCheckRun: isOn(inputs, 'check-run', false) };
}

function isOn(inputs: ReadonlyMap<string, string>, name: string, usual: boolean): boolean {
  const value = inputs.get(name) ?? String(usual);
  if (value !== 'true' && value !== 'false') {
    throw new ConfigError(`the input \`${name}\` is "${value}"`, {
      next: `Write \`with: { ${name}: true }\` or false.`,
    });
  }
  return value === 'true';
}

/**
 * Puts the token where the commands find it as any other program does. Where a pull request has none, that is said before anything is
 * measured: there will be no comment.
 */
export function useToken({ inputs, conceal, annotate }: WorkflowHost, event: GithubEvent): void {
  const token = inputs.get('token');
  if (token !== undefined) {
    conceal(token);
    process.env['GITHUB_TOKEN'] = token;
    return;
  }
  if (event.kind === 'pull-request' && inputs.get('comment') !== 'never') {
    const message = `There is no token for GitHub, so there will be no comment: ${MEND_TOKEN}`;
    annotate({ level: 'warning', title: 'Wiregauge', message });
  }
}

/** What later steps of a workflow can build on: the outputs of action.yml that come from a comparison. */
export function comparisonOutputs(run: RunInRounds, result: ComparisonResult): Readonly<Record<string, string>> {
  return {
    outcome: result.outcome,
    regressions: JSON.stringify(result.findings.filter(isFailing).map(regressionOf)),
    detectable: result.uncompared.some(isOfLostShard) ? '' : detectableText(result.findings),
    minutes: (run.spent.totalSeconds / 60).toFixed(1),
  };
}

/** What it would have shown is not known. */
function isOfLostShard({ reason }: Uncompared): boolean {
  return reason === 'shard-lost';
}

function isFailing(finding: Finding): boolean {
  return finding.family === 'gate' && isRegression(finding);
}

function regressionOf({ cell, metric, change }: Finding) {
  const { service, operation, tier } = cell;
  return { service, operation, tier, metric, change: change.estimate, low: change.low, high: change.high };
}

/** Of the least quiet service, so that it holds for all; in per cent. */
function detectableText(findings: readonly Finding[]): string {
  const seen = findings
    .filter(({ metric, cell }) => metric === 'cpuMicrosPerRequest' && cell.tier === SATURATION)
    .map(({ detectable }) => detectable);
  const isKnown = seen.length > 0 && seen.every((share) => share !== undefined);
  return isKnown ? (100 * Math.max(...seen)).toFixed(1) : '';
}

/** What is written, and where it leads to. */
export interface WantedCheckRun {
  /** run.json. */
  readonly file: string;
  /** Tells the check runs of several jobs apart. */
  readonly id: string;
  /** Of the artifact. */
  readonly reportUrl: string | undefined;
}

/** Does what `wiregauge publish-check` does. A check run that cannot be written is told and fails nothing. */
export async function writeCheckRun(host: WorkflowHost, { file, id, reportUrl }: WantedCheckRun): Promise<void> {
  const { owner, repository, inputs, runId, runUrl } = host;
  const failOn = FAIL_ON.find((one) => one === inputs.get('fail-on'));
  const policy = inputs.get('policy');
  try {
    await publishCheck(file, {
      repository: `${owner}/${repository}`,
      name: `Wiregauge: ${id}`,
      runUrl: runUrl(runId),
      ...(reportUrl !== undefined && { reportUrl }),
      ...(failOn !== undefined && { failOn }),
      ...(policy !== undefined && { policy }),
    });
  } catch (thrown) {
    const next = (thrown instanceof KnownError ? thrown.next : undefined) ?? '';
    const message = `The check run could not be written: ${messageOf(thrown)} ${next}`.trim();
    host.annotate({ level: 'warning', title: 'Wiregauge', message });
  }
}
