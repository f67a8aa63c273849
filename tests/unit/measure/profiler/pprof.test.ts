import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { chosenPage, pageOfBoth } from '../../../../src/measure/profiler/pprof.ts';
import type { ProfilePage } from '../../../../src/model/run/functions.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';
import { samplePprof } from '../../../support/sample-pprof.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const PATH = '/debug/pprof/profile';

const PROFILE = samplePprof({ samples: [{ calls: ['work', 'main'], values: [2, 2e7] }] });

/** A service of this process that answers so. */
async function serving(answer: RequestListener) {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { service: 'api', first: [process.pid], address: `127.0.0.1:${port}` };
}

const sampling = { pids: [], seconds: 2, folder: '/nowhere' };

const never = () => new AbortController().signal;

/** What is read of a service that answers so. */
async function sampled(answer: RequestListener, page: ProfilePage = { path: PATH }) {
  const { sampler } = chosenPage(page, await serving(answer));
  return await sampler.sample({ ...sampling, signal: never() });
}

describe('a service that is asked itself', () => {
  test('is asked for so many seconds, at its own port', async () => {
    const requested: (string | undefined)[] = [];
    const { stacks, version } = await sampled(({ url }, answer) => {
      requested.push(url);
      answer.end(gzipSync(PROFILE));
    });

    expect(requested).toEqual([`${PATH}?seconds=2`]);
    expect(version).toBe('');
    expect(stacks).toMatchObject([{ frames: [{ name: 'main' }, { name: 'work' }], count: 2 }]);
  });

  test('may have another port for it, and a profile that is not packed', async () => {
    const other = await serving((_, answer) => answer.end(PROFILE));
    const own = { ...other, address: '127.0.0.1:1' };
    const { sampler, pids, isSeen } = chosenPage({ address: other.address, path: PATH }, own);

    expect(sampler.name).toBe('pprof');
    expect((await sampler.sample({ ...sampling, signal: never() })).stacks).toHaveLength(1);
    expect(pids).toContain(process.pid);
    expect([process.pid, 1].map((pid) => isSeen({ pid, parent: 0, cpuTicks: 0, program: '' }))).toEqual([true, false]);
  });

  test('is not asked if something else listens there, or nothing', async () => {
    const { address } = await serving((_, answer) => answer.end(PROFILE));

    expect(() => chosenPage({ address, path: PATH }, { service: 'api', first: [], address: '127.0.0.1:1' })).toThrow(
      `no program of api listens at ${address}`,
    );
    expect(() =>
      chosenPage({ address: '127.0.0.1:9', path: PATH }, { service: 'api', first: [process.pid], address }),
    ).toThrow('no program of api listens at 127.0.0.1:9');
  });
});

describe('a page without a profile', () => {
  test.each<[string, RequestListener, string]>([
    [
      'is missing',
      (_, answer) => answer.writeHead(404).end('404 page not found\n'),
      `${PATH} returned no profile: it answered 404: 404 page not found`,
    ],
    [
      'refuses without a word',
      (_, answer) => answer.writeHead(403).end(),
      `${PATH} returned no profile: it answered 403`,
    ],
    [
      'steers a terminal',
      (_, answer) => answer.writeHead(500).end('\u001b[2Jno'),
      `${PATH} returned no profile: it answered 500: [2Jno`,
    ],
    [
      'refuses at length',
      (_, answer) => answer.writeHead(500).end('x'.repeat(5000)),
      `${PATH} returned no profile: it answered 500`,
    ],
    [
      'leads elsewhere',
      (_, answer) => answer.writeHead(302, { location: 'http://127.0.0.2/' }).end(),
      `${PATH} returned no profile: it answered 302`,
    ],
    [
      'is endless',
      (_, answer) => answer.end(Buffer.alloc(8 * 2 ** 20 + 1)),
      'the pprof profile cannot be read: it is longer than 8 MiB',
    ],
    [
      'is endless once it is unpacked',
      (_, answer) => answer.end(gzipSync(Buffer.alloc(33 * 2 ** 20))),
      'the pprof profile cannot be read: it is longer than 32 MiB',
    ],
    [
      'is packed by halves',
      (_, answer) => answer.end(gzipSync(PROFILE).subarray(0, 40)),
      'the pprof profile cannot be read: it cannot be unpacked',
    ],
    [
      'is a text',
      (_, answer) => answer.end('goroutine profile: total 7'),
      'the pprof profile cannot be read: it is in another format',
    ],
  ])('that %s is reported', async (_what, answer, message) => {
    await expect(sampled(answer)).rejects.toMatchObject({ message, next: expect.stringContaining('profiler.pprof') });
  });

  test('that is truncated, and a closed port, are reported', async () => {
    const broken: RequestListener = (_, answer) =>
      answer.writeHead(200, { 'content-length': '9' }).write('up', () => answer.destroy());
    await expect(sampled(broken)).rejects.toThrow(/returned no profile: \S/);

    const { sampler } = chosenPage({ path: PATH }, { service: 'api', first: [], address: '127.0.0.1:9' });
    await expect(sampler.sample({ ...sampling, signal: never() })).rejects.toThrow(
      /^\/debug\/pprof\/profile returned no profile: .*(ECONNREFUSED|bad port)/,
    );
  });

  test('that never answers is left if the service ends', async () => {
    const stop = new AbortController();
    const { sampler } = chosenPage({ path: PATH }, await serving(() => stop.abort()));
    const thrown = await sampler.sample({ ...sampling, signal: stop.signal }).catch((error: unknown) => error);
    expect(stop.signal.aborted).toBe(true);
    expect(thrown).toBe(stop.signal.reason);
  });
});

test('both versions need a page, and each has its own', () => {
  const { bench } = fakeRounds();
  const request = (base: ProfilePage | 'off' | undefined, head: ProfilePage | 'off' | undefined) => {
    const version = (side: 'base' | 'head', profiler: ProfilePage | 'off' | undefined) => {
      const { services } = bench.versions[side];
      return {
        ...bench.versions[side],
        services: new Map([...services].map(([name, one]) => [name, { ...one, profiler }])),
      };
    };
    const versions = { base: version('base', base), head: version('head', head) };
    return (['base', 'head'] as const).map((side) => pageOfBoth({ versions }, { service: 'first', side }));
  };
  const [old, now] = [{ path: '/old' }, { path: '/now' }];

  expect(request(old, now)).toEqual([old, now]);
  expect(request(undefined, now)).toEqual([undefined, undefined]);
  expect(request('off', now)).toEqual([undefined, undefined]);
  expect(request(old, undefined)).toEqual([undefined, undefined]);
});
