/**
 * How often a run is suspicious against stored ones, by simulation: unchanged runs and slower ones in families of 1, 10 and 40
 * comparisons, with noise of 6%, alpha 2% and a threshold of 5%; then how many of the 200 runs after a step are. An argument is the number of families and
 * of histories.
 */

import { familyShares, RULE_NAMES } from './families.ts';
import { NOISES } from './noise.ts';
import { suspiciousAfter } from './steps.ts';

const FAMILIES = 200;
const HISTORIES_SHARE = 0.05;
const families = Number(process.argv[2] ?? FAMILIES);

console.log(`suspicious unchanged runs, and runs slower by 10/20/30%; ${families} families each`);
console.log(['noise', 'runs', 'family', ...RULE_NAMES].join(' | '));
for (const noise of Object.keys(NOISES)) {
  for (const runs of [20, 30]) {
    for (const size of [1, 10, 40]) {
      const shares = familyShares({ noise, runs, size, families });
      const texts = shares.map(
        ({ unchanged, slower }) => `${percent(unchanged, 1)}, ${slower.map((share) => percent(share, 0)).join('/')}`,
      );
      console.log([noise, runs, size, ...texts].join(' | '));
    }
  }
}

const histories = Math.max(1, Math.round(families * HISTORIES_SHARE));
console.log(`\nsuspicious ones of the 200 runs after a step; ${histories} histories each`);
for (const noise of Object.keys(NOISES)) {
  const counts = [0, 0.1, 0.2, 0.3, -0.3].map((change) => {
    const size = `${change < 0 ? '' : '+'}${Math.round(100 * change)}%`;
    return `${size}: ${suspiciousAfter({ noise, change, histories }).toFixed(1)}`;
  });
  console.log(`${noise} | ${counts.join(' | ')}`);
}

function percent(share: number, digits: number): string {
  return (100 * share).toFixed(digits);
}
