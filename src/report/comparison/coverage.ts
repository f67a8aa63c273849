import { isHole, isNotSeen, type Uncompared } from '../../judge/index.ts';
import { isCounted } from '../../model/index.ts';
import { unseenName } from './claims.ts';
import type { ComparisonView } from './view.ts';
import { counted } from './words.ts';

/** What is named before the line says only how much more there is. */
const MOST_NAMED = 3;

/** How much was seen of what may fail a pull request, and what was not: one sentence without a full stop. */
export function coverageSentence(view: ComparisonView): string {
  const { rows } = view.result.coverage;
  const all = `${rows === 1 ? 'The' : `All ${rows}`} gating ${rows === 1 ? 'row was' : 'rows were'} seen`;
  const [first = all, ...others] = coverageClauses(view);
  const hidden = view.result.findings.filter((finding) => isNotSeen(finding) && !isCounted(finding.metric)).length;
  const more =
    hidden === 0 ? [] : [`${counted(hidden, 'more row')} at tiers ${hidden === 1 ? 'was' : 'were'} not, for noise`];
  return [`${first.slice(0, 1).toUpperCase()}${first.slice(1)}`, ...others, ...more].join('; ');
}

/** The same for the middle of a line; nothing if all was seen. A lost shard is told apart. */
export function coverageClauses(view: ComparisonView): readonly string[] {
  const { coverage, uncompared } = view.result;
  const { rows, seen } = coverage;
  const concerned = uncompared.filter((one) => one.rows > 0);
  const holes = concerned.filter((one) => isHole(one) && one.reason !== 'head-failed' && one.reason !== 'shard-lost');
  const others = concerned.filter((one) => !isHole(one));
  return [
    ...(seen < rows ? [`${seen} of ${counted(rows, 'gating row')} seen`] : []),
    ...(holes.length > 0 ? [`not seen: ${namesOf(view, holes)}`] : []),
    ...(others.length > 0 ? [`in one version only: ${namesOf(view, others)}`] : []),
  ];
}

function namesOf(view: ComparisonView, found: readonly Uncompared[]): string {
  const names = found.slice(0, MOST_NAMED).map((one) => unseenName(view, one));
  const more = found.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
