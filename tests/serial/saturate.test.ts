import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseKnees } from '../../src/measure/knee/record.ts';
import { wiregauge } from '../integration/project.ts';

const PROJECT = `services:
  busy: { protocol: rest, port: 5000, process: { command: [node, busy.mjs] } }
  idle: { protocol: rest, port: 5000, process: { command: [node, busy.mjs] }, environment: { BUSY_MS: 0 } }
operations:
  - { name: Get, rest: GET / }
saturation: { workers: 20 }
`;

/** Each request keeps the service busy for 1 ms: whatever the machine, it answers no more than 1,000 a second. */
const MAX_RPS = 1000;
const SERVER = `import { createServer } from 'node:http';
const busyMs = Number(process.env.BUSY_MS ?? 1);
createServer((request, response) => {
  for (const until = performance.now() + busyMs; performance.now() < until; );
  response.setHeader('content-type', 'application/json').end('{}');
}).listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'saturate-'));
  writeFileSync(join(root, 'wiregauge.yml'), PROJECT);
  writeFileSync(join(root, 'busy.mjs'), SERVER);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const saturate = (argv: readonly string[], onOutput?: NonNullable<Parameters<typeof wiregauge>[1]>['onOutput']) =>
  wiregauge(['saturate', ...argv, '--runtime', 'process', '--step', '1s'], {
    cwd: root,
    ...(onOutput !== undefined && { onOutput }),
  });
const written = () => parseKnees(readFileSync(join(root, 'out/saturate.json'), 'utf8'), 'saturate.json');

describe('wiregauge saturate', () => {
  test('finds the rate that a service holds, and says so again from the file', async () => {
    const { exitCode, stdout } = await saturate(['busy', '--p99', '500ms', '--at-least', '5000/s']);

    const [knee = expect.unreachable()] = written().services;
    const { kind, held, notHeld } = knee.conclusion;
    expect(knee.p99LimitMs).toBe(500);
    expect(held?.offeredRps ?? 0).toBeLessThan(1.05 * MAX_RPS);
    expect(notHeld?.offeredRps ?? Number.POSITIVE_INFINITY).toBeGreaterThan(held?.offeredRps ?? 0);
    // A machine that is busy with something else may make its steps contradict each other, or keep the load tool from its work.
    expect(exitCode).toBe(kind === 'found' || kind === 'none' ? 1 : 2);
    const claim = stdout.match(/^busy(?: sustains|: inconclusive|: not measured).*$/gm)?.at(-1) ?? '';
    expect(claim).not.toBe('');
    expect(readdirSync(join(root, 'out')).sort()).toEqual(['saturate.html', 'saturate.json', 'saturate.md']);
    const again = await wiregauge(['report', join(root, 'out/saturate.json'), '--out', join(root, 'again')]);
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toContain(claim);
    expect(readFileSync(join(root, 'again/saturate.html'), 'utf8')).toBe(
      readFileSync(join(root, 'out/saturate.html'), 'utf8'),
    );
  });

  test('keeps what it measured when it is interrupted', async () => {
    let isSent = false;
    const { exitCode, stdout } = await saturate(['idle'], (output, kill) => {
      // A second one would end the program at once.
      if (!isSent && /^idle at [\d,]+\/s: /m.test(output)) {
        isSent = true;
        kill('SIGINT');
      }
    });

    expect(exitCode).toBe(130);
    const { complete, services } = written();
    expect([complete, services.map(({ ended }) => ended)]).toEqual([false, ['interrupted']]);
    expect(services[0]?.steps.length).toBeGreaterThanOrEqual(2);
    expect(stdout).toContain('the search was interrupted');
  });
});
