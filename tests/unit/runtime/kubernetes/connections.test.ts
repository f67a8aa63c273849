import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { BlockLoad } from '../../../../src/model/load.ts';
import { EngineLost } from '../../../../src/runtime/ended.ts';
import { Generators, nowMs } from '../../../../src/runtime/kubernetes/generators.ts';
import { RemoteLoad } from '../../../../src/runtime/kubernetes/load.ts';
import { openReader } from '../../../../src/runtime/kubernetes/reading.ts';
import { httpLoad } from '../../../integration/plain-service.ts';
import { fakeKubectl } from './fake-kubectl.ts';

const { inFolder, kubectlThat } = fakeKubectl();
let folder: string;
let generators: Generators;
beforeEach(() => {
  folder = inFolder('records');
  mkdirSync(folder);
});

async function remoteLoad(script: string, { number = 1, to = folder } = {}): Promise<RemoteLoad> {
  let pods = 0;
  const start = async () => {
    pods += 1;
    return { pod: `p${pods}`, node: 'n1' };
  };
  const settings = { number, start, remove: async () => undefined, log: () => undefined };
  generators = await Generators.open(settings, never);
  const place = { folder: to, port: 80, atMs: async () => nowMs() };
  return new RemoteLoad(
    { kubectl: kubectlThat(script), generators, node: { pod: { name: 'n', uid: 'u' }, name: 'n1', host: '10.0.0.2' } },
    place,
  );
}

/** Answers questions for the clock, so that `line` is the first other one. */
const CLOCKS = `while read -r line; do case $line in *pids*) id=\${line#*:}; printf '{"id":%s,"cpuNs":[],"ownNs":1,"atNs":%s}\\n' \${id%%,*} $(date +%s%N);; *) break;; esac; done`;

const RECORDS = '{"output":"block-1-0","records":"YWI="}';
const ANSWER = '{"id":6,"startedNs":1,"endedNs":2,"results":[{"error":""}]}';

const never = new AbortController().signal;
const block = httpLoad({ loadAddress: '10.0.0.7:80' }, { seconds: 2 });
const loads = [block];

test('records are put together of all their lines', async () => {
  await using remote = await remoteLoad(`${CLOCKS}; printf '%s\\n' '${RECORDS}' '${RECORDS}' '${ANSWER}'; read -r _`);

  const [end] = await remote.play(loads, never);

  expect(Buffer.from((await end?.records()) ?? []).toString()).toBe('abab');
});

test('records that are cut off are a lost pod, not a failure of the service', async () => {
  await using remote = await remoteLoad(
    `${CLOCKS}; printf '{"output":"block-1-0","rec'; echo 'lost connection' >&2; exit 1`,
  );

  const sending = remote.play(loads, never);

  await expect(sending).rejects.toThrow(EngineLost);
  await expect(sending).rejects.toThrow('lost connection');
});

describe('two generators', () => {
  /** Prepares a block, gets its start, and plays it; p2 as it is given. */
  const both = (
    second: string,
  ) => `${CLOCKS}; echo '{"id":6,"ready":true}'; read -r start; echo "$start" >${inFolder('$4')}
    case $4 in p2) ${second};; esac; printf '%s\\n' '${RECORDS}' '${ANSWER.replace('6', '7')}'; read -r _`;

  test('start a block at one instant, and each has a share of its records', async () => {
    await using remote = await remoteLoad(both('true'), { number: 2 });

    const ends = await remote.play(loads, never);

    const [one, other] = ['p1', 'p2'].map((pod) => readFileSync(inFolder(pod), 'utf8'));
    expect(one).toMatch(/^\{"id":7,"startNs":\d+\}\n$/);
    expect(one).toBe(other);
    expect(ends.map(({ generator }) => generator?.load)).toMatchObject([
      { share: { index: 0, of: 2 } },
      { share: { index: 1, of: 2 } },
    ]);
    expect(await Promise.all(ends.map(async (end) => Buffer.from(await end.records()).toString()))).toEqual([
      'ab',
      'ab',
    ]);
  });

  test('are both void if one dies, which is named', async () => {
    await using remote = await remoteLoad(both("echo 'lost connection' >&2; exit 137"), { number: 2 });

    const sending = remote.play(loads, never);

    await expect(sending).rejects.toThrow(EngineLost);
    await expect(sending).rejects.toThrow(/^load generator p2 on node n1: .*lost connection/);
    expect(generators.all.map(({ pod }) => pod)).toEqual(['p1']);
  });

  test('of which one never gets ready are lost, which is not a fault of the service', async () => {
    const script = `${CLOCKS}; case $4 in p1) echo '{"id":6,"ready":true}';; esac; read -r _`;
    await using remote = await remoteLoad(script, { number: 2 });

    // The time limit of a block is 15 s more.
    const sending = remote.play([{ ...block, load: { ...block.load, seconds: 0.5, timeoutSeconds: -15 } }], never);

    await expect(sending).rejects.toThrow(EngineLost);
    await expect(sending).rejects.toThrow('not all load generators were ready');
  });

  test('of which one ends over time did not start apart', async () => {
    await using remote = await remoteLoad(both('read -r _'), { number: 2 });

    const ends = await remote.play([{ ...block, load: { ...block.load, seconds: 1, timeoutSeconds: -15 } }], never);

    expect([ends.map(({ isOverTime }) => isOverTime), generators.skew]).toEqual([[false, true], undefined]);
  });

  test('get their start before it comes, however slow their connections are', async () => {
    const slow = CLOCKS.replace('id=', 'sleep 0.1; id=');
    const ready = `echo '{"id":6,"ready":true}'; read -r start; sleep 0.05; echo "$start" $(date +%s%N) >${inFolder('$4')}`;
    const script = `${slow}; ${ready}; printf '%s\\n' '${ANSWER.replace('6', '7')}'; read -r _`;
    await using remote = await remoteLoad(script, { number: 2 });

    await remote.play(loads, never);

    const [, startNs, gotNs] = /:(\d+)\} (\d+)/.exec(readFileSync(inFolder('p2'), 'utf8')) ?? [];
    expect(Number(startNs)).toBeGreaterThan(Number(gotNs));
  });

  test('are as busy as the busiest of each interval', async () => {
    const used = (pod: string) => (pod === 'p1' ? [1, 1.1] : [0.2, 0.9]).map((seconds) => seconds * 1e9).join(' ');
    const answers = `for ns in $own; do read -r line; id=\${line#*:}; printf '{"id":%s,"cpuNs":[],"ownNs":%s,"atNs":1}\\n' \${id%%,*} $ns; done`;
    await using remote = await remoteLoad(
      `case $4 in p1) own='${used('p1')}';; *) own='${used('p2')}';; esac; ${answers}; read -r _`,
      { number: 2 },
    );

    expect((await remote.cpuSeconds()).busiest).toBeCloseTo(1);
    expect((await remote.cpuSeconds()).busiest).toBeCloseTo(1.7);
  });
});

test('records that cannot be written end the measurement, with the reason', async () => {
  await using remote = await remoteLoad(`${CLOCKS}; printf '%s\\n' '${RECORDS}' '${ANSWER}'; read -r _`, {
    to: join(folder, 'missing'),
  });

  await expect(remote.play(loads, never)).rejects.toMatchObject({ code: 'WG-207' });
});

test('a reading that is cut off is a lost pod', async () => {
  await using reader = await openReader(kubectlThat(`${CLOCKS}; printf '{"atNs":1'; exit 137`), {
    pod: 'pod',
    container: 'reader',
  });

  await expect(reader.read()).rejects.toThrow(EngineLost);
});

test.each<readonly [string, object, object]>([
  ['the Host', {}, { requests: [{ headers: { Host: '127.0.0.1:80' } }] }],
  [
    'the Host that the user set',
    { headers: { Host: 'shop.test' } },
    { requests: [{ headers: { Host: 'shop.test' } }] },
  ],
  ['the name in its certificate', { tls: {} }, { connection: { tls: { serverName: '127.0.0.1' } } }],
  ['the name that the user set', { tls: { serverName: 'a.test' } }, { connection: { tls: { serverName: 'a.test' } } }],
])(
  'load of a pod has %s of other requests',
  async (_what, { headers, tls }: { headers?: object; tls?: object }, sent) => {
    await using remote = await remoteLoad(
      `${CLOCKS}; printf %s "$line" >${inFolder('sent')}; printf '%s\\n' '${ANSWER}'; read -r _`,
    );
    const { target } = block.load;
    const requests = target.requests.map((one) => ({ ...one, ...(headers && { headers }) }));
    const connection = tls && { connection: { http: '1.1', tls } };

    await remote.play(
      [{ ...block, load: { ...block.load, target: { ...target, requests, ...connection } } } as BlockLoad],
      never,
    );

    const [{ load }] = JSON.parse(readFileSync(inFolder('sent'), 'utf8')).loads;
    expect(load.target).toMatchObject({ address: '10.0.0.7:80', ...sent });
  },
);
