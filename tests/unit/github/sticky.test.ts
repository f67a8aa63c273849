import { describe, expect, it } from 'vitest';
import type { Comments, Creation, PullRequestComment } from '../../../src/github/comment.ts';
import { type CommentMode, type CommentRequest, stickyComment } from '../../../src/github/comment.ts';
import type { Uncompared } from '../../../src/judge/verdict/finding.ts';
import { commentMarker } from '../../../src/report/comment/state.ts';
import { comparisonResult } from '../../support/sample-comparison.ts';
import { FINDINGS } from '../../support/sample-findings.ts';

type Result = CommentRequest['result'];

const PASSED: Result = comparisonResult({ outcome: 'passed', findings: [FINDINGS.unchanged], uncompared: [] });
const RED: Result = comparisonResult({ outcome: 'regressed', findings: [FINDINGS.regressed], uncompared: [] });

const NEW_SERVICE: Uncompared = {
  cell: { suite: 'main', service: 'rest', operation: 'all', tier: 'all' },
  ...{ reason: 'new', detail: 'the base does not have it', rows: 3 },
};

describe('when a comment is made', () => {
  const results: Readonly<Record<string, Result>> = {
    pass: PASSED,
    improvement: comparisonResult({ outcome: 'passed', findings: [FINDINGS.improved], uncompared: [] }),
    'noted regression': comparisonResult({
      outcome: 'passed',
      findings: [{ ...FINDINGS.regressed, family: 'watch' }],
      uncompared: [],
    }),
    acceptance: comparisonResult({ outcome: 'passed', findings: [FINDINGS.accepted], uncompared: [] }),
    regression: RED,
    'open question': comparisonResult({ outcome: 'inconclusive', findings: [FINDINGS.unchanged], uncompared: [] }),
    'an operation that is gone': comparisonResult({
      outcome: 'passed',
      findings: [FINDINGS.unchanged],
      uncompared: [{ ...NEW_SERVICE, reason: 'gone', detail: 'the head does not have it' }],
    }),
    'a looser policy': { ...PASSED, rules: { pending: [{ what: 'alpha', from: '2%', to: '1%' }], applied: [] } },
    'first run': comparisonResult({ outcome: 'passed', findings: [], uncompared: [NEW_SERVICE] }),
    'loss of everything': comparisonResult({ outcome: 'incomplete', findings: [], uncompared: [] }),
  };
  const made: Readonly<Record<CommentMode, readonly string[]>> = {
    never: [],
    auto: Object.keys(results).filter((name) => name !== 'pass'),
    'on-change': Object.keys(results).filter((name) => name !== 'pass'),
    always: Object.keys(results),
  };
  const modes = Object.keys(made).filter((mode): mode is CommentMode => mode in made);

  it.each(modes)('in mode %s, depends on the result', async (mode) => {
    const ends = await Promise.all(
      Object.entries(results).map(async ([name, result]) => {
        const { did } = await stickyComment(fakeComments(), required('text', { mode, result }));
        return [name, did] as const;
      }),
    );

    const expected = Object.keys(results).map((name) => [name, made[mode].includes(name) ? 'created' : 'skipped']);
    expect(ends).toEqual(expected);
  });

  it.each(modes.filter((mode) => mode !== 'never'))(
    'in mode %s, keeps one up to date that exists, so that a fixed regression is seen',
    async (mode) => {
      const comments = fakeComments([bodyOf('regressed')]);

      const { did } = await stickyComment(comments, required('passed', { mode, result: PASSED }));

      expect(did).toBe('updated');
      expect(comments.bodies()).toEqual([bodyOf('passed after regressed')]);
    },
  );

  it('in mode never, asks for nothing', async () => {
    const comments = fakeComments([bodyOf('regressed')]);

    await stickyComment(comments, required('passed', { mode: 'never', result: RED }));

    expect(comments.requested).toEqual([]);
  });
});

describe('which comment is edited', () => {
  it('is the one whose body starts with the marker, and not one that quotes it', async () => {
    const comments = fakeComments([`> ${bodyOf('quoted')}`, bodyOf('other', 'other'), bodyOf('ours')]);

    await stickyComment(comments, required('new'));

    expect(comments.bodies().slice(0, 2)).toEqual([`> ${bodyOf('quoted')}`, bodyOf('other', 'other')]);
    expect(comments.bodies()[2]).toBe(bodyOf('new after ours'));
  });

  it('is the oldest of several, and the others are removed after its update', async () => {
    const comments = fakeComments([bodyOf('one'), bodyOf('two'), bodyOf('three')]);

    await stickyComment(comments, required('new'));

    expect(comments.bodies()).toEqual([bodyOf('new after one')]);
    expect(comments.requested).toEqual(['all', 'update 1', 'remove 2', 'remove 3']);
  });

  it('is the older one where another job created it between our look and our creation', async () => {
    const comments = fakeComments();
    const racing = { ...comments, create: raced(comments, bodyOf('theirs')) };

    const end = await stickyComment(racing, required('ours'));

    expect(end).toEqual({ did: 'updated', url: 'url of 1' });
    expect(comments.bodies()).toEqual([bodyOf('ours after theirs')]);
  });

  it('stays where another job created a younger one, which that job will move', async () => {
    const comments = fakeComments();
    const create: Comments['create'] = async (body) => {
      const created = await comments.create(body);
      await comments.create(bodyOf('theirs'));
      return created;
    };

    const end = await stickyComment({ ...comments, create }, required('ours'));

    expect(end).toEqual({ did: 'created', url: 'url of 1' });
    expect(comments.bodies()).toEqual([bodyOf('ours'), bodyOf('theirs')]);
  });
});

describe('a creation that went unanswered', () => {
  const cause = new Error('no answer');
  const unanswered: Creation = { kind: 'unanswered', cause };

  it('is looked for, and not repeated where it was carried out', async () => {
    const comments = fakeComments();
    const create: Comments['create'] = async (body) => {
      await comments.create(body);
      return unanswered;
    };

    const end = await stickyComment({ ...comments, create }, { ...required(''), body: () => bodyOf('same') });

    expect(end).toEqual({ did: 'unchanged', url: 'url of 1' });
    expect(comments.bodies()).toEqual([bodyOf('same')]);
  });

  it('is removed where it was carried out next to that of another job', async () => {
    const comments = fakeComments();
    const racing = raced(comments, bodyOf('theirs'));
    const create: Comments['create'] = async (body) => {
      await racing(body);
      return unanswered;
    };

    await stickyComment({ ...comments, create }, required('ours'));

    expect(comments.bodies()).toEqual([bodyOf('ours after theirs')]);
  });

  it('is tried once more where it was not carried out', async () => {
    const comments = fakeComments();
    let tries = 0;
    const create: Comments['create'] = async (body) => {
      tries += 1;
      return tries === 1 ? unanswered : await comments.create(body);
    };

    const end = await stickyComment({ ...comments, create }, required('text'));

    expect(end.did).toBe('created');
    expect(comments.bodies()).toEqual([bodyOf('text')]);
  });

  it('is reported with its cause after the second try', async () => {
    const comments = { ...fakeComments(), create: async () => unanswered };

    await expect(stickyComment(comments, required('text'))).rejects.toBe(cause);
  });
});

function required(text: string, further: Partial<Pick<CommentRequest, 'mode' | 'result'>> = {}): CommentRequest {
  const body = (earlier: string | undefined) =>
    bodyOf(earlier === undefined ? text : `${text} after ${earlier.split('\n')[1]}`);
  return { id: 'job', mode: 'always', result: RED, body, ...further };
}

function bodyOf(text: string, id = 'job'): string {
  return `${commentMarker(id)}\n${text}`;
}

/** Another job is a little faster than we are. */
function raced(comments: Comments, theirs: string): Comments['create'] {
  return async (body) => {
    await comments.create(theirs);
    return await comments.create(body);
  };
}

function fakeComments(bodies: readonly string[] = []) {
  const requested: string[] = [];
  let stored = bodies.map((body, index) => commentOf(index + 1, body));
  let last = stored.length;
  return {
    requested,
    bodies: () => stored.map(({ body }) => body),
    all: async () => {
      requested.push('all');
      return stored;
    },
    create: async (body: string): Promise<Creation> => {
      requested.push('create');
      last += 1;
      stored = [...stored, commentOf(last, body)];
      return { kind: 'created', comment: commentOf(last, body) };
    },
    update: async (id: number, body: string) => {
      requested.push(`update ${id}`);
      stored = stored.map((one) => (one.id === id ? commentOf(id, body) : one));
      return { url: `url of ${id}` };
    },
    remove: async (id: number) => {
      requested.push(`remove ${id}`);
      stored = stored.filter((one) => one.id !== id);
    },
  };
}

function commentOf(id: number, body: string): PullRequestComment {
  return { id, body, url: `url of ${id}` };
}
