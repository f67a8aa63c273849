import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { GENERATED } from '../../../../scripts/generated/documents.ts';
import { cell, table, withGenerated } from '../../../../scripts/generated/markdown-table.ts';
import { mapAt } from '../../../../scripts/generated/schema/places.ts';
import { configSchema } from '../../../../scripts/generated/schema/schema.ts';
import { withSchemaTables } from '../../../../scripts/generated/schema/tables.ts';

test.each(Object.entries(GENERATED))('%s repeats what the source says: `npm run readme` writes it', (file, fill) => {
  const text = readFileSync(file, 'utf8');

  expect(fill(text)).toBe(text);
});

const config = readFileSync('docs/config.md', 'utf8');

describe('the reference of wiregauge.yml', () => {
  const schema = configSchema();

  /** The places of all maps in which users write keys. */
  function placesBelow(place: readonly string[]): readonly string[] {
    const keys = Object.keys(mapAt(schema, place).properties ?? {});
    const maps = keys.map((key) => [...place, key]).filter(isMap);
    return maps.flatMap((below) => [below.join('.'), ...placesBelow(below)]);
  }

  function isMap(place: readonly string[]): boolean {
    try {
      return mapAt(schema, place).properties !== undefined;
    } catch {
      return false;
    }
  }

  /** Told by other means than a table of keys. */
  const IN_WORDS = [
    'factorial.lead',
    'operations.graphql.query',
    'operations.grpc.messages',
    'policy.drift',
    'services.manifests',
    ...['image', 'limits', 'manifests', 'metrics', 'process', 'ready'].map((key) => `services.members.${key}`),
    'services.needs.image',
    'services.needs.limits',
    'services.needs.manifests',
    'services.needs.process',
    'services.needs.ready',
    'services.prepare',
    'services.profiler',
    'services.proto',
    'sweep.panels',
    'tiers.network',
    'tiers.stages',
  ];

  it('has a table of every map', () => {
    const lacking = placesBelow([]).filter((place) => !config.includes(`<!-- the schema: ${place} -->`));

    // Those of a service, and its requests, are the same as those of the file.
    const reported = lacking.filter(
      (place) => !/^(?:published\.|services\.operations|services\.prepare\.)/.test(place),
    );
    expect(reported.sort()).toEqual(IN_WORDS);
  });

  it('says of every key what it is', () => {
    const rows = [...config.matchAll(/^\| \[?`(\w+)`.*\|\s*$/gm)].map(([row]) => row);

    expect(rows.length).toBeGreaterThan(80);
    expect(rows.filter((row) => /\|\s*\|$/.test(row))).toEqual([]);
  });

  it.each([
    ['protocol', /^\| `protocol` +\| `rest`.* `grpc`.*, required +\| Its protocol/m],
    ['a list of lists', /^\| `build` +\| string\[\]\[\] +\| Commands/m],
    ['a default', /^\| `weight` +\| number = `1` +\|/m],
    ['a link to its section', /^\| \[`tls`\]\(#tls\) +\| map +\|/m],
    ['settings', /^\| \[`environment`\]\(#secrets\) +\| map of strings +\|/m],
    ['a body', /^\| `body` +\| any +\|/m],
    ['what a need shares with a service', /^\| `image`, .*`files`.* As in \[`services`\]\(#a-service\)\./m],
  ])('has %s', (_what, row) => {
    expect(config).toMatch(row);
  });

  it('refuses a place that there is not', () => {
    expect(() => withSchemaTables('<!-- the schema: services.nothing (x) -->\n<!-- end -->\n')).toThrow(
      /services\.nothing/,
    );
  });
});

describe('a table', () => {
  it('escapes what would end a cell or begin a tag, and leaves code as it is', () => {
    expect(cell('a|b <c> `<d>|`')).toBe('a\\|b &lt;c> `<d>\\|`');
  });

  it('has columns of equal width', () => {
    expect(
      table([
        ['a', 'long'],
        ['bcde', 'f'],
      ]),
    ).toEqual(['| a    | long |', '| ---- | ---- |', '| bcde | f    |']);
  });

  it('is between its marks, and nothing else is touched', () => {
    const text = 'x\n<!-- a.b (c) -->\nold\n<!-- end -->\ny\n<!-- axb (c) -->\nkept\n<!-- end -->\n';

    expect(withGenerated(text, 'a.b', ['new'])).toBe(text.replace('old\n', '\nnew\n\n'));
  });
});
