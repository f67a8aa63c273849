import { z } from 'zod';
import { type Answer, refusal } from './answer.ts';
import type { Account, GitHubState, StoredCheck, StoredComment, StoredIssue, StoredPull } from './state.ts';
import { nextId } from './state.ts';

/** One request that GitHub's description allows. */
export interface Requested {
  readonly state: GitHubState;
  readonly account: Account;
  /** Of the service, without a slash at the end. */
  readonly url: string;
  /** Of the path. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** A list of which only a page is sent: under the name, where the service wraps it. */
export interface List {
  readonly all: readonly object[];
  readonly name?: string;
}

const commentBody = z.object({ body: z.string() });

const issueBody = z.object({
  title: z.string().optional(),
  body: z.string().optional(),
  state: z.enum(['open', 'closed']).optional(),
  state_reason: z.string().optional(),
});

const checkBody = z.object({
  name: z.string(),
  head_sha: z.string().optional(),
  status: z.string(),
  conclusion: z.string().optional(),
  external_id: z.string(),
  details_url: z.string().optional(),
  output: z.object({ title: z.string(), summary: z.string(), annotations: z.array(z.unknown()).default([]) }),
});

/** By the id of the operation. What is answered is only what matters here; the server adds the rest from the description. */
export const OPERATIONS: Readonly<Record<string, (requested: Requested) => Answer | List>> = {
  'issues/list-comments': ({ state, parameters, url }) => ({
    all: state.comments
      .filter(({ issue }) => issue === Number(parameters['issue_number']))
      .map((one) => comment(one, url)),
  }),

  'issues/list-for-repo': ({ state, query, url }) => ({
    all: state.issues
      .filter(({ author }) => author.login === (query.get('creator') ?? author.login))
      .filter((one) => [one.state, 'all'].includes(query.get('state') ?? 'open'))
      .toSorted((left, right) => right.number - left.number)
      .map((one) => issue(one, url)),
  }),

  'issues/create': ({ state, account, url, body }) => {
    const { title = '', body: text = '' } = issueBody.parse(body);
    const number = Math.max(0, ...state.issues.map((one) => one.number)) + 1;
    const opened: StoredIssue = { number, author: account, title, body: text, state: 'open', closedAt: null };
    state.issues.push(opened);
    return { status: 201, body: issue(opened, url) };
  },

  'issues/update': ({ state, parameters, url, body }) => {
    const found = state.issues.find(({ number }) => number === Number(parameters['issue_number']));
    if (found === undefined) {
      return refusal(404, 'Not Found');
    }
    const {
      title = found.title,
      body: text = found.body,
      state: is = found.state,
      state_reason: reason,
    } = issueBody.parse(body);
    const closedAt = is === 'closed' ? new Date().toISOString() : null;
    Object.assign(found, { title, body: text, state: is, reason, closedAt });
    return { status: 200, body: issue(found, url) };
  },

  'issues/create-comment': ({ state, account, parameters, url, body }) => {
    const created: StoredComment = {
      id: nextId(state.comments),
      issue: Number(parameters['issue_number']),
      author: account,
      createdAt: new Date().toISOString(),
      body: commentBody.parse(body).body,
    };
    state.comments.push(created);
    return { status: 201, body: comment(created, url) };
  },

  'issues/update-comment': ({ state, parameters, url, body }) => {
    const found = state.comments.find(({ id }) => id === Number(parameters['comment_id']));
    if (found === undefined) {
      return refusal(404, 'Not Found');
    }
    found.body = commentBody.parse(body).body;
    return { status: 200, body: comment(found, url) };
  },

  'issues/delete-comment': ({ state, parameters }) => {
    const index = state.comments.findIndex(({ id }) => id === Number(parameters['comment_id']));
    if (index === -1) {
      return refusal(404, 'Not Found');
    }
    state.comments.splice(index, 1);
    return { status: 204 };
  },

  'reactions/create-for-issue-comment': ({ state, parameters, body }) => {
    const { content } = z.object({ content: z.string() }).parse(body);
    state.reactions.push(`${parameters['comment_id']} ${content}`);
    return { status: 201, body: { id: 1, content } };
  },

  'repos/get-collaborator-permission-level': ({ state, parameters }) => {
    const permission = state.permissions.get(parameters['username'] ?? '') ?? 'read';
    return { status: 200, body: { permission, role_name: permission } };
  },

  'actions/list-workflow-runs': ({ state, parameters, query }) => ({
    name: 'workflow_runs',
    all: state.runs
      .filter(({ workflow, headSha, event }) => {
        const isOfCommit = headSha === (query.get('head_sha') ?? headSha);
        return workflow === parameters['workflow_id'] && isOfCommit && event === (query.get('event') ?? event);
      })
      .map(({ id, status, conclusion = null, headRef = 'topic', headRepository = 'two/repository' }) => ({
        ...{ id, status, conclusion, head_branch: headRef, head_repository: { full_name: headRepository } },
        html_url: `https://github.test/owner/repository/actions/runs/${id}`,
      })),
  }),

  'actions/re-run-workflow': ({ state, parameters }) => {
    state.rerun.push(Number(parameters['run_id']));
    return { status: 201, body: {} };
  },

  'actions/re-run-workflow-failed-jobs': ({ state, parameters }) => {
    state.rerunFailed.push(Number(parameters['run_id']));
    return { status: 201, body: {} };
  },

  'issues/create-label': ({ state, body }) => {
    const { name } = z.object({ name: z.string() }).parse(body);
    if (state.knownLabels.has(name)) {
      return refusal(422, 'Validation Failed');
    }
    state.knownLabels.add(name);
    return { status: 201, body: { name, color: 'ededed' } };
  },

  'issues/list-labels-on-issue': ({ state, parameters }) => ({
    all: (state.labels.get(Number(parameters['issue_number'])) ?? []).map((name) => ({ name })),
  }),

  'issues/list-events': ({ state, parameters }) => ({
    all: state.events
      .filter(({ issue }) => issue === Number(parameters['issue_number']))
      .map(({ event, actor, at, label }) => ({
        event,
        actor: { login: actor },
        created_at: at,
        ...(label === undefined ? {} : { label: { name: label, color: 'ededed' } }),
      })),
  }),

  'checks/list-for-ref': ({ state, parameters, query }) => ({
    name: 'check_runs',
    all: state.checks
      .filter(({ headSha, name }) => headSha === parameters['ref'] && name === (query.get('check_name') ?? name))
      .map(check),
  }),

  'checks/create': ({ state, body }) => {
    const { head_sha: headSha = '', ...fields } = checkBody.parse(body);
    const created = { id: nextId(state.checks), headSha, ...checkFields(fields) };
    state.checks.push(created);
    return { status: 201, body: check(created) };
  },

  'checks/update': ({ state, parameters, body }) => {
    const found = state.checks.find(({ id }) => id === Number(parameters['check_run_id']));
    if (found === undefined) {
      return refusal(404, 'Not Found');
    }
    const { annotations, ...fields } = checkFields(checkBody.parse(body));
    Object.assign(found, fields, { annotations: [...found.annotations, ...annotations] });
    return { status: 200, body: check(found) };
  },

  'pulls/list': ({ state, query }) => ({
    all: state.pulls.filter((one) => one.state === (query.get('state') ?? 'open')).map(pull),
  }),

  'pulls/get': ({ state, parameters }) => {
    const found = state.pulls.find(({ number }) => number === Number(parameters['pull_number']));
    return found === undefined ? refusal(404, 'Not Found') : { status: 200, body: pull(found) };
  },

  'repos/get-content': ({ state, parameters, query }) => {
    const path = decodeURIComponent(parameters['path'] ?? '');
    return state.files.has(`${query.get('ref') ?? 'main'}:${path}`)
      ? { status: 200, body: file(path) }
      : refusal(404, 'Not Found');
  },

  'actions/list-workflow-run-artifacts': ({ state, parameters, query }) => ({
    name: 'artifacts',
    all: state.artifacts
      .filter(({ runId, name }) => runId === Number(parameters['run_id']) && name === (query.get('name') ?? name))
      .map(({ id, name, zip, isExpired = false }) => ({ id, name, size_in_bytes: zip.byteLength, expired: isExpired })),
  }),

  'actions/download-artifact': ({ state, parameters, url }) => {
    const found = state.artifacts.find(({ id }) => id === Number(parameters['artifact_id']));
    if (found === undefined) {
      return refusal(404, 'Not Found');
    }
    return found.isExpired
      ? refusal(410, 'Artifact has expired')
      : { status: 302, headers: { location: `${url}/storage/${found.id}?sig=signed` } };
  },
};

function comment({ id, issue, author, createdAt, association = 'NONE', body }: StoredComment, url: string): object {
  return {
    id,
    body,
    created_at: createdAt,
    updated_at: createdAt,
    html_url: `${url}/owner/repository/pull/${issue}#issuecomment-${id}`,
    user: { login: author.login, type: author.type },
    author_association: association,
  };
}

function issue(
  { number, author, title, body, state, closedAt, isPullRequest = false }: StoredIssue,
  url: string,
): object {
  const pull = `${url}/owner/repository/pull/${number}`;
  return {
    number,
    title,
    body,
    state,
    closed_at: closedAt,
    html_url: `${url}/owner/repository/issues/${number}`,
    user: { login: author.login, type: author.type },
    pull_request: isPullRequest ? { url: pull, html_url: pull, diff_url: pull, patch_url: pull } : undefined,
  };
}

function checkFields({ external_id: externalId, details_url: detailsUrl, ...fields }: z.infer<typeof checkBody>) {
  const { name, status, conclusion, output } = fields;
  return { name, status, conclusion, externalId, detailsUrl, ...output };
}

/** An empty one. */
function file(path: string): object {
  const url = `https://github.test/${path}`;
  const links = { url, git_url: url, html_url: url, download_url: url, _links: { git: url, html: url, self: url } };
  const name = path.split('/').at(-1);
  return { type: 'file', encoding: 'base64', size: 0, name, path, content: '', sha: 'e69de29b', ...links };
}

function check(stored: StoredCheck): object {
  const { id, headSha, name, status, conclusion, externalId, title, summary, annotations } = stored;
  return {
    id,
    name,
    status,
    conclusion: conclusion ?? null,
    head_sha: headSha,
    external_id: externalId,
    html_url: `https://github.test/owner/repository/runs/${id}`,
    output: { title, summary, annotations_count: annotations.length },
  };
}

function pull({ number, state, head, headSha, headRepository, baseSha }: StoredPull): object {
  return {
    number,
    state,
    head: {
      label: head,
      ref: head.split(':').at(-1),
      sha: headSha,
      ...(headRepository === undefined ? {} : { repo: { full_name: headRepository } }),
    },
    base: { sha: baseSha, ref: 'main' },
  };
}
