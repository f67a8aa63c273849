import { describe, expect, test } from 'vitest';
import type { Issues, OwnIssue } from '../../../src/github/api/issues.ts';
import { keepAlertIssue } from '../../../src/github/issue.ts';
import type { Alert } from '../../../src/history/alerts/alert-status.ts';
import { alertBody } from '../../../src/report/comment/alert-issue.ts';
import { sampleAlert, sampleStanding } from '../../support/sample-alerts.ts';

const OF = { suite: 'users', page: undefined };

const CPU = sampleAlert();
const P95 = sampleAlert(
  { id: { series: 'ba9876543210', run: 'run-33' }, run: 'run-33' },
  { metric: 'latencyP95Ms', unit: 'ms' },
);

type Kept = { -readonly [Field in keyof OwnIssue]: OwnIssue[Field] } & { reason?: string | undefined };

/** A repository in memory, and what is kept in it for some alerts. */
function repository() {
  const issues: Kept[] = [];
  const remarks: string[] = [];
  const port: Issues = {
    all: async () => issues.map((issue) => ({ ...issue })).toReversed(),
    create: async (title, body) => {
      const number = issues.length + 1;
      const issue = { number, title, body, isOpen: true, url: `https://github.com/one/service/issues/${number}` };
      issues.push(issue);
      return issue;
    },
    update: async (number, { title, body, closed: reason }) => {
      const issue = issues[number - 1];
      Object.assign(issue ?? {}, title && { title }, body && { body }, reason && { isOpen: false, reason });
    },
    remark: async (_number, body) => void remarks.push(body),
  };
  const keep = (...alerts: readonly Alert[]) => keepAlertIssue(port, OF, sampleStanding(...alerts));
  /** As a person does it on the page of the issue. */
  const closeByHand = () => Object.assign(issues[0] ?? {}, { isOpen: false, closedAt: '2026-11-05T10:00:00Z' });
  return { issues, remarks, port, keep, closeByHand };
}

describe('the issue of a suite', () => {
  test('is not there while nothing is worse', async () => {
    const { issues, keep } = repository();
    expect(await keep()).toEqual({ did: 'none' });
    expect(issues).toEqual([]);
  });

  test('is opened once, updated while it lasts, and closed when nothing is left', async () => {
    const { issues, remarks, keep } = repository();
    expect(await keep(CPU)).toMatchObject({ did: 'opened', url: expect.stringMatching(/issues\/1$/) });
    expect(await keep(CPU)).toMatchObject({ did: 'unchanged' });
    expect(await keep({ ...CPU, runs: 6 })).toMatchObject({ did: 'updated' });
    expect(remarks).toEqual([]);

    expect(await keep()).toMatchObject({ did: 'closed' });

    expect(issues).toMatchObject([
      { isOpen: false, reason: 'completed', body: expect.stringMatching(/None of these changes is left/) },
    ]);
    expect(await keep()).toEqual({ did: 'none' });
  });

  test('is one for forty figures of one run', async () => {
    const { issues, keep } = repository();
    const forty = Array.from({ length: 40 }, (_, place) =>
      sampleAlert({ id: { series: String(place).padStart(12, '0'), run: 'run-30' } }, { operation: `op-${place}` }),
    );

    await keep(...forty);

    expect(issues).toMatchObject([{ title: 'Performance of users: 40 figures worse' }]);
  });

  test('has a comment about later alerts, since editing the body sends no notification', async () => {
    const { issues, remarks, keep } = repository();
    await keep(CPU);

    expect(await keep(P95, CPU)).toMatchObject({ did: 'updated' });
    await keep(P95, CPU);

    expect(issues).toMatchObject([{ title: 'Performance of users: 2 figures worse' }]);
    expect(remarks).toEqual([expect.stringMatching(/p95/)]);
    expect(remarks[0]).not.toMatch(/CPU/);
  });

  test('that a person closed stays closed, until something else changes', async () => {
    const { issues, keep, closeByHand } = repository();
    await keep(CPU);
    closeByHand();

    expect(await keep(CPU)).toEqual({ did: 'none' });
    expect(await keep(P95, CPU)).toMatchObject({ did: 'opened' });

    expect(issues).toMatchObject([{ isOpen: false }, { isOpen: true, title: 'Performance of users: 1 figure worse' }]);
  });

  test('that a person closed is respected also if its change point moves to another run', async () => {
    const { keep, closeByHand } = repository();
    await keep(CPU);
    closeByHand();
    const moved = { ...CPU, id: { ...CPU.id, run: 'run-29' }, run: 'run-29' };
    const later = { ...moved, at: '2026-11-09T10:00:00.000Z' };

    expect(await keep(moved)).toEqual({ did: 'none' });
    expect(await keep(later)).toMatchObject({ did: 'opened' });
  });

  test('is a new one if the same comes back after Wiregauge closed it', async () => {
    const { keep } = repository();
    await keep(CPU);
    await keep();

    expect(await keep(CPU)).toMatchObject({ did: 'opened', url: expect.stringMatching(/issues\/2$/) });
  });

  test('is not opened for what changed long ago, as in an old history, but kept for it', async () => {
    const { keep } = repository();
    expect(await keep({ ...CPU, runs: 31 })).toEqual({ did: 'none' });

    await keep(CPU);
    expect(await keep({ ...CPU, runs: 31 })).toMatchObject({ did: 'updated' });
  });

  test('is one also if two jobs open it at once: the older stays', async () => {
    const { issues, port } = repository();
    let isFirst = true;
    const racing = {
      ...port,
      all: async () => {
        const found = await port.all();
        if (isFirst) {
          isFirst = false;
          await port.create('of the other job', alertBody(OF, [CPU]));
        }
        return found;
      },
    };

    expect(await keepAlertIssue(racing, OF, sampleStanding(CPU))).toMatchObject({
      url: expect.stringMatching(/issues\/1$/),
    });

    expect(issues).toMatchObject([
      { isOpen: true },
      { isOpen: false, reason: 'not_planned', body: expect.stringMatching(/opened #1/) },
    ]);
  });

  test('reports an alert again if a comment could not be written', async () => {
    const { issues, remarks, port, keep } = repository();
    await keep(CPU);
    const broken = { ...port, remark: () => Promise.reject(new Error('no')) };

    await expect(keepAlertIssue(broken, OF, sampleStanding(P95, CPU))).rejects.toThrow('no');
    expect(issues).toMatchObject([{ title: 'Performance of users: 1 figure worse' }]);
    await keep(P95, CPU);

    expect(remarks).toHaveLength(1);
  });

  test('is not that of another suite, nor of another workflow', async () => {
    const { issues, port, keep } = repository();
    await port.create('x', alertBody({ suite: 'other' }, [CPU]));
    await port.create('x', 'A report of another workflow');

    expect(await keep(CPU)).toMatchObject({ did: 'opened', url: expect.stringMatching(/issues\/3$/) });
    expect(issues.slice(0, 2).map(({ title }) => title)).toEqual(['x', 'x']);
  });

  test('that a person opened again after Wiregauge closed it is left alone', async () => {
    const { issues, keep } = repository();
    await keep(CPU);
    await keep();
    Object.assign(issues[0] ?? {}, { isOpen: true });

    expect(await keep()).toEqual({ did: 'none' });
    expect(issues).toMatchObject([{ isOpen: true }]);
  });
});
