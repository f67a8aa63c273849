import { KnownError, messageOf } from '../../foundation/errors.ts';
import type { WorkflowHost } from '../../github/host/port.ts';
import { FAIL_ON } from '../program/fail-on.ts';
import { publishCheck } from '../pull-request/publish-check.ts';

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
