import type { GithubEvent } from '../../github/event.ts';
import type { CompareFlags } from '../measure/comparing.ts';
import type { StepInputs } from './inputs.ts';

/** Whether a profiler may look: at the code of a fork, since it has rights over its processes, only if that is asked for. */
export function profilerFlag(event: GithubEvent, asked: StepInputs['profiler'] = 'auto'): CompareFlags['profiler'] {
  const isOfFork = event.kind === 'pull-request' && event.isFork;
  return asked === 'never' || (asked === 'auto' && isOfFork) ? 'off' : 'auto';
}
