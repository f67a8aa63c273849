import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isNode, isScalar, parseDocument } from 'yaml';
import { servicesIn, suitesIn } from '../../src/project/suite.ts';
import { type Kind, nameMistakes, titleMistakes, titleOf } from './kind.ts';

/** Suite of existing services: one file below `suites`. */
export const suite: Kind = {
  about: 'a suite of services of this workspace: suites/<name>.yml',
  options: {
    services: ['<names>', 'what it measures, with commas between them, the reference first; default: rest'],
    title: ['<text>', 'what reports call it; default: made from the name'],
  },

  mistakes({ name, options }, root) {
    const known = servicesIn(root);
    const services = namesIn(options['services']);
    const unknown = services.filter((one) => !known.includes(one));
    const twice = services.find((one, place) => services.indexOf(one) < place);
    return [
      ...nameMistakes(name),
      ...(existsSync(join(root, `suites/${name}.yml`)) ? [`suites/${name}.yml already exists`] : []),
      ...(unknown.length > 0 ? [`there is no service ${unknown.join(', nor ')}; there are ${known.join(', ')}`] : []),
      ...(twice === undefined ? [] : [`--services names ${twice} twice`]),
      ...titleMistakes(options),
    ];
  },

  make(wish, root) {
    const { name } = wish;
    const services = namesIn(wish.options['services']);
    const from = suiteWith(services, root);
    const text = `${[
      `name: ${name}`,
      `title: ${titleOf(wish)}`,
      `services: [${services.join(', ')}]`,
      ...(from === undefined ? GREETING : [`# As in ${from.file}.`, from.operations]),
      'tiers:',
      '  - { name: low, users: 100, spawnPerSecond: 10, thinkSeconds: 0.3 }',
      '  - { name: high, users: 500, spawnPerSecond: 50, thinkSeconds: 0.3 }',
      'saturation: { workers: 50 }',
    ].join('\n')}\n`;
    return {
      written: { [`suites/${name}.yml`]: text },
      changed: {},
      commands: [],
      next: [
        `npx tsx src/cli.ts config show --suite ${name}      what Wiregauge reads in it`,
        `scripts/bench --suite ${name} --profile smoke      measures it, briefly`,
        'docs/config.md describes every key: other operations, tiers, thresholds.',
      ],
    };
  },
};

/** Response of the scaffold of a service. */
const GREETING = [
  'operations:',
  '  - name: Greet',
  '    arguments: [{ name: Ada }, { name: Grace }]',
  '    rest: GET /greeting/{name}',
];

function namesIn(services = 'rest'): readonly string[] {
  return services.split(',').map((one) => one.trim());
}

/** Suite that measures all of the services and the fewest others, and the text of its operations. */
function suiteWith(services: readonly string[], root: string) {
  const suites = suitesIn(root).map(({ suite: { name, services: measured } }) => ({
    file: `suites/${name}.yml`,
    measured,
  }));
  for (const { file, measured } of suites.toSorted((one, other) => one.measured.length - other.measured.length)) {
    if (!services.every((one) => measured.includes(one))) {
      continue;
    }
    const text = readFileSync(join(root, file), 'utf8');
    const { contents } = parseDocument(text);
    const pair = isMap(contents)
      ? contents.items.find(({ key }) => isScalar(key) && key.value === 'operations')
      : undefined;
    if (isNode(pair?.key) && isNode(pair.value)) {
      return { file, operations: text.slice(pair.key.range?.[0], pair.value.range?.[1]).trim() };
    }
  }
  return undefined;
}
