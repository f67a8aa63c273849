import { PINNED_PYTHON } from '../stand-ins/build-args.ts';
import type { CompareProject } from './compare-project.ts';
import { docker } from './docker-command.ts';

const DOCKERFILE = `ARG PYTHON_IMAGE=${PINNED_PYTHON}
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
            work = work * 16807% 2147483647
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

/** Turns of a loop in each request of the usual image. */
export const IMAGE_TURNS = 2000;

/** Makes the image of the project's service one whose requests each cost so many turns of a loop. */
export function writeImage({ write }: Pick<CompareProject, 'write'>, turns = IMAGE_TURNS): void {
  write('Dockerfile', DOCKERFILE);
  write('server.py', pythonServer(turns));
}

/**
 * What nobody may leave in the engine, each by itself: containers, networks, and the names that images have while they are built. The
 * name that ends in an image's id stays on purpose: it keeps the image for the next comparison.
 */
export function leftInEngine(): readonly string[] {
  return [
    ...listed('container', 'ps', '--all', '--format', '{{.Names}}'),
    ...listed('network', 'network', 'ls', '--format', '{{.Name}}'),
    ...listed('image', 'images', '--format', '{{.Repository}}:{{.Tag}}').filter((image) =>
      /^image wiregauge\/.*:built-/.test(image),
    ),
  ];
}

/** What is there by now and was not before. What others had left before may be gone: every run removes what dead ones left. */
export function newInEngine(before: readonly string[]): readonly string[] {
  return leftInEngine().filter((one) => !before.includes(one));
}

function listed(kind: string, ...argv: readonly string[]): readonly string[] {
  return docker(...argv)
    .split('\n')
    .filter((name) => name !== '')
    .map((name) => `${kind} ${name}`);
}
