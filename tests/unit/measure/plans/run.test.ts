import { describe, expect, test } from 'vitest';
import type { ProgressState } from '../../../../src/host/terminal/progress.ts';
import { measureRun } from '../../../../src/measure/plans/run.ts';
import type { BlockLoad } from '../../../../src/model/load.ts';
import { plannedSeconds, planRun, SOAK } from '../../../../src/model/plan.ts';
import { parseRun } from '../../../../src/model/run/run.ts';
import { secretsFrom } from '../../../../src/model/secrets/secrets.ts';
import { networkWords } from '../../../../src/model/suite/network.ts';
import { type FakeBench, fakeBench, runFactsFor } from '../../../support/fakes.ts';
import { recordedFile } from '../../../support/record-file.ts';

const measure = (bench: FakeBench) => measureRun(bench, runFactsFor(bench));

describe('benchmark', () => {
  test('gives every cell a sample, from a fresh start for each trial', async () => {
    const bench = fakeBench();

    const run = await measure(bench);

    const cells = new Set(run.samples.map(({ cell }) => `${cell.service}/${cell.operation}/${cell.tier}`));
    expect(cells.size).toBe(2 * 3 * 4);
    expect(run.complete).toBe(true);
    expect(bench.started).toHaveLength(2 + 8);
    expect(bench.stopped).toHaveLength(2 + 8);
  });

  test('writes a readable run after every trial, incomplete until the last', async () => {
    const bench = fakeBench();

    await measure(bench);

    const runs = bench.written.map((text) => parseRun(text, 'run.json'));
    expect(runs.map(({ samples }) => samples.length)).toEqual([3, 6, 9, 12, 15, 18, 21, 24, 24]);
    expect(runs.map(({ complete }) => complete)).toEqual([...Array(8).fill(false), true]);
  });

  test('begins no trial that would not end within the budget, and says how many it cut', async () => {
    const bench = fakeBench();
    const seconds = plannedSeconds(bench.plan, { runtime: 'process', services: bench.services });

    const run = await measure({ ...bench, budgetSeconds: seconds / 2 });

    const cut = run.plan.cut?.slots ?? 0;
    expect(cut).toBeGreaterThan(0);
    expect(bench.started).toHaveLength(2 + 8 - cut);
    expect(run).toMatchObject({ complete: false, failures: [], plan: { cut: { slots: cut, rounds: 0 } } });
    expect(parseRun(bench.written.at(-1) ?? '', 'run.json').plan.cut).toEqual({ slots: cut, rounds: 0 });
  });

  test('shows as done what the plan counts for the trials so far: their starts, too', async () => {
    const done: number[] = [];
    const bench = fakeBench();
    const progress = { ...bench.progress, show: ({ doneSeconds }: ProgressState) => void done.push(doneSeconds) };

    await measure({ ...bench, progress });

    const before = { trials: bench.plan.trials.slice(0, -1) };
    const seconds = plannedSeconds(before, { runtime: 'process', services: bench.services });
    expect(done.filter((value) => value >= seconds)).not.toHaveLength(0);
    expect(Math.max(...done)).toBeLessThanOrEqual(
      plannedSeconds(bench.plan, { runtime: 'process', services: bench.services }),
    );
  });

  test('gives both operations their share of the rate, side by side', async () => {
    const parts = new Set<string>();
    const partOf = ({ load }: BlockLoad) =>
      load.kind === 'open' ? `${load.ratePerSecond}/s` : 'weight' in load && load.weight;
    const bench = fakeBench({ onPlay: (_service, loads) => parts.add(loads.map(partOf).join(' + ')) });

    await measure(bench);

    expect([...parts]).toEqual(
      expect.arrayContaining(['250/s + 83/s', '1250/s + 417/s', '2500/s + 833/s', '0.75 + 0.25']),
    );
  });

  test('sends all loads over the network of their tier', async () => {
    const seen = new Set<string>();
    const bench = fakeBench({
      onPlay: (_service, loads) => {
        for (const { load } of loads) {
          seen.add(`${load.kind} ${load.network && networkWords(load.network)}`);
        }
      },
    });
    const { suite } = bench.plan;
    const network = { rttMs: 20, by: 'driver' } as const;
    const tiers = suite.tiers.slice(0, 1).map((tier) => ({ ...tier, network: { ...network, rttMs: 1 } }));

    await measure({ ...bench, plan: planRun({ ...bench.plan, suite: { ...suite, network, tiers } }) });

    expect([...seen].sort()).toEqual(['open rtt 1 ms', 'saturate rtt 20 ms']);
  });

  test('keeps what it measured when a service ends under load, and goes on with the others', async () => {
    const bench = fakeBench({ endsUnderLoad: ['second'] });

    const run = await measure(bench);

    expect(run.complete).toBe(false);
    expect(new Set(run.samples.map(({ cell }) => cell.service))).toEqual(new Set(['first']));
    expect(run.failures).toHaveLength(4);
    expect(run.failures[0]?.message).toMatch(
      /^second exited under tier low \(100 users\): it was killed by SIGKILL; it printed nothing/,
    );
    expect(bench.stopped).toHaveLength(bench.started.length);
  });

  test('ends where a service answers otherwise after another start, and keeps what it measured until then', async () => {
    const bench: FakeBench = fakeBench({
      replies: (_service, call) => ({
        status: '200',
        body: { call, start: bench.started.length > 4 ? 'late' : 'early' },
      }),
    });

    await expect(measure(bench)).rejects.toMatchObject({
      name: 'AnswersVary',
      message: expect.stringMatching(
        /^(first|second) answers GetUser \{"id":1\} differently from start to start at \$\.start: "late", before that: "early"$/,
      ),
      next: expect.stringContaining('`ignore: ["$.start"]`'),
    });

    expect(bench.stopped).toHaveLength(bench.started.length);
    expect(bench.written).toHaveLength(2);
  });

  test('keeps no secret in the record of a failure', async () => {
    const use = { variable: 'TOKEN', place: '', isPem: false };
    const secrets = secretsFrom([use], { TOKEN: 'complaint' }, () => '');

    const run = await measure({ ...fakeBench({ complaint: 'a complaint' }), secrets });

    expect(run.failures[0]?.message).toMatch(/ failed: a \*\*\*$/);
  });

  test('records a load that failed, with the complaint', async () => {
    const run = await measure(fakeBench({ complaint: 'a complaint' }));

    expect(run.samples).toEqual([]);
    expect(run.failures[0]?.message).toMatch(/^vegeta against \w+ failed: a complaint$/);
  });

  test('names a member that hangs where the load tool waits for it in vain', async () => {
    const bench = fakeBench({ isOverTime: true });
    const ailing = async () => 'orders (member of first) is no longer ready: GET /: timeout; it printed nothing';
    const start: typeof bench.runtime.start = async (service) => ({ ...(await bench.runtime.start(service)), ailing });

    const run = await measure({ ...bench, runtime: { ...bench.runtime, start } });

    expect(run.failures[0]?.message).toMatch(
      /^\w+: requests of \w+ had no end within \d+ s under load; orders \(member of first\)/,
    );
  });

  test('records an output that was cut off', async () => {
    const cut = (bytes: Uint8Array) => bytes.slice(0, bytes.length - 7);
    const run = await measure(fakeBench({ records: () => cut(recordedFile('ok')) }));

    expect(run.failures[0]?.message).toMatch(/the records of vegeta against \w+ are cut off after \d+ requests/);
  });

  test('stops in good order when it is interrupted, and keeps what it measured', async () => {
    let loads = 0;
    const bench: FakeBench = fakeBench({
      onPlay: () => {
        loads += 1;
        if (loads === 4) {
          bench.stop.abort();
        }
      },
    });

    const run = await measure(bench);

    expect(run.complete).toBe(false);
    expect(run.failures).toEqual([]);
    expect(run.samples.length).toBeGreaterThan(0);
    expect(bench.stopped).toHaveLength(bench.started.length);
  });

  test('looks for the highest rate without errors with ever fewer workers', async () => {
    const workers: (number | undefined)[] = [];
    const failing = recordedFile('statuses');
    const bench = fakeBench({
      records: () => failing,
      onPlay: (_service, [first]) => void (first?.load.kind === 'saturate' && workers.push(first.load.workers)),
    });

    const shown = new Set<string>();
    const progress = { ...bench.progress, show: ({ label }: { readonly label: string }) => void shown.add(label) };

    const run = await measure({ ...bench, progress });

    expect(workers.slice(0, 5)).toEqual([38, 19, 9, 5, 2]);
    expect([...shown].filter((label) => label.includes('saturation (25 workers)'))).not.toEqual([]);
    expect(run.samples.filter(({ cell }) => cell.tier === 'saturation')).toHaveLength(6);
  });

  test('keeps the workers of a soak whose requests fail', async () => {
    const workers: (number | undefined)[] = [];
    const bench = fakeBench({
      records: () => recordedFile('statuses'),
      onPlay: (_service, [first]) => void (first?.load.kind === 'saturate' && workers.push(first.load.workers)),
    });

    await measure({ ...bench, plan: { ...bench.plan, profile: { ...bench.plan.profile, name: SOAK } } });

    expect(new Set(workers)).toEqual(new Set([38]));
  });

  test('reads the pages of programs before the steady load and after it, and not while it is run', async () => {
    const events: string[] = [];
    const page = () => ({ program: 'first', names: ['seen_total'], text: `seen_total ${events.length}\n` });
    const bench = fakeBench({
      onPlay: (service) => events.push(`${service} is loaded`),
      pages: (service) => {
        events.push(`${service} is read`);
        return service === 'first' ? [page()] : [];
      },
    });

    const run = await measure({ ...bench, plan: { ...bench.plan, trials: bench.plan.trials.slice(0, 1) } });

    const service = run.samples[0]?.cell.service;
    expect(events.slice(-3)).toEqual([`${service} is read`, `${service} is loaded`, `${service} is read`]);
    const own = run.samples.flatMap((sample) =>
      sample.own === undefined ? [] : [[sample.cell.operation, sample.own]],
    );
    const figures = [{ name: 'seen_total', kind: 'gauge', mean: events.length }];
    expect(own).toEqual(
      service === 'first' ? [['all', expect.objectContaining({ programs: [{ program: 'first', figures }] })]] : [],
    );
  });
});
