import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requires } from '../support/requires.ts';
import { type CompareProject, compareProject } from './compare-project.ts';
import type { CommandEnd } from './project.ts';

const SUITE = `name: small
title: A small suite
services: [good]
operations:
  - { name: Get, arguments: [{ id: 1 }], rest: 'GET /item/{id}' }
  - { name: List, arguments: [{}], rest: 'GET /items' }
tiers:
  - { name: low, users: 10, spawnPerSecond: 10, thinkSeconds: 0.1 }
saturation: { workers: 20 }
`;

/**
 * A service whose lists each cost so many additions, and which wakes up now and then. It imports nothing that is written in Python, since
 * all that happens before it is ready takes fifty times as long when it is counted.
 */
const server = (additions: number) => `import _socket, _thread, posix

def serve(connection):
    rest = b''
    while True:
        while b'\\r\\n\\r\\n' not in rest:
            more = connection.recv(65536)
            if not more:
                return
            rest += more
        head, _, rest = rest.partition(b'\\r\\n\\r\\n')
        path = head.split(b' ', 2)[1]
        sum(range(${additions} if path == b'/items' else 100))
        body = b'{"path": "%s"}' % path
        connection.sendall(b'HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: %d\\r\\n\\r\\n%s' % (len(body), body))

listener = _socket.socket()
listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
listener.bind((posix.environ[b'HOST'].decode(), int(posix.environ[b'PORT'])))
listener.listen()
listener.settimeout(0.5)
while True:
    try:
        _thread.start_new_thread(serve, (_socket.socket(fileno=listener._accept()[0]),))
    except TimeoutError:
        pass
`;

/** The interpreter itself: one that is found on the PATH may be a script that starts several programs first, each of them counted. */
const PYTHON = realpathSync(join(import.meta.dirname, '../../.venv/bin/python'));

const MANIFEST = `name: good
title: The good service
protocol: rest
process: { command: [${PYTHON}, -S, server.py] }
`;

describe.skipIf(!requires('valgrind'))('wiregauge compare --profile instructions', () => {
  let compared: CompareProject;

  beforeAll(() => {
    compared = compareProject();
    compared.write('suites/small.yml', SUITE);
    compared.write('services/good/service.yml', MANIFEST);
    compared.write('server.py', server(1000));
    compared.git('add', '--all');
    compared.git('commit', '--quiet', '--message=A service in Python');
  });
  afterAll(() => compared.remove());

  const counted = (): Promise<CommandEnd> => compared.compare(['--profile', 'instructions', '--json']);

  const foundIn = ({ stdout }: CommandEnd, operation: string) =>
    JSON.parse(stdout).findings.find(
      ({ cell, metric }: { cell: { operation: string }; metric: string }) =>
        cell.operation === operation && metric === 'instructionsPerRequest',
    );

  test('finds a change of some per cent in the operation that has it, and none in the other', async () => {
    compared.write('server.py', server(1100));
    const end = await counted();

    expect(end.exitCode, end.stderr).toBe(1);
    expect(foundIn(end, 'List')).toMatchObject({ verdict: 'regressed' });
    expect(foundIn(end, 'List').change.estimate).toBeGreaterThan(0.04);
    expect(foundIn(end, 'List').change.estimate).toBeLessThan(0.12);
    expect(foundIn(end, 'Get')).toMatchObject({ verdict: 'unchanged' });
    const starts = compared.written().instructions?.starts ?? [];
    expect(starts.map(({ idle }) => (idle?.seconds ?? 0) >= 1 && (idle?.instructions ?? 0) > 0)).toEqual(
      starts.map(() => true),
    );
    const { profiles = [] } = compared.written().instructions ?? {};
    // Python tells its functions from 3.12 on.
    const reported = profiles.filter(({ functions }) => functions.some(({ name }) => /^_PyEval_|do_GET$/.test(name)));
    expect(reported.map(({ side }) => side)).toEqual(['head', 'base']);
    expect(reported.map(({ calls = [] }) => calls.length > 50)).toEqual([true, true]);
    expect(compared.left()).toEqual([]);
  });
});
