import { getState, saveState } from '@actions/core';
import { action } from './commands/action/action.ts';
import { uploadRemembered } from './commands/action/artifact.ts';
import { clean } from './commands/clean.ts';
import { reportFailure } from './commands/program/failure.ts';
import { workflowHost } from './github/host/workflow-host.ts';
import { exitAtSignals } from './host/signals.ts';

/** The runner starts this file for the step, and once more at the end of the job, however that ended. */
const IS_LATER = 'isLater';

async function step(): Promise<number> {
  if (getState(IS_LATER) === 'true') {
    return await later();
  }
  saveState(IS_LATER, 'true');
  return await action(workflowHost());
}

/** Cleans up first: services that still run may write further results. */
async function later(): Promise<number> {
  try {
    await clean();
    return 0;
  } finally {
    await uploadRemembered(workflowHost());
  }
}

process.once('uncaughtException', (thrown) => process.exit(reportFailure(thrown)));
exitAtSignals();
process.exitCode = await step().catch(reportFailure);
