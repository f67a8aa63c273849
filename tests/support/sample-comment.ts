import { judgeRun } from '../../src/judge/verdict/judge.ts';
import { type CommentContext, comparisonComment } from '../../src/report/comment/comment.ts';
import { remembered } from './remembered.ts';
import type { ResultChange } from './result-lists.ts';
import { comparisonResult } from './sample-comparison.ts';
import { type SampleRoundsOptions, sampleRounds } from './sample-rounds.ts';

/** A commit, a time, and where everything is. */
export const CONTEXT: CommentContext = {
  id: 'performance',
  head: '1df183b0c4a7e2f9d8b6a5c4e3f2019876543210',
  finishedAt: '2026-11-21T01:02:03Z',
  links: {
    run: 'https://github.example/shop/actions/runs/77',
    report: 'https://github.example/shop/actions/runs/77/artifacts/5',
    trend: 'https://shop.example/performance/',
  },
  earlier: [],
};

/** So quiet that everything can be told. */
export const QUIET = { noise: 0.3 };

/** REST needs 8% more at saturation. */
export const DEARER: SampleRoundsOptions = { ...QUIET, worse: [{ service: 'rest', tier: 'saturation', by: 0.08 }] };

/** A made-up run whose head is a commit and nothing else. */
export function committed(options: SampleRoundsOptions): ReturnType<typeof sampleRounds> {
  const run = sampleRounds(options);
  return { ...run, rounds: { ...run.rounds, head: { ...run.rounds.head, dirty: false } } };
}

/** The comment on a quiet run of a commit. */
export const quietComment = remembered(() => {
  const run = committed(QUIET);
  return comparisonComment(run, judgeRun(run), CONTEXT);
});

/** The comment on a made-up run, as it is judged. */
export function commentOn(options: SampleRoundsOptions): string {
  const run = sampleRounds(options);
  return comparisonComment(run, judgeRun(run), CONTEXT);
}

/** The comment on findings that have no rounds behind them. */
export function commentOf(change: ResultChange, context: Partial<CommentContext> = {}): string {
  return comparisonComment(undefined, comparisonResult(change), { ...CONTEXT, ...context });
}

/** What a reader sees before anything is unfolded. */
export function firstLines(body: string): string {
  return body.split('\n<details>')[0] ?? '';
}

/** The titles of the folds, from top to bottom. */
export function foldTitles(body: string): readonly string[] {
  return [...body.matchAll(/<summary>(.*)<\/summary>/g)].map(([, title = '']) => title);
}

/** What is in the fold of that title. */
export function fold(body: string, title: string): string {
  return body.split(`<summary>${title}</summary>`)[1]?.split('</details>')[0] ?? '';
}
