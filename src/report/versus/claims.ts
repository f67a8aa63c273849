import { counted, formatDuration } from '../../foundation/numbers.ts';
import { FEWEST_ROUNDS } from '../../judge/inference/location.ts';
import { inverse, type Pairing, type ServiceRatio, type Times } from '../../judge/study/versus.ts';
import { isCounted } from '../../model/metric.ts';
import type { VersusRun } from '../../model/run/comparison.ts';
import { timesText } from '../comparison/ratios.ts';
import type { ComparisonView } from '../comparison/view.ts';
import type { StudyReading } from '../studies.ts';

/** Claims about services; variants and services of a design have their own sentences. */
interface Claimed {
  readonly run: VersusRun;
  readonly pairings: readonly Pairing[];
  readonly study: Pick<StudyReading, 'claims' | 'hasSettings' | 'services'>;
}

/** Number of pairs that have a sentence each; of more, the best and the worst have one. */
const MOST_TOLD = 2;

/** Sentences on services against their references, the most important first; `referenceFor` gives the label of a service's reference. */
export function versusClaims(
  view: ComparisonView,
  { run, pairings: all, study }: Claimed,
  referenceFor: (service: string) => string,
): readonly string[] {
  const few = all.flatMap(({ standings }) => standings).find(isTooFew);
  const variants = study.hasSettings ? run.services.filter(({ variant }) => variant !== undefined) : [];
  const named = new Set([...variants.map(({ name }) => name), ...study.services]);
  const pairings = all.filter(({ service }) => !named.has(service));
  const claimed =
    pairings.length > MOST_TOLD ? pairings.filter((_, place) => place % (pairings.length - 1) === 0) : pairings;
  const left = pairings.length - claimed.length;
  const claims = [
    ...claimed.flatMap(pairClaims(view, referenceFor)),
    ...(left === 0 ? [] : [`The tables below have the other ${left}.`]),
  ];
  const both = [...study.claims, ...claims];
  return both.length === 0
    ? ['Nothing could be compared.']
    : [...(few === undefined ? [] : [noVerdicts(few, run.rounds)]), ...both];
}

function pairClaims(view: ComparisonView, referenceFor: (service: string) => string) {
  return ({ service, perCpuSecond, capacity }: Pairing): readonly string[] => {
    const [reference, other] = [referenceFor(service), view.labels.service(service)];
    return [
      ...(perCpuSecond === undefined ? [] : [claim({ other, reference, standing: perCpuSecond }, PER_CPU_SECOND)]),
      ...(capacity === undefined ? [] : [claim({ other, reference, standing: capacity }, AT_SATURATION)]),
    ];
  };
}

/** True if the rounds tell nothing; what is counted needs none. */
export function isTooFew({ metric, rounds }: Pick<ServiceRatio, 'metric' | 'rounds'>): boolean {
  return rounds < FEWEST_ROUNDS && !isCounted(metric);
}

/** Said once, not with every figure. */
function noVerdicts({ rounds }: Pick<ServiceRatio, 'rounds'>, { ended, budgetSeconds }: VersusRun['rounds']): string {
  const why = ended === 'budget' ? `; the time budget of ${formatDuration(budgetSeconds)} ran out` : '';
  return `Not enough rounds for a verdict (${rounds} of ${FEWEST_ROUNDS}${why}). Rough figures:`;
}

const PER_CPU_SECOND = { verb: 'serves', both: 'serve', what: 'requests per CPU second' };
const AT_SATURATION = { verb: 'answers', both: 'answer', what: 'requests/s at saturation' };

interface Claim {
  readonly other: string;
  readonly reference: string;
  readonly standing: ServiceRatio;
}

/** "gRPC serves 1.72 times as many requests per CPU second as REST (95% interval 1.66 to 1.79, 10 rounds)." */
function claim({ other, reference, standing }: Claim, words: typeof PER_CPU_SECOND): string {
  const { ratio, rounds } = standing;
  const [first, second, more] = ratio.times >= 1 ? [other, reference, ratio] : [reference, other, inverse(ratio)];
  if (rounds < FEWEST_ROUNDS) {
    return `${first} ${words.verb} ${timesText(more.times)} times as many ${words.what} as ${second}.`;
  }
  if (standing.standing === 'unclear' || standing.standing === 'same') {
    const alike = standing.standing === 'same' ? `${words.both} as many` : 'show no clear difference in';
    return `${other} and ${reference} ${alike} ${words.what} (${timesText(ratio.times)} times, ${sureness(ratio, rounds)}).`;
  }
  return `${first} ${words.verb} ${timesText(more.times)} times as many ${words.what} as ${second} (${sureness(more, rounds)}).`;
}

function sureness({ low, high }: Times, rounds: number): string {
  const interval =
    low === undefined || high === undefined ? 'no interval' : `95% interval ${timesText(low)} to ${timesText(high)}`;
  return `${interval}, ${counted(rounds, 'round')}`;
}
