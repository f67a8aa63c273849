/**
 * A server in Python, which every image of the tests has: answers each GET with the JSON of an expression, or does to itself what the
 * path says, unless it asks another. The expression may read files (`seen`), try to write them (`write`), and ask the address in URL
 * (`asked`).
 * `before` is done once it listens.
 */
export function pythonServer(answer: string, before = ''): string {
  return `
import http.server, json, os, pathlib, signal, socket, urllib.request
def seen(path):
    try:
        return pathlib.Path(path).read_text()
    except OSError as error:
        return os.strerror(error.errno)
def write(path):
    try:
        pathlib.Path(path).write_text('x')
        return 'written'
    except OSError as error:
        return os.strerror(error.errno)
def asked(path):
    try:
        return json.loads(urllib.request.urlopen(os.environ['URL'] + path, timeout=2).read())
    except Exception as error:
        return {'error': str(error)}
class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_GET(self):
        if self.path == '/leave' and 'URL' not in os.environ:
            print('leaving now', flush=True)
            os._exit(3)
        if self.path == '/eat' and 'URL' not in os.environ:
            self.server.eaten = b'x' * 2**28
        body = json.dumps(${answer}).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer((os.environ['HOST'], int(os.environ['PORT'])), Answer)
${before}
server.serve_forever()
`;
}
