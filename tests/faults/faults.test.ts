import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { requires } from '../support/requires.ts';
import { play } from './play.ts';
import { ROWS } from './rows.ts';

const NIGHTLY = process.env['WIREGAUGE_FAULTS'] === 'all';
const FEWEST = 168;

describe('the table of faults', () => {
  test(`has at least ${FEWEST} cases, each once`, () => {
    const names = ROWS.map(({ fault }) => fault);

    expect(names.length).toBeGreaterThanOrEqual(FEWEST);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test('names tests that exist', () => {
    const missing = ROWS.filter(({ by }) => 'file' in by && !readFileSync(by.file, 'utf8').includes(by.name));

    expect(missing).toEqual([]);
  });

  test('has the rows that SECURITY.md names', () => {
    const [, section = ''] = readFileSync('SECURITY.md', 'utf8').split('## Faults and hostile inputs');
    const named = [...section.matchAll(/^\| .* \| (.*?) +\|$/gm)]
      .map(([, row]) => row)
      .filter((row) => !/^(?:row|-+)$/.test(row ?? ''));

    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((row) => !ROWS.some(({ fault }) => fault === row))).toEqual([]);
  });

  test('has a case for each fault that was found', () => {
    const found = Array.from({ length: 22 }, (_, index) => `H${index + 1}`);

    expect(found.filter((id) => !ROWS.some((row) => row.found === id))).toEqual([]);
  });
});

describe('a fault or a hostile input', () => {
  for (const { fault, by, nightly = false, needs } of ROWS) {
    if (!('file' in by)) {
      test.runIf((NIGHTLY || !nightly) && (needs === undefined || requires(needs)))(fault, () => play(by));
    }
  }
});
