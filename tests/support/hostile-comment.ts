import type { ComparisonResult } from '../../src/judge/verdict/finding.ts';
import type { RunInRounds } from '../../src/model/run/run.ts';
import { type CommentContext, comparisonComment } from '../../src/report/comment/comment.ts';
import { HOSTILE } from './hostile-run.ts';
import { listsOf, withLists } from './result-lists.ts';
import { hostileComparison } from './sample-comparison.ts';

/** A comparison that carries a text wherever text comes from outside, who accepted it included. */
export function comparisonWith(text: string): { readonly run: RunInRounds; readonly compared: ComparisonResult } {
  const { run, compared } = replaced(hostileComparison(), text);
  const findings = listsOf(compared).findings.map((one) =>
    one.accepted ? { ...one, accepted: { ...one.accepted, by: text, at: text } } : one,
  );
  return { run, compared: withLists(compared, { findings }) };
}

/** The comment on such a comparison, with the text in all that the caller gives, too. */
export function commentWith(text: string, context: Partial<CommentContext> = {}): string {
  const { run, compared } = comparisonWith(text);
  return comparisonComment(run, compared, {
    id: 'performance',
    head: text,
    finishedAt: text,
    links: { run: text, report: `https://x.example/${text}`, trend: `https://x.example/?${text}#${text}` },
    earlier: [
      { head: `x${text}`, finishedAt: text, outcome: 'failed', headline: text, runUrl: `https://x.example/${text}` },
    ],
    ...context,
  });
}

/** The same value with another text in place of the hostile one, in keys, too. */
function replaced<Value>(value: Value, text: string): Value {
  const inner = JSON.stringify(text).slice(1, -1);
  return JSON.parse(JSON.stringify(value).replaceAll(JSON.stringify(HOSTILE).slice(1, -1), () => inner));
}
