import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requires } from '../support/requires.ts';
import { type CompareProject, compareProject } from './compare-project.ts';
import type { CommandEnd } from './project.ts';

/** A service whose requests each cost so many additions more. It sends an answer as a whole: in two parts, each would wait 40 ms for a delayed ACK. */
const server = (additions: number) => `import http.server, json, os, signal, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    wbufsize = -1
    def do_GET(self):
        sum(range(${additions}))
        body = json.dumps({'path': self.path}).encode()
        self.send_response(200)
        self.send_header('content-type', 'application/json')
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words): pass
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
http.server.HTTPServer((os.environ['HOST'], int(os.environ['PORT'])), Handler).serve_forever()
`;

const MANIFEST = `name: good
title: The good service
protocol: rest
process: { command: [python3, server.py] }
`;

describe.skipIf(!requires('valgrind'))('wiregauge compare --profile instructions', () => {
  let compared: CompareProject;

  beforeAll(() => {
    compared = compareProject();
    compared.write('services/good/service.yml', MANIFEST);
    compared.write('server.py', server(1000));
    compared.git('add', '--all');
    compared.git('commit', '--quiet', '--message=A service in Python');
  });
  afterAll(() => compared.remove());

  const counted = (): Promise<CommandEnd> => compared.compare(['--profile', 'instructions', '--json']);

  const foundIn = ({ stdout }: CommandEnd) => {
    const [finding] = JSON.parse(stdout).findings;
    return { metric: finding.metric, verdict: finding.verdict, change: finding.change.estimate };
  };

  test('finds a change of some per cent in a single pair of versions, and none where nothing changed', async () => {
    const same = await counted();
    compared.write('server.py', server(1040));
    const slower = await counted();

    expect(same.exitCode, same.stderr).toBe(0);
    expect(foundIn(same)).toMatchObject({ metric: 'instructionsPerRequest', verdict: 'unchanged' });
    expect(slower.exitCode, slower.stderr).toBe(1);
    expect(foundIn(slower)).toMatchObject({ metric: 'instructionsPerRequest', verdict: 'regressed' });
    expect(foundIn(slower).change).toBeGreaterThan(0.01);
    expect(foundIn(slower).change).toBeLessThan(0.03);
    expect(compared.written().instructions?.starts).toHaveLength(4);
    expect(compared.left()).toEqual([]);
  }, 300_000);

  test('says which version does not run, and judges nothing', async () => {
    compared.write('server.py', 'raise SystemExit("no such table")\n');
    const end = await counted();

    expect(end.exitCode).toBe(2);
    expect(JSON.parse(end.stdout).uncompared[0].detail).toMatch(
      /head could not be counted: .*ended before it was ready/,
    );
  });
});
