import { execFileSync } from 'node:child_process';
import { buildArgsText } from '../../stand-ins/build-args.ts';
import type { Play, Scene } from '../play.ts';
import { elsewhere, type Row } from '../row.ts';

const RUNTIME = 'tests/serial/docker-runtime.test.ts';
const NEEDS = 'tests/serial/docker-needs.test.ts';

/** Service in Python that runs a statement at its start. */
const SERVER = (statement: string): string => `import http.server, os, signal, time
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
${statement}
class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_GET(self):
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', '8')
        self.end_headers()
        self.wfile.write(b'{"id":1}')
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer((os.environ['HOST'], int(os.environ['PORT'])), Answer).serve_forever()
`;

const CONFIGURATION = `services:
  shop: { protocol: rest, port: 8080, image: { context: . }, limits: { memoryMiB: 128 }, ready: { timeoutSeconds: 30 } }
operations:
  - { name: Item, rest: { path: /item } }
tiers: [{ name: low, users: 10, spawnPerSecond: 10, thinkSeconds: 0.1 }]
`;

function contained(statement: string, outcome: Partial<Play> & Pick<Play, 'code'>, lines = ''): Play {
  return {
    argv: ['run', '--profile', 'smoke', '--mode', 'open', '--no-versus', '--runtime', 'docker'],
    set({ write }) {
      write('wiregauge.yml', CONFIGURATION);
      write(
        'Dockerfile',
        `ARG PYTHON_IMAGE=python:3\nFROM $PYTHON_IMAGE\n${lines}COPY server.py /\nCMD ["python3", "/server.py"]\n`,
      );
      write('server.py', SERVER(statement));
    },
    environment: () => ({ WIREGAUGE_BUILD_ARGS: buildArgsText() }),
    leaves: ['out'],
    ...outcome,
  };
}

const docker = (...argv: readonly string[]): string => execFileSync('docker', argv, { encoding: 'utf8' }).trim();

/** Pauses the container of the service of a scene, by the name of its program. */
function pause(_: Scene): void {
  const [service] = docker('ps', '--quiet', '--no-trunc', '--filter', 'label=wiregauge=1')
    .split('\n')
    .filter((id) => docker('inspect', '--format', '{{json .Config.Cmd}}', id).includes('/server.py'));
  if (service !== undefined) {
    docker('pause', service);
  }
}

const row = (fault: string, by: Play, nightly = true): Row => ({ fault, by, nightly, needs: 'docker' });

/** Containers, their images, and the engine. */
export const CONTAINERS: readonly Row[] = [
  row(
    'a service in a container is over its limit of memory',
    contained('held = bytearray(300 * 2**20)', { code: 2, prints: /ran out of memory|OOM/ }),
    false,
  ),
  row(
    'an image runs as root and writes where it may not',
    contained(
      "open('/etc/passwd', 'a')",
      { code: 2, prints: /Read-only file system|ended before it was ready/ },
      'USER root\n',
    ),
  ),
  row(
    'a layer is full',
    contained("f = open('/tmp/full', 'wb')\nwhile True: f.write(b'x' * 2**20)", {
      code: 2,
      prints: /No space left|Read-only|No usable|ended before it was ready|memory/,
    }),
  ),
  row(
    'a container is paused under load',
    contained('', {
      code: 2,
      prints: /had no end within|all [\d,]+ requests failed|not measured|no answer/,
      meanwhile: { at: /measuring, offered/, act: pause },
    }),
  ),
  row(
    'a container starts a thousand programs',
    contained('for _ in range(2000):\n    if os.fork() == 0: time.sleep(600)', {
      code: 2,
      prints: /Resource temporarily unavailable|ended before it was ready|memory/,
    }),
  ),
  row(
    'SIGTERM while a container is loaded',
    contained('', { code: 130, prints: /stopping/, ends: { at: /measuring, offered/, signals: ['SIGTERM'] } }),
  ),
  row(
    'SIGKILL while a container is loaded',
    contained('', { code: null, ends: { at: /measuring, offered/, signals: ['SIGKILL'] }, next: true }),
  ),
  row(
    'two signals while a container is loaded',
    contained('', {
      code: 130,
      prints: /stopping/,
      ends: { at: /measuring, offered/, signals: ['SIGINT', 'SIGTERM'] },
      next: true,
    }),
  ),
  elsewhere(
    'an engine that is not there',
    'tests/killed/docker-cleanup.test.ts',
    'without an engine says where it looked',
  ),
  elsewhere(
    'an engine that is killed under load',
    'tests/unit/runtime/docker/docker-engine.test.ts',
    'an engine that goes away in the middle of a load is not a failure of the service',
  ),
  elsewhere(
    'an engine that is killed in mid-round of a comparison',
    'tests/unit/measure/faults.test.ts',
    'that the engine leaves in mid-round ends with that, keeps its rounds, and stops all that it started',
  ),
  elsewhere(
    'an engine that is started anew in mid-round',
    'tests/unit/measure/faults.test.ts',
    'blames no version for an engine that is restarted in mid-round, and goes on',
  ),
  elsewhere(
    'an engine that never answers',
    'tests/unit/runtime/docker/docker-engine.test.ts',
    'does not wait for an engine that never answers',
  ),
  elsewhere(
    'an engine that falls silent',
    'tests/unit/runtime/docker/docker-silence.test.ts',
    'waits three seconds for an engine that was silent for a minute',
  ),
  elsewhere(
    'an engine that hangs in a build',
    'tests/unit/runtime/docker/images/docker-build-engine.test.ts',
    'a build is ended if the engine hangs in the middle of it',
  ),
  elsewhere(
    'containers of a killed run',
    'tests/killed/docker-cleanup.test.ts',
    'is removed, with a line for each container',
  ),
  elsewhere('a need of a killed run', NEEDS, 'is removed with its network when its run was killed'),
  elsewhere('a container that is killed from outside', RUNTIME, 'says when a service was killed from outside'),
  elsewhere(
    'a container over its limit of memory under load',
    RUNTIME,
    'says when a service needed more memory than it may have',
  ),
  elsewhere('a container that writes to its file system', RUNTIME, 'a file system that it cannot write to'),
  elsewhere('a container that ends by itself', RUNTIME, 'notices a service that ends by itself, with its last words'),
  elsewhere(
    'load tools that are not where they should be',
    RUNTIME,
    'leaves nothing when the load tools are not where they should be',
  ),
  elsewhere('limits that the machine cannot give', RUNTIME, 'says which limits the machine cannot give'),
  elsewhere('files of a need that lead out of the repository', NEEDS, 'is refused where its files are not there'),
  elsewhere(
    'a need in a container over its limit of memory',
    NEEDS,
    'reports its end, and a memory limit that it reached',
  ),
  elsewhere(
    'a load over its time limit',
    'tests/unit/runtime/driver/driver.test.ts',
    'ends a load that is over its time limit',
  ),
  elsewhere(
    'a base image that cannot be had',
    'tests/serial/docker-build.test.ts',
    'blames the machine for a base image that cannot be had',
  ),
  elsewhere(
    'options of docker build in a context',
    'tests/unit/runtime/docker/images/docker-build-args.test.ts',
    'build',
  ),
];
