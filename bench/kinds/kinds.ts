/**
 * Twelve kinds of changes in Python and Go as instructions, CPU time and the rate at saturation show them:
 * `npm run bench:kinds -- [--part counts] [--part rounds] [--language python] [--kind json]... [--keep build/kinds.json] [--plot docs/images/kinds.svg]`.
 * Results are kept, and new ones added. It needs two cores, Valgrind, Go, openssl and `scripts/uv sync --all-packages`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { countedRequest } from './counts.ts';
import { type Kept, KINDS, keptName, LANGUAGE_KEYS, type Language, type Variant } from './kind.ts';
import { plotOf } from './plot.ts';
import { measuredRounds } from './rounds.ts';
import { openScene, type Scene } from './service.ts';
import { tableOf } from './table.ts';

const { values } = parseArgs({
  options: {
    part: { type: 'string', multiple: true, default: ['counts', 'rounds'] },
    language: { type: 'string', multiple: true, default: [...LANGUAGE_KEYS] },
    kind: { type: 'string', multiple: true, default: ['none', ...KINDS.keys()] },
    keep: { type: 'string', default: 'build/kinds.json' },
    plot: { type: 'string', default: 'docs/images/kinds.svg' },
  },
});

const file = resolve(values.keep);
let kept: Kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { counts: {}, rounds: {} };
const chosen = (values.language as readonly Language[]).flatMap((language) =>
  (values.kind as readonly Variant[]).map((variant) => [language, variant] as const),
);

{
  await using scene = await openScene();
  if (values.part.includes('counts')) {
    await countAll(scene);
  }
  for (const [language, variant] of values.part.includes('rounds') ? chosen : []) {
    if (variant !== 'none') {
      const found = await measuredRounds(scene, language, variant);
      keep({ ...kept, rounds: { ...kept.rounds, [keptName(language, variant)]: found } });
    }
  }
}
writeFileSync(values.plot, plotOf(kept));
console.log(tableOf(kept));

/** On both cores at once: a count does not follow from what else runs. */
async function countAll(scene: Scene): Promise<void> {
  const left = [...chosen];
  const worker = async (core: number): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [language, variant] = next;
      const found = await countedRequest(scene, { language, variant, core });
      keep({ ...kept, counts: { ...kept.counts, [keptName(language, variant)]: found } });
    }
  };
  await Promise.all([worker(0), worker(1)]);
}

function keep(next: Kept): void {
  kept = next;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(kept));
}
