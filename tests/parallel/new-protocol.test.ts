import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RepositoryCopy } from '../support/repository-copy.ts';

test('a protocol that was just made is typed, linted and documented, and asks a service', () => {
  using copy = new RepositoryCopy();
  const made = copy.make('protocol', 'ping', '--title', 'Ping');
  expect(made.printed).toContain('wrote   src/protocols/ping/ping.ts');
  expect(made.exitCode, made.printed).toBe(0);

  const bin = (name: string, ...args: readonly string[]) => copy.run(`node_modules/.bin/${name}`, ...args);
  const written = ['src/protocols', 'src/model', 'tests/unit/protocols/ping'];
  const configuration = join(copy.root, 'tsconfig.made.json');
  writeFileSync(configuration, JSON.stringify({ extends: './tsconfig.json', include: written }));
  for (const end of [
    bin('tsc', '--project', configuration),
    bin('biome', 'check', '--error-on-warnings', ...written),
    bin('tsx', 'scripts/generated/write.ts'),
    bin('tsx', 'scripts/structure/check.ts'),
    // The made test sends a request; the others are of every protocol, and of the documents.
    bin(
      'vitest',
      'run',
      '--project',
      'unit',
      'tests/unit/protocols/ping',
      'tests/unit/protocols/protocols.test.ts',
      'tests/unit/scripts/generated',
      'tests/unit/scripts/docs-blocks.test.ts',
    ),
  ]) {
    expect(end.exitCode, end.printed).toBe(0);
  }

  const project = join(copy.root, 'build/project');
  mkdirSync(project, { recursive: true });
  const text = `services: { mine: { protocol: ping, address: "127.0.0.1:8080", headers: { X-Who: me } } }
operations: [{ name: Ask, arguments: [{ id: 1 }], ping: /ask }]
`;
  writeFileSync(join(project, 'wiregauge.yml'), text);
  const shown = copy.run('sh', '-c', 'cd build/project && ../../node_modules/.bin/tsx ../../src/cli.ts config show');

  expect(shown.printed).toContain('POST /ask');
  expect(shown.exitCode, shown.printed).toBe(0);
});
