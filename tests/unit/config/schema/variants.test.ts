import { describe, expect, it } from 'vitest';
import { parseProject, parseService, parseSuite } from '../../../../src/config/parse.ts';
import { parseVariants } from '../../../../src/config/schema/suite.ts';
import { parseVariantNames } from '../../../../src/config/schema/variants.ts';
import { secretUsesIn } from '../../../../src/config/secret-uses.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';

const project = (variants: string) => ({
  file: 'wiregauge.yml',
  text: `services:
  api: { protocol: rest, port: 80, image: "nginx:1.27", environment: { WORKERS: 8, COLOR: red } }
  api.taken: { protocol: rest, port: 80, image: "nginx:1.27" }
operations:
  - { name: Index, rest: GET / }
variants:
${variants}
`,
});

function variantsOf(text: string) {
  return parseProject(project(text)).suite.variants?.['api'];
}

function refusal(text: string): ConfigError {
  try {
    variantsOf(text);
  } catch (thrown) {
    if (thrown instanceof ConfigError) {
      return thrown;
    }
    throw thrown;
  }
  return expect.unreachable('nothing was refused');
}

describe('variants of a service', () => {
  it('are sets of settings with names', () => {
    expect(variantsOf('  api: { one: { WORKERS: 1 }, many: { WORKERS: 4, ASYNC: true }, usual: {} }')).toEqual([
      { name: 'one', environment: { WORKERS: '1' } },
      { name: 'many', environment: { WORKERS: '4', ASYNC: 'true' } },
      { name: 'usual', environment: {} },
    ]);
  });

  it('are all combinations of values, the last variable changing fastest', () => {
    expect(variantsOf('  api: { KIND: [sync, gthread], MAX_WORKERS: [1, 2] }')).toEqual([
      { name: 'sync-max-workers-1', environment: { KIND: 'sync', MAX_WORKERS: '1' } },
      { name: 'sync-max-workers-2', environment: { KIND: 'sync', MAX_WORKERS: '2' } },
      { name: 'gthread-max-workers-1', environment: { KIND: 'gthread', MAX_WORKERS: '1' } },
      { name: 'gthread-max-workers-2', environment: { KIND: 'gthread', MAX_WORKERS: '2' } },
    ]);
  });

  it.each([
    ['api: { one: { WORKERS: 1 }, WORKERS: [1] }', /variants\.api\.one: mixes named variants and lists of values/],
    ['api: { no-name: [1, 2] }', /variants\.api\.no-name: must be an environment variable/],
    ['api: { OPTIONS: ["-w 2"] }', /variants\.api\.OPTIONS: has a value that cannot be part of a name/],
    ['api: { WORKERS: [1, 1] }', /variants\.api\.WORKERS: must not contain duplicates/],
    ['api: { WORKERS: [] }', /variants\.api\.WORKERS/],
    ['api: { A: [a, a-b], B: [c, b-c] }', /variants\.api: has two combinations with the same name/],
    ['api: {}', /variants\.api: has no variants/],
    ['api: { one: 1 }', /variants\.api\.one: must be the settings of a variant \(a map\), or the values of a variable/],
    ['api: { one: { "no variable": 1 } }', /variants\.api\.one/],
    [`api: { A: [${Array.from({ length: 65 }, (_, index) => index)}] }`, /has 65 variants; the limit is 64/],
    ['apu: { one: { WORKERS: 1 } }', /variants\.apu: there is no service apu in this suite/],
    ['api: { taken: { WORKERS: 1 } }', /variants\.api: there is already a service api\.taken/],
    [`api: { ${'x'.repeat(77)}: {} }`, /variants\.api: api\.x+ has more than 80 characters/],
  ])('are refused as %s', (text, message) => {
    expect(refusal(`  ${text}`).message).toMatch(message);
    expect(refusal(`  ${text}`).message).toMatch(/^wiregauge\.yml:7:\d+: /);
  });

  it('name the service that may be meant', () => {
    expect(refusal('  apy: { one: { WORKERS: 1 } }').next).toBe('Did you mean api?');
  });

  it('hold no secrets, since reports show them', () => {
    expect(() => secretUsesIn(project('  api: { one: { TOKEN: "${env.TOKEN}" } }'))).toThrow(
      /variants\.api\.one\.TOKEN: \$\{env\.TOKEN\} is not allowed here/,
    );
  });

  it('are there in a suite of several files, too', () => {
    const { file, text } = project('  api: { WORKERS: [1] }');
    const suite = text.replace(/services:\n.*\n.*\n/, 'name: servers\ntitle: Servers\nservices: [api]\n');

    expect(parseSuite({ file, text: suite }).variants).toEqual({
      api: [{ name: 'workers-1', environment: { WORKERS: '1' } }],
    });
    expect(parseVariantNames({ file, text: suite })).toEqual(['api.workers-1']);
  });
});

describe('a service with variants', () => {
  const file = project('  api: { WORKERS: [1, 2] }');
  const service = (keys: string) =>
    parseService({ file: 'services/api/service.yml', text: `name: api\nprotocol: rest\n${keys}\n` });

  it('is as many services, with the settings of each over its own', () => {
    const own = service('port: 80\nimage: nginx:1.27\nenvironment: { WORKERS: 8, COLOR: red }');

    expect(parseVariants(file)(own)).toMatchObject([
      {
        name: 'api.workers-1',
        title: 'api, workers-1',
        environment: { WORKERS: '1', COLOR: 'red' },
        variant: { of: 'api', name: 'workers-1', environment: { WORKERS: '1' } },
      },
      { name: 'api.workers-2', environment: { WORKERS: '2', COLOR: 'red' } },
    ]);
  });

  it('is itself where it has none', () => {
    const other = { ...service('port: 80\nimage: nginx:1.27'), name: 'other' };

    expect(parseVariants(file)(other)).toEqual([other]);
  });

  it('is refused if it already runs', () => {
    expect(() => parseVariants(file)(service('address: 127.0.0.1:8080'))).toThrow(
      /^wiregauge\.yml:7:\d+: variants\.api: cannot apply to api, which already runs \(address\)$/,
    );
  });

  it('is refused if a setting names a need that it does not have', () => {
    const needy = project('  api: { one: { DB: "${needs.db.host}" } }');

    expect(() => parseVariants(needy)(service('port: 80\nimage: nginx:1.27'))).toThrow(
      /^wiregauge\.yml:7:\d+: variants\.api\.one\.DB: for api, \$\{needs\.db\.host\} cannot be resolved/,
    );
  });
});

describe('variants of a service that the file does not have', () => {
  const text = `services:
  api: { protocol: rest, pot: 8080, image: nginx:1.27 }
operations:
  - { name: Index }
variants:
  api: { no-name: [1], "9": [2] }
  apu: { one: { WORKERS: 1 } }
  app: [1]
policy: { alpha: 5 }
`;
  const thrown = (): ConfigError => {
    try {
      parseProject({ file: 'wiregauge.yml', text });
    } catch (error) {
      return error instanceof ConfigError ? error : expect.unreachable('another error');
    }
    return expect.unreachable('nothing was refused');
  };

  it('are reported together with all other mistakes', () => {
    expect(thrown().message.match(/^wiregauge\.yml:.*$/gm)).toEqual([
      expect.stringContaining('services.api.pot: is an unknown key; did you mean port?'),
      expect.stringContaining('variants.api.no-name: must be an environment variable'),
      expect.stringContaining('variants.api.9: must be an environment variable'),
      expect.stringMatching(/^wiregauge\.yml:7:3: variants\.apu: there is no service apu in this suite \(WG-106\)$/),
      expect.stringMatching(/^wiregauge\.yml:8:3: variants\.app: /),
      expect.stringMatching(/^wiregauge\.yml:8:3: variants\.app: there is no service app in this suite/),
      expect.stringMatching(/^wiregauge\.yml:9:\d+: policy\.alpha: must be a share/),
    ]);
  });

  it('have a mark below their name', () => {
    expect(thrown().framed).toContain('  7 |   apu: { one: { WORKERS: 1 } }\n    |   ^^^\n');
  });
});
