import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const textOf = (path: string) => readFileSync(`demo/${path}`, 'utf8');

test('the two versions of the demo differ in the service alone', () => {
  const names = readdirSync('demo/base').sort();

  expect(readdirSync('demo/head').sort()).toEqual(names);
  expect(names.filter((name) => textOf(`base/${name}`) !== textOf(`head/${name}`))).toEqual(['server.mjs']);
});
