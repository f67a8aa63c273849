import { describe, expect, test } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';

const project = (...services: readonly string[]) => `services:
${services.map((service, index) => `  ${'abc'[index]}: ${service}`).join('\n')}
operations:
  - { name: Index, rest: GET / }
`;

const image = (keys: string) => project(`{ protocol: rest, port: 80, image: nginx, ${keys} }`);
const running = (address: string, keys = '') => project(`{ protocol: rest, address: "${address}"${keys} }`);

function parse(text: string) {
  const { services } = parseProject({ file: 'wiregauge.yml', text });
  return services.get('a');
}

function complaint(text: string): string {
  try {
    parse(text);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigError);
    return (thrown as ConfigError).message;
  }
  throw new Error('nothing was refused');
}

describe('a service that already runs', () => {
  test.each([
    ['127.0.0.1:8080', 8080],
    ['127.8.9.10:1', 1],
    ['localhost:65535', 65_535],
    ['[::1]:8080', 8080],
  ])('may be at %s', (address, port) => {
    expect(parse(running(address))).toMatchObject({ address, port, image: undefined, process: undefined });
  });

  test.each([
    'example.org:80',
    '10.0.0.1:80',
    '0.0.0.0:80',
    '[::]:80',
    '[fe80::1]:80',
    '127.0.0.1.example.org:80',
    '127.0.0.999:80',
    '127.0.0.010:80',
    '169.254.169.254:80',
  ])('may not be at %s, since load goes to this machine only', (address) => {
    expect(complaint(running(address))).toMatch(
      /^wiregauge\.yml:2:\d+: services\.a\.address: must be an address of this machine .*: Wiregauge sends load only to this machine/,
    );
  });

  test.each([
    '127.0.0.1',
    '127.0.0.1:0',
    '127.0.0.1:70000',
    ':80',
    'http://127.0.0.1:80',
    'user@127.0.0.1:80',
    '::1:80',
  ])('has a host and a port, not %s', (address) => {
    expect(complaint(running(address))).toMatch(/services\.a\.address: must be a host and a port/);
  });

  test.each([
    ['an image', ', image: nginx', 'image'],
    ['a command', ', process: { command: [x] }', 'process'],
    ['a port besides', ', port: 80', 'port'],
    ['limits', ', limits: { cpus: 0.5 }', 'limits'],
    ['needs', ', needs: { db: { image: i, port: 1 } }', 'needs'],
    ['settings', ', environment: { A: 1 }', 'environment'],
    ['a command that tells whether it is ready', ', ready: { command: [x] }', 'ready.command'],
  ])('has no use for %s', (_what, keys, at) => {
    expect(complaint(running('127.0.0.1:80', keys))).toMatch(
      new RegExp(`services\\.a\\.${at}: cannot be combined with address, .* already runs$`),
    );
  });

  test('does not share its port with another one', () => {
    const one = (address: string) => `{ protocol: rest, address: "${address}" }`;

    expect(complaint(project(one('127.0.0.1:80'), one('127.0.0.1:81'), one('localhost:80')))).toMatch(
      /^wiregauge\.yml:4:\d+: services\.c\.address: has the same port as a: two services cannot share a port$/,
    );
  });
});

describe('a service that is started', () => {
  test('may say what its container is made of', () => {
    const keys =
      'user: "101:101", command: [nginx, -g, daemon off;], tmpfs: [/run, /var/cache/nginx], files: { /srv: site/html }';

    expect(parse(image(keys))).toMatchObject({
      user: '101:101',
      command: ['nginx', '-g', 'daemon off;'],
      tmpfs: ['/run', '/var/cache/nginx'],
      files: { '/srv': 'site/html' },
    });
  });

  test.each([
    ['deploy', { path: 'deploy', values: [], container: undefined }],
    [
      '{ path: chart, values: [perf.yml], container: shop/app }',
      { path: 'chart', values: ['perf.yml'], container: 'shop/app' },
    ],
  ])('may have manifests: %s', (manifests, found) => {
    expect(parse(image(`manifests: ${manifests}`))?.manifests).toEqual(found);
  });

  test('may set a fixed port for its process', () => {
    expect(parse(project('{ protocol: rest, process: { command: [x], port: 3000 } }'))?.process).toMatchObject({
      port: 3000,
    });
    expect(parse(project('{ protocol: rest, process: { command: [x] } }'))?.process?.port).toBeUndefined();
    expect(() => parse(project('{ protocol: rest, process: { command: [x], port: 70000 } }'))).toThrow('process.port');
  });

  test('needs no port if it only runs as a process, which gets a free one', () => {
    expect(parse(project('{ protocol: rest, process: { command: [x] } }'))).toMatchObject({
      port: 0,
      image: undefined,
    });
  });

  test('has its own limits, each separately', () => {
    expect(parse(image('limits: { memoryMiB: 64 }'))?.limits).toEqual({ memoryMiB: 64 });
  });

  test.each([
    ['path: /health', { kind: 'path', path: '/health' }, undefined],
    ['command: [check, 2], timeoutSeconds: 90', { kind: 'command', command: ['check', '2'] }, 90],
    ['timeoutSeconds: 0.5', { kind: 'usual' }, 0.5],
  ])('is ready by %s', (keys, check, timeoutSeconds) => {
    expect(parse(image(`ready: { ${keys} }`))?.ready).toEqual({ check, timeoutSeconds });
  });

  test.each([
    ['more CPUs than a core has', image('limits: { cpus: 2 }'), /services\.a\.limits\.cpus: must be at most 1: every/],
    ['no memory', image('limits: { memoryMiB: 0 }'), /limits\.memoryMiB/],
    ['files from outside', image('files: { /srv: ../secrets }'), /files\.\/srv: must be a path inside the repository/],
    ['files from the root', image('files: { /srv: /etc }'), /files\.\/srv: must be a path inside the repository/],
    ['files at no absolute path', image('files: { srv: site }'), /files\.srv: must be an absolute path inside the con/],
    ['the whole file system', image('files: { /: site }'), /files\.\/: must be an absolute path inside the container/],
    ['a folder that leads upwards', image('tmpfs: [/run/../etc]'), /tmpfs\.0: must be an absolute path/],
    ['options of a mount', image('tmpfs: ["/run,exec"]'), /tmpfs\.0: must be an absolute path/],
    ['manifests from outside', image('manifests: ../deploy'), /manifests: must be a path inside the repository/],
    ['no container', image('manifests: { path: a, container: a/b/c }'), /manifests\.container: must be a container/],
    ['no user', image('user: "a b"'), /user: must be user or user:group/],
    ['a number for a user, which YAML may misread', image('user: 0o17'), /services\.a\.user: /],
    ['two checks', image('ready: { path: /, command: [x] }'), /ready: must have only one of path, call and command/],
    ['a gRPC check of a REST service', image('ready: { call: a.B/C }'), /ready\.call: is only for gRPC/],
    ['no check at all in time', image('ready: { timeoutSeconds: 0 }'), /ready\.timeoutSeconds/],
    ['no port for a container', project('{ protocol: rest, image: nginx }'), /services\.a\.port: is missing$/],
    [
      'no port for the container beside a process',
      project('{ protocol: rest, image: nginx, process: { command: [x] } }'),
      /services\.a\.port: is missing$/,
    ],
    [
      'a user of a container where there is none',
      project('{ protocol: rest, port: 80, process: { command: [x] }, user: "1" }'),
      /services\.a\.user: is only for containers, but there is no image/,
    ],
    [
      'needs in a placeholder that it does not have',
      image('environment: { URL: "${needs.db.host}" }'),
      /environment\.URL: .* there is no db in its needs; it has no needs$/,
    ],
  ])('is refused with %s', (_what, text, message) => {
    expect(complaint(text)).toMatch(message);
  });
});

describe('what looks at the functions of a service', () => {
  const PATH = '/debug/pprof/profile';

  test.each([
    ['auto', undefined],
    ['off', 'off'],
    [`{ pprof: ${PATH} }`, { path: PATH, address: undefined }],
    [`{ pprof: "127.0.0.1:6060${PATH}" }`, { path: PATH, address: '127.0.0.1:6060' }],
    [`{ pprof: "[::1]:6060${PATH}" }`, { path: PATH, address: '[::1]:6060' }],
    [`{ pprof: "localhost:1/" }`, { path: '/', address: 'localhost:1' }],
    // One that begins so is a path all the same.
    ['{ pprof: "//example.org/profile" }', { path: '//example.org/profile', address: undefined }],
  ])('may be %s', (profiler, expected) => {
    expect(parse(image(`profiler: ${profiler}`))?.profiler).toEqual(expected);
  });

  test.each([
    'debug',
    '127.0.0.1:6060',
    '"127.0.0.1:0/debug"',
    '"127.0.0.1:70000/debug"',
    '"http://127.0.0.1:6060/debug"',
    '"user@127.0.0.1:6060/debug"',
    '"127.0.0.1:6060@example.org/debug"',
    '/debug?seconds=3600',
    '"/debug#top"',
    '"/a b"',
  ])('is a page, not %s', (page) => {
    expect(complaint(image(`profiler: { pprof: ${page} }`))).toMatch(
      /services\.a\.profiler\.pprof: must be a path, like \/debug\/pprof\/profile, or a host, a port and a path/,
    );
  });

  test.each(['example.org', '10.0.0.1', '0.0.0.0', '169.254.169.254', '127.0.0.1.example.org', '127.0.0.999'])(
    'is never at %s, since requests go to this machine only',
    (host) => {
      expect(complaint(image(`profiler: { pprof: "${host}:6060${PATH}" }`))).toMatch(
        /services\.a\.profiler\.pprof: must be an address of this machine .*: Wiregauge sends requests only to this machine/,
      );
    },
  );

  test.each([
    ['profiler: on', /services\.a\.profiler: must be auto, off, or \{ pprof: \/debug\/pprof\/profile \}/],
    ['profiler: { perf: 1 }', /services\.a\.profiler\.perf: is an unknown key; did you mean pprof\?|expected pprof/],
    ['profile: { pprof: /debug }', /services\.a\.profile: is an unknown key; did you mean profiler\?/],
    [
      `profiler: { pprof: ${PATH} }, tls: {}`,
      /services\.a\.profiler\.pprof: is read without TLS, but its port uses TLS/,
    ],
  ])('is refused as %s', (keys, message) => {
    expect(complaint(image(keys))).toMatch(message);
  });

  test('is at another port if the own one speaks gRPC', () => {
    const grpc = (page: string) =>
      `services: { a: { protocol: grpc, port: 80, image: nginx, proto: reflection, profiler: { pprof: "${page}" } } }\noperations: [{ name: Get, grpc: a.B/C }]\n`;

    expect(complaint(grpc(PATH))).toMatch(/profiler\.pprof: is read over HTTP, but its port speaks gRPC/);
    expect(parse(grpc(`127.0.0.1:6060${PATH}`))?.profiler).toMatchObject({ address: '127.0.0.1:6060' });
  });

  test('is shown with a mark below the mistake', () => {
    const text = project('{ protocol: rest, port: 80, image: nginx, profiler: { pprof: "10.0.0.1:6060/debug" } }');
    const refused = (() => {
      try {
        return parse(text);
      } catch (thrown) {
        return thrown as ConfigError;
      }
    })();

    const [, , line = '', mark = ''] = (refused instanceof ConfigError ? (refused.framed ?? '') : '').split('\n');
    expect(line.slice(mark.indexOf('^'), mark.lastIndexOf('^') + 1)).toBe('pprof');
  });
});
