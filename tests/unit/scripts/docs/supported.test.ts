import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROTOCOL_NAMES, PROTOCOL_TITLES } from '../../../../src/model/service.ts';
import { generatorFor } from '../../../../src/protocols/protocols.ts';

/** The cells of each row of the table of commands, by the first of them. */
function commandTable() {
  const [, text = ''] = readFileSync('docs/supported.md', 'utf8').split('## Commands by protocol');
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
  const [[, ...titles] = [], , ...others] = rows;
  return { titles, rows: new Map(others.map(([head = '', ...cells]) => [head, cells])) };
}

describe('the table of what each command does', () => {
  const { titles, rows } = commandTable();

  it('has a column for each protocol', () => {
    expect(titles).toEqual(PROTOCOL_NAMES.map((name) => PROTOCOL_TITLES[name]));
    for (const [head, cells] of rows) {
      expect(cells, head).toHaveLength(titles.length);
    }
  });

  it('names what loads each of them', () => {
    for (const [index, name] of PROTOCOL_NAMES.entries()) {
      const tool = generatorFor(name);
      const library = tool === 'websocket' ? /coder\/websocket/ : new RegExp(tool);
      expect(rows.get('load, by the driver with the library')?.[index], name).toMatch(library);
    }
  });
});
