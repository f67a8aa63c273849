import { describe, expect, it } from 'vitest';
import type { Comments } from '../../src/github/comment.ts';
import { stickyComment } from '../../src/github/comment.ts';
import { commentMarker } from '../../src/report/comment/state.ts';
import { githubPerTest, required, stored } from './github-bench.ts';

const bench = githubPerTest();

describe('the comment on a pull request', () => {
  it('is created, and edited in place the next time', async () => {
    const first = await stickyComment(bench.comments(), required('one'));
    const second = await stickyComment(bench.comments(), required('two'));

    expect([first.did, second.did]).toEqual(['created', 'updated']);
    expect(second).toEqual({ did: 'updated', url: `${bench.api.url}/owner/repository/pull/7#issuecomment-1001` });
    expect(bench.bodies()).toEqual(['two\nafter one']);
  });

  it('is found on the third page', async () => {
    const others = Array.from({ length: 250 }, (_, index) => stored(index + 1, `number ${index}`));
    bench.api.state.comments.push(...others, stored(300, `${commentMarker('job')}\nold`));

    const end = await stickyComment(bench.comments(), required('new'));

    expect(end.did).toBe('updated');
    expect(bench.api.state.comments).toHaveLength(251);
    expect(bench.bodies().at(-1)).toBe('new\nafter old');
  });

  it('is not touched where it would stay the same', async () => {
    bench.api.state.comments.push(stored(1, `${commentMarker('job')}\nsame\r\nlines`));

    const same = `${commentMarker('job')}\nsame\nlines\n`;
    const end = await stickyComment(bench.comments(), { ...required(''), body: () => same });

    expect(end.did).toBe('unchanged');
    expect(bench.api.requested).toEqual(['graphql', 'issues/list-comments']);
  });

  it('is another one for another id', async () => {
    await stickyComment(bench.comments(), required('rest', 'rest'));
    await stickyComment(bench.comments(), required('grpc', 'grpc'));

    expect(bench.bodies()).toEqual(['rest', 'grpc']);
  });

  it('leaves alone what an outsider or another bot wrote with our marker', async () => {
    const forged = `${commentMarker('job')}\nforged`;
    bench.api.state.comments.push(stored(1, forged, { login: 'outsider', type: 'User' }));
    bench.api.state.comments.push(stored(2, forged, { login: 'echo[bot]', type: 'Bot' }));

    await stickyComment(bench.comments(), required('ours'));

    expect(bench.bodies()).toEqual(['forged', 'forged', 'ours']);
  });

  it('belongs to the account of a personal token or of an app as well', async () => {
    bench.api.state.accounts.set('personal', { login: 'maintainer', type: 'User', access: 'write' });
    bench.api.state.accounts.set('app', { login: 'bench[bot]', type: 'Bot', access: 'write' });

    for (const token of ['personal', 'app', 'personal', 'app']) {
      await stickyComment(bench.comments({ token }), required(token));
    }

    expect(bench.bodies()).toEqual(['personal\nafter personal', 'app\nafter app']);
  });

  it('is written on a GitHub Enterprise server as well', async () => {
    const end = await stickyComment(bench.comments({ apiUrl: `${bench.api.url}/api/v3/` }), required('text'));

    expect(end.did).toBe('created');
    expect(bench.api.paths.slice(0, 2)).toEqual(['/api/graphql', '/api/v3/repos/owner/repository/issues/7/comments']);
  });

  it('is one where two jobs create one at the same time', async () => {
    const meet = meeting(2);
    const late = (own: Comments): Comments => {
      let isFirst = true;
      const all: Comments['all'] = async () => {
        const found = await own.all();
        await (isFirst ? meet() : undefined);
        isFirst = false;
        return found;
      };
      return { ...own, all };
    };

    const ends = await Promise.all(['one', 'two'].map((text) => stickyComment(late(bench.comments()), required(text))));

    expect(ends.map(({ did }) => did).toSorted()).toEqual(['created', 'updated']);
    expect(bench.api.requested.filter((operation) => operation === 'issues/create-comment')).toHaveLength(2);
    expect(bench.bodies()).toHaveLength(1);
    expect(bench.bodies()[0]).toMatch(/^(one\nafter two|two\nafter one)$/);
  });

  it('is one again where an earlier job left two', async () => {
    bench.api.state.comments.push(stored(1, `${commentMarker('job')}\none`), stored(2, `${commentMarker('job')}\ntwo`));

    await stickyComment(bench.comments(), required('three'));

    expect(bench.bodies()).toEqual(['three\nafter one']);
  });

  it('is removed without complaint where it is gone already', async () => {
    await expect(bench.comments().remove(99)).resolves.toBeUndefined();
  });
});

/** Resolves for all once so many have come. */
function meeting(count: number): () => Promise<void> {
  let missing = count;
  let open: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  return async () => {
    missing -= 1;
    if (missing === 0) {
      open();
    }
    await all;
  };
}
