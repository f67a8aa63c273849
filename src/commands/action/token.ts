import type { WorkflowHost } from '../../github/host/index.ts';
import type { GithubEvent } from '../../github/index.ts';
import { MEND_TOKEN } from '../pull-request/comment.ts';

/**
 * Puts the token into the environment, as the commands read it from any other program. If a pull request has none, that is said before
 * anything is measured: there will be no comment.
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
