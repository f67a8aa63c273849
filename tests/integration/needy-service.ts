import type { Need } from '../../src/core/service.ts';

/** Python: answers every GET with the JSON of its environment and its pid, or does to itself what the path says. */
export const STORE = `
import http.server, json, os, pathlib
class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_GET(self):
        if self.path == '/leave':
            print('leaving now', flush=True)
            os._exit(3)
        if self.path == '/eat':
            self.server.eaten = b'x' * 2**28
        body = json.dumps({**os.environ, 'pid': str(os.getpid())}).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer((os.environ['HOST'], int(os.environ['PORT'])), Answer)
if 'DATA' in os.environ:
    pathlib.Path(os.environ['DATA'], 'made').write_text(','.join(os.listdir(os.environ['DATA'])))
server.serve_forever()
`;

/** Something that a service needs, which runs a Python text. */
export function pythonNeed(source: string, changes: Partial<Need> = {}): Need {
  return {
    name: 'db',
    image: undefined,
    process: { build: [], command: ['python3', '-c', source] },
    port: 5432,
    environment: {},
    ready: { check: { kind: 'usual' }, timeoutSeconds: 20 },
    needs: [],
    fresh: 'slot',
    ...changes,
  };
}
