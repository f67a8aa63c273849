import { counted } from '../../foundation/numbers.ts';
import { isGeneratorLimited, type ServiceAtTier } from '../../judge/reading/tier-comparison.ts';
import { arrivalTiers } from '../../model/suite/suite.ts';
import { pairAt, type RunView, serviceLabel, tierLabel, tierLabels } from './run-view.ts';
import { spoiledClause } from './saturation.ts';

/** Two services at a tier, and the cells whose figures rank nothing; mostly none. */
export interface ComparedAt {
  readonly tier: string;
  readonly spoiled: readonly SpoiledCell[];
}

interface SpoiledCell {
  readonly service: string;
  readonly tier: string;
  readonly why: string;
}

/** What keeps two services at a tier from being ranked; undefined if one of them was not measured there. */
export function comparedAt(view: RunView, services: readonly [string, string], tier: string): ComparedAt | undefined {
  const pair = pairAt(view, tier, services);
  const isRate = arrivalTiers(view.run.suite.tiers).some(({ name }) => name === tier);
  const spoiledIn = (place: number, service: string): readonly SpoiledCell[] => {
    const one = place === 0 ? pair?.reference : pair?.other;
    const reasons = one === undefined ? [] : reasonsFor(one, isRate);
    return reasons.length === 0 ? [] : [{ service, tier, why: reasons.join('; ') }];
  };
  return pair && { tier, spoiled: services.flatMap((service, place) => spoiledIn(place, service)) };
}

/** At a rate only the load tool can spoil a figure. */
function reasonsFor(one: ServiceAtTier, isRate: boolean): readonly string[] {
  return isRate && !isGeneratorLimited(one) ? [] : spoiledClause(one);
}

/** More would be a list. */
const MOST_NAMED = 3;

/** How many comparisons rank nothing, and because of which cells, in one sentence; none if all do. */
export function unrankedSentence(view: RunView, all: readonly ComparedAt[]): readonly string[] {
  const unranked = all.filter(({ spoiled }) => spoiled.length > 0);
  const cells = cellsOf(unranked);
  const places = [...new Set(cells.map(({ service }) => service))].map((service) => {
    const tiers = cells.filter((cell) => cell.service === service).map(({ tier }) => tier);
    return `${serviceLabel(view, service)} at ${tierLabels(view, tiers)}`;
  });
  const more = places.length - MOST_NAMED;
  const named = [...places.slice(0, MOST_NAMED), ...(more > 0 ? [`${counted(more, 'more service')}`] : [])];
  return unranked.length === 0
    ? []
    : [`Not ranked: ${unranked.length} of ${counted(all.length, 'comparison')}, because of ${named.join('; ')}.`];
}

/** Why nothing is ranked there, a sentence for each tier. */
export function unrankedReasons(view: RunView, all: readonly ComparedAt[]): readonly string[] {
  const cells = cellsOf(all);
  return [...new Set(cells.map(({ tier }) => tier))].map((tier) => {
    const reasons = cells.filter((cell) => cell.tier === tier).map(({ why }) => why);
    return `At ${tierLabel(view, tier)} some services are not ranked: ${reasons.join('; ')}.`;
  });
}

/** Each cell once, however many comparisons it is part of. */
function cellsOf(all: readonly ComparedAt[]): readonly SpoiledCell[] {
  const cells = all.flatMap(({ spoiled }) => spoiled);
  return cells.filter(
    ({ service, tier }, place) => cells.findIndex((one) => one.service === service && one.tier === tier) === place,
  );
}
