import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { describe, expect, it } from 'vitest';
import type { ProgressState } from '../../../../src/host/terminal/progress.ts';
import { barLine, openProgress, plainLine } from '../../../../src/host/terminal/progress.ts';

const STATE: ProgressState = {
  doneSeconds: 30,
  totalSeconds: 120,
  label: 'rest tier high (1000 users)',
  phase: 'measuring',
  offeredRps: 3333.4,
  achievedRps: 3330.6,
};
const PLAIN = { width: 200, colors: false, unicode: false };

function stream(terminal: boolean, columns = 100) {
  const written = new PassThrough();
  const text = () => String(written.read() ?? '');
  return { stream: Object.assign(written, { isTTY: terminal, columns }) as unknown as WriteStream, text };
}

describe('barLine', () => {
  it('shows bar, share, label, phase, rates and time left', () => {
    expect(barLine(STATE, PLAIN)).toBe(
      '#####---------------  25% rest tier high (1000 users) | measuring | offered 3333/s, achieved 3331/s | 01:30 left',
    );
  });

  it('leaves out rates that are not known', () => {
    const { offeredRps: _offered, achievedRps: _achieved, ...rest } = STATE;

    expect(barLine({ ...rest, offeredRps: undefined, achievedRps: undefined }, PLAIN)).toBe(
      '#####---------------  25% rest tier high (1000 users) | measuring | 01:30 left',
    );
  });

  it.each([1, 5, 10, 20, 40, 69, 70, 80, 120])('stays below a width of %i', (width) => {
    expect([...barLine(STATE, { ...PLAIN, width })].length).toBeLessThan(width);
    expect([...barLine(STATE, { ...PLAIN, width, unicode: true })].length).toBeLessThan(width);
  });

  it('gives up the wide bar first, then the rates, then part of the label, and never the time left', () => {
    const at = (width: number) => barLine(STATE, { ...PLAIN, width });

    expect(at(112)).toBe(
      '##------  25% rest tier high (1000 users) | measuring | offered 3333/s, achieved 3331/s | 01:30 left',
    );
    expect(at(80)).toBe('##------  25% rest tier high (1000 users) | measuring | 01:30 left');
    expect(at(50)).toBe('##------  25% rest tier high (1000 u | 01:30 left');
  });

  it('is neither below 0 nor above 100 per cent', () => {
    expect(barLine({ ...STATE, doneSeconds: 500 }, PLAIN)).toMatch(/^#{20} 100% .* 00:00 left$/);
    expect(barLine({ ...STATE, doneSeconds: -5 }, PLAIN)).toMatch(/^-{20} {3}0% /);
    expect(barLine({ ...STATE, doneSeconds: 0, totalSeconds: 0 }, PLAIN)).toMatch(/ 0% /);
  });

  it('colors only where it may', () => {
    expect(barLine(STATE, { ...PLAIN, colors: true })).toContain('\u001b[36m');
    expect(barLine(STATE, PLAIN)).not.toContain('\u001b');
  });
});

describe('openProgress without a terminal', () => {
  it('prints one line per change of label or phase, without control characters', () => {
    const { stream: out, text } = stream(false);
    const progress = openProgress(out, {});

    progress.show(STATE);
    progress.show({ ...STATE, doneSeconds: 31 });
    progress.show({ ...STATE, label: 'rest round 3', isFleeting: true });
    progress.show({ ...STATE, phase: 'ramp' });
    progress.line('a line that stays');
    progress.show({ ...STATE, phase: 'ramp', doneSeconds: 40 });
    progress.show(STATE);
    progress.finish();

    expect(text().trimEnd().split('\n')).toEqual([
      plainLine(STATE),
      plainLine({ ...STATE, phase: 'ramp' }),
      'a line that stays',
      plainLine(STATE),
    ]);
    expect(plainLine(STATE)).toBe(
      '[25%] rest tier high (1000 users): measuring, offered 3333/s, achieved 3331/s, 01:30 left',
    );
  });

  it.each([{ CI: 'true' }, { TERM: 'dumb' }])('is plain on a terminal with %o', (environment) => {
    const { stream: out, text } = stream(true);

    openProgress(out, environment).show(STATE);

    expect(text()).toBe(`${plainLine(STATE)}\n`);
  });
});

describe('openProgress on a terminal', () => {
  const environment = { TERM: 'xterm', LANG: 'C', NO_COLOR: '1' };

  it('draws one line, clears it before a line that stays, and clears it at the end', () => {
    const { stream: out, text } = stream(true);
    const progress = openProgress(out, environment);
    const bar = barLine(STATE, { ...PLAIN, width: 100 });

    progress.show(STATE);
    expect(text()).toBe(`\u001b[?25l\r\u001b[2K${bar}`);

    progress.line('kept');
    expect(text()).toBe(`\r\u001b[2Kkept\n\r\u001b[2K${bar}`);

    progress.finish();
    expect(text()).toBe('\r\u001b[2K\u001b[?25h');

    progress.finish();
    progress.line('after');
    expect(text()).toBe('after\n');
  });

  it('redraws at most ten times a second, and shows the last state in the end', async () => {
    const { stream: out, text } = stream(true);
    const progress = openProgress(out, environment);

    for (let done = 0; done <= 100; done += 1) {
      progress.show({ ...STATE, doneSeconds: done, totalSeconds: 100 });
    }

    let drawn = '';
    await expect.poll(() => (drawn += text()), { timeout: 5000 }).toContain('100%');
    // One at once, one when the pause is over.
    expect(drawn.match(/\[2K/g)).toHaveLength(2);
    progress.finish();
  });
});

describe('in a GitHub workflow', () => {
  const GITHUB = { GITHUB_ACTIONS: 'true', CI: 'true' };

  it('a chapter is a group, and a new one or the end closes it', () => {
    const { stream: to, text } = stream(false);
    const progress = openProgress(to, GITHUB);

    progress.chapter('Build 100% of\nit');
    progress.line('built');
    progress.chapter('Rounds');
    progress.finish();
    progress.finish();

    expect(text().split('\n')).toEqual([
      '::group::Build 100%25 of%0Ait',
      'built',
      '::endgroup::',
      '::group::Rounds',
      '::endgroup::',
      '',
    ]);
  });

  it('a line is not a command, for any output of a service', () => {
    const { stream: to, text } = stream(false);

    openProgress(to, GITHUB).line('rest: failed:\n  ::set-output name=x::1\n::error::y\nz ##[command]w');

    expect(text()).not.toMatch(/^\s*::/m);
    expect(text()).not.toContain('##[');
  });

  it('elsewhere there are no commands', () => {
    const { stream: to, text } = stream(false);
    const progress = openProgress(to, {});

    progress.chapter('Build');
    progress.line('built');

    expect(text()).toBe('built\n');
  });
});
