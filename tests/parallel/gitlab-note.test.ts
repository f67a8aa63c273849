import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommandLine } from '../../src/commands/program/program.ts';
import { mergeRequestNotes, mergeRequestPlace } from '../../src/commands/pull-request/gitlab-notes.ts';
import { stickyComment } from '../../src/github/comment.ts';
import { commentMarker } from '../../src/report/comment/state.ts';
import { currentFolderPerTest } from '../support/current-folder.ts';
import { catchPrinted } from '../support/printed.ts';
import { committed, DEARER } from '../support/sample-comment.ts';
import { required } from './github-bench.ts';

const TOKEN = 'glpat-secret-of-the-test';
const OURS = 7;

interface Note {
  readonly id: number;
  body: string;
  readonly author: number;
  readonly system: boolean;
}

/** The notes of merge request 12 of group/shop, as GitLab's REST API documents them, by 2 a page at most. */
class NotesApi {
  readonly notes: Note[] = [];
  readonly requested: string[] = [];
  /** Answers every request with it. */
  refusal: number | undefined;
  readonly #server: Server = createServer((request, response) => {
    void this.#answer(request, response);
  });

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://x');
    const body = await text(request);
    this.requested.push(`${request.method} ${url.pathname.replace('/api/v4', '')}`);
    const [status, value, headers] = this.#respond(request, url, body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(status === 204 ? undefined : JSON.stringify(value));
  }

  #respond({ method, headers }: IncomingMessage, url: URL, body: string): Reply {
    if (headers['private-token'] !== TOKEN || this.refusal !== undefined) {
      return [this.refusal ?? 401, { message: `${this.refusal ?? 401} \u001b[31mrefused` }];
    }
    if (url.pathname === '/api/v4/user') {
      return [200, { id: OURS, username: 'project_1_bot' }];
    }
    const [, id] =
      /^\/api\/v4\/projects\/group%2Fshop\/merge_requests\/12\/notes(?:\/(\d+))?$/.exec(url.pathname) ?? [];
    const note = this.notes.find((one) => one.id === Number(id));
    if (method === 'GET') {
      return this.#page(Number(url.searchParams.get('page') ?? 1));
    }
    if (method === 'POST') {
      const made = { id: 100 + this.notes.length, body: JSON.parse(body).body, author: OURS, system: false };
      this.notes.push(made);
      return [201, shown(made)];
    }
    if (note === undefined) {
      return [404, { message: '404 Not found' }];
    }
    if (method === 'DELETE') {
      this.notes.splice(this.notes.indexOf(note), 1);
      return [204, undefined];
    }
    note.body = JSON.parse(body).body;
    return [200, shown(note)];
  }

  #page(page: number): Reply {
    const last = Math.max(1, Math.ceil(this.notes.length / 2));
    const next = new URL(`http://127.0.0.1/api/v4/projects/group%2Fshop/merge_requests/12/notes?page=${page + 1}`);
    return [
      200,
      this.notes.slice((page - 1) * 2, page * 2).map(shown),
      page < last ? { link: `<${next}>; rel="next"`, 'x-next-page': `${page + 1}`, 'x-page': `${page}` } : {},
    ];
  }
}

type Reply = readonly [status: number, value: unknown, headers?: Readonly<Record<string, string>>];

function shown({ id, body, author, system }: Note): object {
  return { id, body, system, author: { id: author }, created_at: '2026-11-01T00:00:00Z' };
}

const bench: { api: NotesApi; host: string } = { api: new NotesApi(), host: '' };

beforeEach(async () => {
  bench.api = new NotesApi();
  bench.host = await bench.api.start();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await bench.api.stop();
});

function notes(token = TOKEN) {
  return mergeRequestNotes({ host: bench.host, token, project: 'group/shop', number: 12 });
}

describe('the note on a merge request', () => {
  it('is created, and edited in place the next time', async () => {
    const first = await stickyComment(notes(), required('one'));
    const second = await stickyComment(notes(), required('two'));

    expect(first).toEqual({ did: 'created', url: `${bench.host}/group/shop/-/merge_requests/12#note_100` });
    expect(second.did).toBe('updated');
    expect(bench.api.notes.map(({ body }) => body)).toEqual([`${commentMarker('job')}\ntwo\nafter one`]);
  });

  it('is found on a later page, and neither a foreign note nor one of the system is taken for it', async () => {
    const forged = `${commentMarker('job')}\nforged`;
    bench.api.notes.push({ id: 1, body: forged, author: 8, system: false });
    bench.api.notes.push({ id: 2, body: forged, author: OURS, system: true });
    bench.api.notes.push({ id: 3, body: `${commentMarker('job')}\nold`, author: OURS, system: false });
    bench.api.notes.push({ id: 4, body: `${commentMarker('job')}\nyounger`, author: OURS, system: false });

    expect((await stickyComment(notes(), required('new'))).did).toBe('updated');
    expect(bench.api.notes.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(bench.api.notes[2]?.body).toMatch(/new\nafter old$/);
  });

  it('that is gone already is removed', async () => {
    await expect(notes().remove(5)).resolves.toBeUndefined();
  });

  it.each([
    [401, /GITLAB_TOKEN.*scope `api`/],
    [403, /role Reporter/],
    [404, /Check that it exists/],
  ])(
    'reports the fix if GitLab answers %i, without the token and without terminal control characters',
    async (status, next) => {
      bench.api.refusal = status;

      const refused: unknown = await notes()
        .all()
        .catch((thrown: unknown) => thrown);
      expect(refused).toMatchObject({
        message: `GitLab did not list the notes of merge request !12 of group/shop: HTTP ${status}`,
        next: expect.stringMatching(next),
      });
      expect(JSON.stringify(refused, Object.getOwnPropertyNames(refused))).not.toContain(TOKEN);
    },
  );

  it('is not written twice if no answer came: the notes are listed first', async () => {
    await bench.api.stop();
    const lost = await notes().create('x');
    bench.host = await bench.api.start();

    expect(lost.kind).toBe('unanswered');
  });
});

describe('wiregauge publish --to note', () => {
  const folder = currentFolderPerTest();
  const printed = catchPrinted();

  it('takes the server, the merge request and the page of the job from the pipeline', async () => {
    folder.write('run.json', JSON.stringify(committed(DEARER)));
    vi.stubEnv('CI_SERVER_URL', bench.host);
    vi.stubEnv('CI_PROJECT_PATH', 'group/shop');
    vi.stubEnv('CI_MERGE_REQUEST_IID', '12');
    vi.stubEnv('CI_JOB_URL', `${bench.host}/group/shop/-/jobs/5`);
    vi.stubEnv('GITLAB_TOKEN', TOKEN);

    expect([await runCommandLine(['publish', '--to', 'note', join(folder.root, 'run.json')]), printed.err]).toEqual([
      0,
      '',
    ]);

    expect(printed.out).toMatch(/^comment created: http:\S+#note_100\n$/);
    expect(bench.api.notes[0]?.body).toContain('/-/jobs/5/artifacts/browse');
    expect(bench.api.notes[0]?.body).toContain('REST, saturation');
  });

  it.each([
    [undefined, {}, /there is no merge request/],
    ['shop!12', { GITLAB_TOKEN: TOKEN }, /"shop!12" is not a merge request/],
    ['group/shop!12', {}, /there is no token for GitLab/],
  ])('refuses %s', (named, environment, message) => {
    expect(() => mergeRequestPlace(named, environment)).toThrow(message);
  });
});
