/**
 * CPU time and memory of the log writer, the redaction of logs and the file reader on 1 GB of hostile output:
 * `npm run bench:hostile -- [--megabytes 1024]`. Each kind of text is played in pieces of 1 and 16 MB, so that a time that grows faster than the
 * text shows as a ratio over 1; the goal is a ratio of at most 2, and 600 MB of memory more than at the start at any time, but for what is
 * read itself: 256 MiB at most, and as text once more.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startChild } from '../src/host/child.ts';
import { readText } from '../src/host/files/reader.ts';
import { printedText } from '../src/host/terminal/output.ts';
import { relevantLines } from '../src/model/secrets/printed.ts';

const { values } = parseArgs({ options: { megabytes: { type: 'string', default: '1024' } } });

const MB = 2 ** 20;
const PIECES_MB = [1, 16] as const;
const MAX_RATIO = 2;
const MAX_MEMORY_MB = 600;
const MAX_READ_MB = 256;

/** Text that is repeated to a piece. */
const KINDS: Readonly<Record<string, string>> = {
  'commands of a workflow': '::set-output name=outcome::passed\n##[error]forged\n',
  'colons without a line': '::::::::::::::::',
  'escapes and marks of direction': '\u001b[2J\u001b]0;title\u0007\u202egnp.exe\u2066\u0085',
  'beginnings of tokens': 'eyJ-eyJ_',
  'words of secrets': 'password= token: authorization: bearer ',
  'addresses with passwords': 'https://user:',
  'overwritten lines': 'progress 99%\r',
};

const LOG_ENVIRONMENT = { GITHUB_ACTIONS: 'true' };
const stream = { isTTY: false } as const;

const WORK: Readonly<Record<string, (text: string) => unknown>> = {
  writer: (text) => printedText(text, stream, LOG_ENVIRONMENT),
  redaction: (text) => relevantLines(text, {}),
};

const rows: string[][] = [];
let isOver = false;
const peak = (): number => process.resourceUsage().maxRSS / 1024;
const atStart = peak();
const pieces = Number(values.megabytes) / Object.keys(KINDS).length / Object.keys(WORK).length;

for (const [work, play] of Object.entries(WORK)) {
  for (const [kind, part] of Object.entries(KINDS)) {
    const rates = PIECES_MB.map((size) => {
      const text = part.repeat(Math.ceil((size * MB) / part.length));
      const count = Math.max(1, Math.round(pieces / PIECES_MB.length / size));
      const before = process.cpuUsage();
      for (let piece = 0; piece < count; piece += 1) {
        play(text);
      }
      return cpuSeconds(before) / (count * size);
    });
    const [small = 0, large = 0] = rates;
    report(`${work}: ${kind}`, { secondsPerMb: large, ratio: small === 0 ? 1 : large / small });
  }
}

const folder = mkdtempSync(join(tmpdir(), 'bench-hostile-'));
try {
  const before = process.cpuUsage();
  const script = `yes '${'flood '.repeat(20)}' | head -c ${Number(values.megabytes) * MB}`;
  const child = await startChild({ argv: ['sh', '-c', script], cwd: folder, environment: process.env });
  await child.ended;
  report('log of a child', { secondsPerMb: cpuSeconds(before) / Number(values.megabytes), ratio: 1 });
  const file = join(folder, 'packed');
  for (const size of [250, 1000]) {
    execFileSync('sh', ['-c', `yes a | head -c ${size * MB} | gzip -1 > '${file}'`]);
    const start = process.cpuUsage();
    let outcome = 'read';
    try {
      readText(file, 'Pass a file.');
    } catch (thrown) {
      outcome = thrown instanceof Error ? thrown.message.replace(file, 'it') : String(thrown);
    }
    report(`reader: ${size} MB in gzip (${outcome})`, { secondsPerMb: cpuSeconds(start) / size, ratio: 1 });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function cpuSeconds(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function report(
  what: string,
  { secondsPerMb, ratio }: { readonly secondsPerMb: number; readonly ratio: number },
): void {
  const memory = peak() - atStart;
  isOver ||= ratio > MAX_RATIO || memory > MAX_MEMORY_MB + (what.startsWith('reader') ? 2 * MAX_READ_MB : 0);
  rows.push([
    what,
    `${(secondsPerMb * 1000).toFixed(2)} ms of CPU per MB`,
    `ratio ${ratio.toFixed(2)}`,
    `at most ${memory.toFixed(0)} MB more so far`,
  ]);
  console.log(rows.at(-1)?.join('\t'));
}

process.exitCode = isOver ? 1 : 0;
