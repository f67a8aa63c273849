import { describe, expect, it } from 'vitest';
import { parseFamily } from '../../../../src/config/families/family.ts';
import { parseService, parseSuite } from '../../../../src/config/parse.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';

const FILE = 'services/api/services.yml';

const family = (text: string) => parseFamily({ file: FILE, text });

const services = (text: string) => family(text).map(({ source }) => parseService(source));

const mistake = (work: () => unknown): string => {
  try {
    work();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigError);
    return String(thrown);
  }
  return expect.fail('there is no mistake');
};

const MATRIX = `
templates:
  go:
    process: { build: [[go, build, "./cmd/{program}"]], command: ["build/{program}"] }
    environment: { GRACEFUL_SECONDS: "1", LOG: "on" }
base: { protocol: rest, template: go, environment: { LOG: null } }
services:
  plain: { title: Plain, set: { program: plain } }
matrix:
  - name: api-{http}-{body}
    title: "{body} over {http}"
    set: { program: "api-{body}" }
    axes:
      http: [{ name: h2c, http: h2c }, { name: h1, level: HTTP/1.1, connections: 8 }]
      body: [{ name: json }, { name: 2, level: two, environment: { SIZE: "2" } }]
`;

describe('a file of several services', () => {
  it('makes each combination of the levels, with templates and placeholders filled in', () => {
    expect(family(MATRIX).map(({ name, levels }) => [name, levels])).toEqual([
      ['plain', {}],
      ['api-h2c-json', { http: 'h2c', body: 'json' }],
      ['api-h2c-2', { http: 'h2c', body: 'two' }],
      ['api-h1-json', { http: 'HTTP/1.1', body: 'json' }],
      ['api-h1-2', { http: 'HTTP/1.1', body: 'two' }],
    ]);
    expect(services(MATRIX).at(-1)).toMatchObject({
      name: 'api-h1-2',
      title: '2 over h1',
      process: { build: [['go', 'build', './cmd/api-2']], command: ['build/api-2'] },
      environment: { GRACEFUL_SECONDS: '1', SIZE: '2' },
      connection: { connections: 8 },
    });
    expect(services(MATRIX)[0]).toMatchObject({ title: 'Plain', process: { command: ['build/plain'] } });
    expect(services(MATRIX)[0]?.environment).toEqual({ GRACEFUL_SECONDS: '1' });
  });

  it('repeats members, and what names all of them', () => {
    const [found] = services(`
services:
  chain:
    protocol: rest
    repeat: [{ next: last }, { next: end }]
    members:
      first:
        entry: true
        process: { command: [serve] }
        dependsOn: ["link-{n}"]
        environment: { ALL: "\${members.link-{n}.host}:1" }
      link-{n}:
        process: { command: [serve, "{n}"] }
        environment: { NEXT: "{next}" }
`);
    expect(found?.environment).toEqual({ ALL: '${members.link-1.host}:1,${members.link-2.host}:1' });
    expect(found?.members?.map(({ name, environment }) => [name, environment])).toEqual([
      ['link-1', { NEXT: 'last' }],
      ['link-2', { NEXT: 'end' }],
    ]);
  });

  it('says where in the file what is wrong with a service is', () => {
    const wrong = MATRIX.replace('connections: 8', 'connections: -1');
    const text = mistake(() => services(wrong));
    expect(text).toContain(`${FILE}:14:69: matrix.0.axes.http.1.connections (api-h1-json.connections): `);
  });

  it.each([
    ['an unknown template', MATRIX.replace('template: go', 'template: og'), 'there is no template og in this file'],
    ['an unknown placeholder', MATRIX.replace('{body} over', '{bdy} over'), '{bdy} has no value here'],
    ['a name that lacks an axis', MATRIX.replace('api-{http}-{body}', 'api-{http}'), 'two services api-h2c'],
    ['a name with an unknown axis', MATRIX.replace('api-{http}', 'api-{http}-{tls}'), 'there is no axis {tls}'],
    ['a template in itself', MATRIX.replace('  go:', '  go:\n    template: go'), 'contains itself: go -> go'],
    ['two levels of one name', MATRIX.replace('name: h1', 'name: h2c'), 'must not contain duplicate names'],
    ['an unknown key of the file', `${MATRIX}service: {}\n`, 'is an unknown key; did you mean services?'],
    ['placeholders that are no map', MATRIX.replace('set: { program: plain }', 'set: [1]'), 'must be a map of texts'],
    ['no number of copies', MATRIX.replace('title: Plain', 'repeat: many'), 'must be the number of copies'],
  ])('refuses %s', (_, text, message) => {
    const found = mistake(() => family(text));
    expect(found).toContain(message);
    expect(found).toMatch(new RegExp(`${FILE}:\\d+:\\d+: `));
  });

  it('refuses templates that multiply without end', () => {
    const levels = Array.from(
      { length: 19 },
      (_, at) => `  t${at}: { a: { template: t${at + 1} }, b: { template: t${at + 1} } }`,
    );
    const text = `templates:\n${levels.join('\n')}\n  t19: { c: 1 }\nservices:\n  api: { template: t0 }\n`;
    expect(mistake(() => family(text))).toContain('describes more than 100000 values');
  });
});

describe('a suite', () => {
  const SUITE = `
name: axes
title: Axes
services: ["api-{http}-{body}"]
operations: [{ name: Get, rest: GET / }]
factorial:
  factors: { version: http, size: body }
  lead: { service: api-h1-2, against: api-h2c-json, parts: { all: [version, size] } }
`;
  const suite = (text: string) => parseSuite({ file: 'suites/axes.yml', text }, { known: family(MATRIX) });

  it('names the services of a matrix by its name, whose axes are factors', () => {
    expect(suite(SUITE)).toMatchObject({
      services: ['api-h2c-json', 'api-h2c-2', 'api-h1-json', 'api-h1-2'],
      factorial: {
        factors: [
          { name: 'version', levels: ['h2c', 'HTTP/1.1'] },
          { name: 'size', levels: ['json', 'two'] },
        ],
        services: [
          { service: 'api-h2c-json', levels: ['h2c', 'json'] },
          { service: 'api-h2c-2', levels: ['h2c', 'two'] },
          { service: 'api-h1-json', levels: ['HTTP/1.1', 'json'] },
          { service: 'api-h1-2', levels: ['HTTP/1.1', 'two'] },
        ],
        lead: { of: ['HTTP/1.1', 'two'], against: ['h2c', 'json'] },
      },
    });
  });

  it.each([
    ['"api-*"', ['api-h2c-json', 'api-h2c-2', 'api-h1-json', 'api-h1-2']],
    ['api-h1-2, api-*-json, api-h1-*', ['api-h1-2', 'api-h2c-json', 'api-h1-json']],
  ])('names services by the pattern %s', (names, services) => {
    const text = SUITE.replace('"api-{http}-{body}"', names).replace(/factorial:.*/s, '');

    expect(suite(text).services).toEqual(services);
  });

  it.each([
    ['a pattern that no name fits', SUITE.replace('api-{http}-{body}', 'api-h3-*'), 'there is no service api-h3-*'],
    ['a pattern with two *', SUITE.replace('api-{http}-{body}', 'api-*-*'), 'or a pattern with one *, like api-*'],
    ['a matrix that there is not', SUITE.replace('{body}"', '{size}"'), 'there is no matrix api-{http}-{size}'],
    ['an axis that services lack', SUITE.replace('size: body', 'size: bytes'), 'has 1 levels, but there are 2 factors'],
  ])('refuses %s', (_, text, message) => {
    expect(mistake(() => suite(text))).toContain(message);
  });
});
