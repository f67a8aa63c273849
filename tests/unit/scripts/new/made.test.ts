import { expect, test } from 'vitest';
import type { Scaffold } from '../../../../scripts/new/kind.ts';
import { readRequest } from '../../../../scripts/new/request.ts';
import { parseSuite } from '../../../../src/config/parse.ts';
import { servicesIn } from '../../../../src/project/suite.ts';

function made(line: string): Scaffold {
  const read = readRequest(line.split(' '), '.');
  if ('mistakes' in read) {
    throw new Error(read.mistakes.join('\n'));
  }
  return read.kind.make(read, '.');
}

const WORD_OF_A_TEMPLATE = /sample/i;

test.each(['service my-greeter', 'service my-greeter --language go', 'protocol echo', 'suite mine'])(
  'nothing is left of the words of the template: %s',
  (line) => {
    const { written } = made(line);

    expect(Object.keys(written).length).toBeGreaterThan(0);
    expect(
      Object.entries(written)
        .flat()
        .filter((text) => WORD_OF_A_TEMPLATE.test(text)),
    ).toEqual([]);
  },
);

test('a service is one folder', () => {
  for (const line of ['service my-greeter', 'service my-greeter --language go']) {
    const { written, changed } = made(line);

    expect(Object.keys(written).filter((path) => !path.startsWith('services/my-greeter/'))).toEqual([]);
    expect(changed).toEqual({});
  }
});

test('a protocol is one folder, its test, a line in two tables, and a section of the reference', () => {
  const { written, changed } = made('protocol echo --title Echo');

  expect(Object.keys(written)).toEqual(['src/protocols/echo/echo.ts', 'tests/unit/protocols/echo/echo.test.ts']);
  expect(Object.keys(changed)).toEqual(['src/model/service.ts', 'src/protocols/protocols.ts', 'docs/config.md']);
  expect(changed['src/model/service.ts']).toContain("  echo: 'Echo',\n} as const;");
  expect(changed['docs/config.md']).toContain('### A request over Echo\n');
  expect(changed['src/protocols/protocols.ts']).toMatch(/PROTOCOLS = \{ rest, grpc, .*echo: echoProtocol \} as const/);
});

test.each([
  ['rest,grpc', ['GetUser', 'ListUsers']],
  ['payload-json-go,payload-json', ['Objects1', 'Objects100', 'Objects1000']],
  // No suite has both.
  ['rest,payload-json', ['Greet']],
])('a suite of %s asks for what another suite of them asks for', (services, operations) => {
  const { written } = made(`suite mine --services ${services}`);
  const suite = parseSuite({ file: 'suites/mine.yml', text: written['suites/mine.yml'] ?? '' });

  expect(suite.services).toEqual(services.split(','));
  expect(suite.operations.map(({ name }) => name)).toEqual(operations);
  expect(servicesIn('.')).toEqual(expect.arrayContaining([...suite.services]));
});
