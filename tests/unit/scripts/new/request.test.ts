import { expect, test } from 'vitest';
import { HELP, readRequest } from '../../../../scripts/new/request.ts';

const SERVICES = /^there is no service a, nor b; there are .*payload-grpc, .*rest/;

test.each<[string, readonly (string | RegExp)[]]>([
  ['', ['what is to be made is missing: service, protocol, suite']],
  ['servce x', ['there is no kind servce: did you mean service?']],
  ['toString x y', [/^there is no kind toString: expected one of /, 'one name is enough: what is y?']],
  ['service', ['a name is missing']],
  [
    'service grpc --language rust --title <b>',
    ['there is already a service grpc', /rust: it must be python or go/, /<b>/],
  ],
  ['service ../x', [/^"..\/x" is not a valid name: write 1 to 40 lower-case letters/]],
  ['service a- --language', ['--language needs a value: python|go', /^"a-" is not a valid name/]],
  ['service a --services rest', ['there is no option --services here; there are --language, --title']],
  ['protocol grpc', [/^src\/protocols\/grpc already exists; protocols are rest, grpc/]],
  ['protocol http', [/^src\/protocols\/http already exists/]],
  ['protocol http', [/^src\/protocols\/http already exists/]],
  ['protocol verify', [/^verify has another meaning in configurations/]],
  ['protocol null', [/^null has another meaning in configurations/]],
  ['protocol Web-Socket', [/^"Web-Socket" is not a valid name of a protocol/]],
  [
    'suite users --services a,b,rest,rest',
    ['suites/users.yml already exists', SERVICES, '--services names rest twice'],
  ],
])('all mistakes are reported: %s', (line, mistakes) => {
  const read = readRequest(line === '' ? [] : line.split(' '), '.');

  expect(read).toEqual({
    mistakes: mistakes.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))),
  });
});

test.each(['service greeter --language go', 'protocol echo --title Echo', 'suite greetings --services rest,grpc'])(
  'a wish without mistakes is made: %s',
  (line) => {
    const read = readRequest(line.split(' '), '.');

    expect(read).toMatchObject({ name: line.split(' ')[1] });
  },
);

test('help names every kind with its options', () => {
  expect(HELP).toMatch(/^service <name>\n.*\n {2}--language python\|go /m);
  expect(HELP).toMatch(/^protocol <name>$/m);
  expect(HELP).toMatch(/^suite <name>\n.*\n {2}--services <names> /m);
});
