import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requires } from '../requires.ts';
import { buildArgsForTests } from '../stand-ins/build-args.ts';
import { type CompareProject, compareProject } from './compare-project.ts';
import { docker } from './docker-command.ts';

const DOCKERFILE = `ARG PYTHON_IMAGE=python:3.13-slim
FROM $PYTHON_IMAGE
WORKDIR /app
COPY server.py ./
CMD ["python3", "server.py"]
`;

/** A server whose requests each cost so many turns of a loop. */
const pythonServer = (turns: number) => `import http.server, os, signal
class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    # Header and body in one packet, or each answer waits 40 ms for an acknowledgement.
    wbufsize = -1
    def do_GET(self):
        work = 1
        for _ in range(${turns}):
            work = work * 16807 % 2147483647
        body = b'{"isWork": true}'
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
http.server.ThreadingHTTPServer((os.environ['HOST'], int(os.environ['PORT'])), Answer).serve_forever()
`;

describe.runIf(requires('docker'))('wiregauge compare in containers', () => {
  let project: CompareProject;
  beforeEach(() => {
    project = compareProject();
    project.write('Dockerfile', DOCKERFILE);
    project.write('server.py', pythonServer(2000));
    project.git('add', '--all');
    project.git('commit', '--quiet', '--message=In a container');
  });
  afterEach(() => project.remove());

  test('finds a slowdown of the working tree, and leaves no container, image tag or network behind', async () => {
    const before = leftovers();
    project.write('server.py', pythonServer(6000));

    const environment = { WIREGAUGE_BUILD_ARGS: buildArgs() };
    const { exitCode, stdout, stderr } = await project.compare(['--runtime', 'docker'], { environment });

    expect(stderr).toBe('');
    expect(stdout).toMatch(/^Regression: /m);
    expect(exitCode).toBe(1);
    const run = project.written();
    expect(run.runtime.name).toBe('docker');
    expect(run.rounds?.rounds.filter(({ outcome }) => outcome === 'kept')).toHaveLength(10);
    expect(readFileSync(`${project.out}/report.md`, 'utf8')).toContain('Regression');
    expect(leftovers()).toEqual(before);
    expect(project.left()).toEqual([]);
  });
});

function buildArgs(): string {
  return Object.entries(buildArgsForTests())
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

function leftovers(): readonly string[] {
  return [docker('ps', '--all', '--quiet'), docker('network', 'ls', '--quiet')];
}
