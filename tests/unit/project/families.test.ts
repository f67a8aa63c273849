import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mistakesIn } from '../../../src/config/mistakes.ts';
import { parseService } from '../../../src/config/parse.ts';
import { ConfigError } from '../../../src/foundation/errors.ts';
import { readProtos } from '../../../src/host/files/repository.ts';
import { manifestOf, manifestsIn } from '../../../src/project/manifests.ts';
import { readSuite } from '../../../src/project/suite.ts';

describe('the families of this repository', () => {
  const manifests = manifestsIn('.');

  it.each(manifests.names)('describe %s, without a placeholder that nothing fills in', (name) => {
    const service = parseService(manifestOf('.', manifests, name), { protoTexts: (folder) => readProtos('.', folder) });
    const { proto: _contract, ...described } = service;

    expect(service.name).toBe(name);
    expect(JSON.stringify(described)).not.toMatch(/(?<!\$)\{[a-z]\w*\}/i);
  });
});

describe('a suite of a family', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'family-'));
    mkdirSync(join(root, 'services/api'), { recursive: true });
    mkdirSync(join(root, 'suites'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const FAMILY = `base: { protocol: rest, port: 80, image: "nginx:1.27" }
services:
  plain: { title: Plain }
  other: { title: Other }
matrix:
  - name: api-{http}
    axes: { http: [{ name: h1 }, { name: h2c, http: h2c }] }
`;

  const read = (family: string, services: string) => {
    writeFileSync(join(root, 'services/api/services.yml'), family);
    const operations = 'operations: [{ name: Index, rest: GET / }]\n';
    writeFileSync(join(root, 'suites/api.yml'), `name: api\ntitle: Api\nservices: ${services}\n${operations}`);
    return readSuite(root, 'api');
  };

  const mistakes = (family: string, services: string): readonly string[] => {
    try {
      read(family, services);
    } catch (thrown) {
      return thrown instanceof ConfigError ? mistakesIn(thrown).map(({ message }) => message) : [String(thrown)];
    }
    return [];
  };

  const WRONG = FAMILY.replace('title: Other', 'prot: 3').replace('http: h2c', 'connections: -8');

  const IN_KEYS = [
    'services/api/services.yml:4:12: services.other.prot (other.prot): is an unknown key; did you mean proto?',
    'services/api/services.yml:7:47: matrix.0.axes.http.1.connections (api-h2c.connections): must be at least 1',
  ];

  it('reports all mistakes in the keys of its services at once', () => {
    expect(mistakes(WRONG, '[plain, other, "api-{http}"]')).toEqual(IN_KEYS);
  });

  it('reports them next to an unknown template', () => {
    expect(mistakes(WRONG.replace('title: Plain', 'template: go'), '[other]')).toEqual([
      expect.stringContaining('there is no template go in this file'),
      ...IN_KEYS,
    ]);
  });

  it('names one service for a mistake that several share', () => {
    expect(mistakes(FAMILY.replace('port: 80', 'port: 0'), '[plain, other]')).toEqual([
      expect.stringContaining('services/api/services.yml:1:25: base.port (plain.port): '),
    ]);
  });
});
