import { afterEach, expect, test, vi } from 'vitest';
import { formatResult, printResult } from '../../../../src/commands/program/result.ts';
import { remarkLog } from '../../../../src/host/terminal/output.ts';

afterEach(() => vi.restoreAllMocks());

test('a document says its schema and its command, and rounds fractions only', () => {
  expect(formatResult('plan', { seed: 1234567891, share: 0.123456789, text: 'x', none: undefined })).toBe(
    '{\n  "schema": 1,\n  "command": "plan",\n  "seed": 1234567891,\n  "share": 0.123457,\n  "text": "x"\n}\n',
  );
});

test('a document holds nothing that a terminal would obey, and means the same', () => {
  const name = 'a\u001b[2J\u009b2J\u007f\u202e\u2028\u2066\u{1f600}';

  const text = formatResult('judge', { name });

  expect(text).toMatch(/^[\n\x20-\x7e\u{1f600}]+$/u);
  expect(JSON.parse(text)).toMatchObject({ name });
});

test.each([
  [true, 'remark\n', '{\n  "schema": 1,\n  "command": "clean",\n  "removed": []\n}\n'],
  [false, '', 'remark\nnothing\n'],
])('with --json %j remarks stay out of the result', (json, errors, output) => {
  const streams = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      streams[name] += String(text);
      return true;
    });
  }

  remarkLog({ json })('remark');
  printResult({ command: 'clean', json }, { removed: [] }, 'nothing\n');

  expect(streams).toEqual({ stdout: output, stderr: errors });
});
