import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { open } from '../../../../src/commands/runs/open.ts';
import { measuring } from '../../../../src/commands/runs/previous.ts';
import { judgedByItself, reportOutcome } from '../../../../src/commands/runs/report.ts';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import { WrongPathError } from '../../../../src/measure/trial/ready.ts';
import { formatRun, type Run } from '../../../../src/model/run/run.ts';
import { catchPrinted } from '../../../support/printed.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { sampleRun } from '../../../support/sample-run.ts';
import { restService } from '../../../support/suite.ts';

const printed = catchPrinted();

let out = '';
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'previous-'));
});
afterEach(() => rmSync(out, { recursive: true }));

const previous = (...names: readonly string[]) => join(out, 'previous', ...names);
const startedAt = (...names: readonly string[]) => JSON.parse(readFileSync(join(out, ...names), 'utf8')).startedAt;

/** The run of an hour of a day: complete, or ended before its plan was. */
const runAt = (hour: number, complete: boolean, run: Run = sampleRun()): Run => ({
  ...run,
  startedAt: `2026-11-24T${String(hour).padStart(2, '0')}:00:00.000Z`,
  complete,
});

/** Measures as a command does: what was measured so far, then all of it and its reports. */
async function measure(run: Run, beforeReports: () => void = () => undefined) {
  const { written } = await measuring(
    { out },
    async ({ output }) => {
      await output.write('run.json', formatRun({ ...run, complete: false }));
      await output.write('run.json', formatRun(run));
      beforeReports();
      return judgedByItself({ run, against: undefined });
    },
    () => 0,
  );
  if (written === undefined) {
    throw new Error('nothing was written');
  }
  return written;
}

describe('a run that is not complete', () => {
  test('leaves the last complete one next to it, and says where', async () => {
    await measure(runAt(1, true));
    const before = readFileSync(join(out, 'report.html'), 'utf8');

    const written = await measure(runAt(2, false));

    expect(written.previous).toBe(previous());
    expect(readFileSync(previous('report.html'), 'utf8')).toBe(before);
    expect([startedAt('run.json'), startedAt('previous', 'run.json')].map((at) => at.slice(11, 13))).toEqual([
      '02',
      '01',
    ]);
    reportOutcome({ command: 'run', out }, written);
    expect(printed.out).toContain(`--verbose prints all tables\nlast complete run: ${previous('report.html')}\n`);
  });

  test('leaves it also if others that were not complete came before', async () => {
    await measure(runAt(1, true));
    await measure(runAt(2, false));
    await measure(runAt(3, false));

    expect(startedAt('previous', 'run.json')).toContain('T01');
    expect(startedAt('run.json')).toContain('T03');
  });

  test('is named by `--json`, too', async () => {
    await measure(runAt(1, true));

    reportOutcome({ command: 'run', json: true, out }, await measure(runAt(2, false)));

    expect(JSON.parse(printed.out)).toMatchObject({ complete: false, previous: previous() });
  });

  test('leaves nothing of the first that was not complete', async () => {
    await measure(runAt(1, false));

    expect((await measure(runAt(2, false))).previous).toBeUndefined();
    expect(existsSync(previous())).toBe(false);
  });

  test('also leaves all that a comparison had', async () => {
    await measure(runAt(1, true, sampleRounds({ worse: [{ service: 'rest', tier: 'saturation', by: 0.5 }] })));
    const before = readdirSync(out).toSorted();

    await measure(runAt(2, false));

    expect(before).toEqual(['charts', 'junit.xml', 'report.html', 'report.md', 'run.json']);
    expect(readdirSync(previous()).toSorted()).toEqual(before);
    expect(readdirSync(out).toSorted()).toEqual(['previous', 'report.html', 'report.md', 'run.json']);
  });
});

describe('a complete run', () => {
  test('takes the place of the last one', async () => {
    await measure(runAt(1, true));
    await measure(runAt(2, false));

    const written = await measure(runAt(3, true));

    expect(written.previous).toBeUndefined();
    expect(existsSync(previous())).toBe(false);
    expect(startedAt('run.json')).toContain('T03');
  });

  test('removes nothing from the folder `previous` that no run left there', async () => {
    mkdirSync(previous());
    writeFileSync(previous('notes.txt'), 'mine');

    await measure(runAt(1, true));

    expect(readdirSync(previous())).toEqual(['notes.txt']);
  });
});

describe('a file that the disk does not take', () => {
  test('ends no measurement: its outcome is printed before the error', async () => {
    mkdirSync(join(out, 'run.json'));

    await expect(measure(runAt(1, true))).rejects.toMatchObject({ code: 'WG-207' });

    expect(printed.err.match(/the measurement goes on/g)).toHaveLength(1);
    expect(printed.out).toMatch(/REST|rest/);
  });

  test('is written at the end if it is taken by then', async () => {
    mkdirSync(join(out, 'run.json'));

    await measure(runAt(1, true), () => rmdirSync(join(out, 'run.json')));

    expect(startedAt('run.json')).toContain('T01');
    expect(printed.out).toBe('');
  });
});

describe('a measurement that fails', () => {
  const failing = (writes: boolean) =>
    measuring(
      { out },
      async ({ output }) => {
        if (writes) {
          await output.write('run.json', formatRun(runAt(2, false)));
        }
        throw new MeasurementError('rest answers otherwise than before');
      },
      () => 0,
    );

  test('says where the last complete run is if it began to write', async () => {
    await measure(runAt(1, true));

    await expect(failing(true)).rejects.toThrow('rest answers otherwise than before');

    expect(printed.out).toBe(`last complete run: ${previous('report.html')}\n`);
    await expect(open({ out })).rejects.toMatchObject({
      next: expect.stringContaining(`is in ${previous()}: pass that`),
    });
  });

  test('leaves everything where it is if it did not', async () => {
    await measure(runAt(1, true));

    await expect(failing(false)).rejects.toThrow();

    expect(printed.out).toBe('');
    expect(readdirSync(out).toSorted()).toEqual(['report.html', 'report.md', 'run.json']);
  });

  test('reports the routes of a service that answers only 404', async () => {
    writeFileSync(join(out, 'app.js'), "app.get('/orders', list);");
    const error = new WrongPathError('shop: is up', { service: restService('shop'), folder: out });

    await expect(
      measuring(
        { out },
        async () => await Promise.reject(error),
        () => 0,
      ),
    ).rejects.toMatchObject({
      message: 'shop: is up',
      next: expect.stringContaining('The sources have routes for GET /orders. '),
    });
  });
});

test('a file that is not a run is not the last complete one', async () => {
  writeFileSync(join(out, 'run.json'), '{"schema":1}');

  expect((await measure(runAt(1, false))).previous).toBeUndefined();
});
