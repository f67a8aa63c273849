import { formatCount } from '../../foundation/numbers.ts';
import { networkWords } from './network.ts';
import { isClosed, isStaged, mostUsers, type Tier } from './suite.ts';

/** Name of a tier: "500 users", "800/s with rtt 20 ms", "50 users at full rate", with their operations: "500 users (ListUsers)". */
export function tierWords(tier: Tier): string {
  const network = tier.network === undefined ? '' : ` with ${networkWords(tier.network)}`;
  const operations = tier.operations === undefined ? '' : ` (${tier.operations.join(', ')})`;
  return `${loadWords(tier)}${network}${operations}`;
}

function loadWords(tier: Tier): string {
  if ('requestsPerSecond' in tier) {
    return `${formatCount(tier.requestsPerSecond)}/s`;
  }
  if (isStaged(tier)) {
    return `up to ${formatCount(mostUsers(tier.stages))}${USERS}`;
  }
  const users = tier.users === 1 ? '1 user' : `${formatCount(tier.users)}${USERS}`;
  return `${users}${isClosed(tier) && tier.requestsPerUser === undefined ? ' at full rate' : ''}`;
}

/** End of the name of tiers with users. */
export const USERS = ' users';

/** The same with its name in configurations and on the trend page: "500 users (medium)". */
export function tierTitle(tier: Tier): string {
  return `${tierWords(tier)} (${tier.name})`;
}
