import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { print, printCommand, printedText, printJson } from '../../../../src/host/terminal/output.ts';

let written: string;

beforeEach(() => {
  written = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** What a service, a process title, an artifact and the holder of a lock may say. */
const HOSTILE = [
  '::set-output name=outcome::passed',
  '  ::error::no',
  'a\n::add-mask::a',
  'a\r\n::warning::no',
  'a\r::stop-commands::x',
  '\u200b::error::behind what nobody sees',
  ':\u200b:error::split by what nobody sees',
  ':\u001b[1m:error::split by a color',
  'x ##[error]y',
  '#\u00ad#[group]y',
  '\u001b]0;title\u0007\u001b[2J\u009b2J\u0085\u007f',
  '\u202egpj.exe\u2066\u061c\ufeff',
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be gone.
const STEERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;

/** As the runner of GitHub looks for them: at the start of a line behind spaces, and those of the older kind anywhere. */
const isCommand = (text: string) =>
  text.split('\n').some((line) => line.trimStart().startsWith('::') || line.includes('##['));

describe.each(['', 'true'])('with GITHUB_ACTIONS=%j', (inWorkflow) => {
  beforeEach(() => vi.stubEnv('GITHUB_ACTIONS', inWorkflow));

  test.each(HOSTILE)('%j steers nothing as text, as JSON and in a command', (text) => {
    print(`${text}\n`);
    printJson(`${JSON.stringify({ text: [text] }, null, 2)}\n`);
    if (inWorkflow === 'true') {
      expect(isCommand(written)).toBe(false);
    }
    const before = written.length;
    printCommand({ name: 'error', text, title: text, path: text });
    expect(written).not.toMatch(STEERS);
    expect(written.slice(before)).toMatch(/^::error title=[^:,\n]*,file=[^:,\n]*::[^\n]*\n$/);
  });

  test.each(HOSTILE)('%j is the same text after JSON', (text) => {
    printJson(JSON.stringify({ text }));
    expect(JSON.parse(written)).toEqual({ text });
  });
});

test('colors of its own stay where they are shown, tabs and lines anywhere', () => {
  const text = '\u001b[1mstrong\u001b[22m\t\u001b[8mconcealed\u001b[0m\n';
  expect(printedText(text, { isTTY: true }, { TERM: 'xterm' })).toBe('\u001b[1mstrong\u001b[22m\t [8mconcealed [0m\n');
  expect(printedText(text, { isTTY: false }, {})).toBe(' [1mstrong [22m\t [8mconcealed [0m\n');
});

describe('a text of any length', () => {
  const IN_WORKFLOW = { GITHUB_ACTIONS: 'true' };
  const LONG = 2 ** 16;

  test.each([LONG - 12, LONG - 2, LONG - 1, LONG, 3 * LONG - 1])(
    'is not a command after %d other characters',
    (length) => {
      for (const filler of ['.', ':', '\u001b', 'a', 'a\n']) {
        for (const command of ['::error::x', '##[error]x']) {
          const text = filler.repeat(length).slice(-length) + command;

          expect(isCommand(printedText(text, { isTTY: false }, IN_WORKFLOW))).toBe(false);
        }
      }
    },
  );

  test('keeps its lines as they are, and breaks those that are too long', () => {
    const lines = 'A line of text\r\n'.repeat(LONG / 4);
    const flood = 'x'.repeat(3 * LONG);

    expect(printedText(lines, { isTTY: false }, IN_WORKFLOW)).toBe(lines.replaceAll('\r', ''));
    const broken = printedText(flood, { isTTY: false }, IN_WORKFLOW);
    expect(broken.replaceAll('\n', '')).toBe(flood);
    expect(broken.split('\n').every((line) => line.length <= LONG)).toBe(true);
  });

  test.each(['', 'true'])('stays one line as JSON with GITHUB_ACTIONS=%j', (inWorkflow) => {
    vi.stubEnv('GITHUB_ACTIONS', inWorkflow);
    const flood = '::x##['.repeat(LONG);

    printJson(`${JSON.stringify({ flood })}\n`);

    expect(written.split('\n')).toHaveLength(2);
    expect(JSON.parse(written)).toEqual({ flood });
  });
});
