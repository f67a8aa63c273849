import { expect, test } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';

const USUAL = 'Fix the line; the error often sits just before it.';

test.each([
  ['{ name: Get, rest: GET /users/{id} }', 'A path with braces is a text: quote it: "GET /users/{id}".'],
  ['{ name: Get, rest: { path: /a/{b}/c-{d.e} } }', 'A path with braces is a text: quote it: "/a/{b}/c-{d.e}".'],
  ['{ name: Get, rest: "GET /users/{id}" ]', USUAL],
  ['{ name: Get, rest: GET / ]', USUAL],
])('broken YAML with a path in braces says how to write it: %s', (operation, next) => {
  const text = `services:\n  a: { protocol: rest, port: 80, image: a }\noperations:\n  - ${operation}\n`;

  expect(() => parseProject({ file: 'wiregauge.yml', text })).toThrow(expect.objectContaining({ next }));
});
