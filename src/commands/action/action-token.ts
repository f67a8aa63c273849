import type { GithubEvent } from '../../github/github-event.ts';
import type { WorkflowHost } from '../../github/host/port.ts';
import { MEND_TOKEN } from '../pull-request/publish-comment.ts';

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
