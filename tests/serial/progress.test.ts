import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const COLOR = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
const PROGRAM = [
  process.execPath,
  '--import',
  'tsx',
  join(import.meta.dirname, '../integration/progress-show.ts'),
  '25',
];

// Runs a program on a pseudo-terminal of 60 columns and copies what it prints.
const ON_TERMINAL = `
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 60, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
while True:
    try:
        text = os.read(terminal, 4096)
    except OSError:
        break
    if not text:
        break
    sys.stdout.buffer.write(text)
os.waitpid(pid, 0)
`;

async function outputOf([program = '', ...rest]: readonly string[], environment: Record<string, string>) {
  const { CI: _ci, NO_COLOR: _noColor, FORCE_COLOR: _force, ...inherited } = process.env;
  const env = { ...inherited, TERM: 'xterm', LC_ALL: 'C.UTF-8', ...environment };
  const child = spawn(program, rest, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  await once(child, 'close');
  return text;
}

const onTerminal = (environment = {}) => outputOf(['python3', '-c', ON_TERMINAL, ...PROGRAM], environment);

describe('openProgress', () => {
  it('redraws one line on a terminal, within its width, and leaves it as it was', async () => {
    const text = await onTerminal();

    const [before = '', ...drawn] = text.split('\r\u001b[2K');
    expect(before).toBe('plan: two services\r\n\u001b[?25l');
    expect(drawn.at(-1)).toBe('\u001b[?25hdone\r\n');
    expect(drawn).toContain('a line that stays\r\n');
    const bars = drawn.filter((line) => line.includes('left')).map((line) => line.replaceAll(COLOR, ''));
    // One of the first states, one below the line that stays, and the last at least; never all of the 21 states.
    expect(bars.length).toBeGreaterThanOrEqual(3);
    expect(bars.length).toBeLessThan(21);
    for (const bar of bars) {
      expect([...bar].length).toBeLessThan(60);
    }
    expect(bars.at(0)).toMatch(/^░{8} {3}\d% rest tier high .* · 01:(40|3\d) left$/);
  });

  it('has no colors under NO_COLOR', async () => {
    expect(await onTerminal({ NO_COLOR: '1' })).not.toMatch(COLOR);
    expect(await onTerminal()).toMatch(COLOR);
  });

  it('prints plain lines where there is no terminal, and under CI', async () => {
    const lines = [
      'plan: two services',
      '[0%] rest tier high (1000 users): warm-up, offered 3333/s, 01:40 left',
      '[50%] rest tier high (1000 users): measuring, offered 3333/s, achieved 3331/s, 00:50 left',
      'a line that stays',
      'done',
    ];

    expect(await outputOf(PROGRAM, {})).toBe(`${lines.join('\n')}\n`);
    expect(await onTerminal({ CI: 'true' })).toBe(`${lines.join('\r\n')}\r\n`);
  });
});
