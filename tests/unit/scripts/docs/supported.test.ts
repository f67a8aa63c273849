import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PROTOCOL_NAMES, PROTOCOL_TITLES } from '../../../../src/model/service.ts';
import { generatorFor } from '../../../../src/protocols/protocols.ts';

it.each(PROTOCOL_NAMES)('the document of what is supported names the library that loads %s', (name) => {
  const [, text = ''] = readFileSync('docs/supported.md', 'utf8').split('The load driver sends ');
  const [, library = ''] = new RegExp(`${PROTOCOL_TITLES[name]}[^,]* with (\\S+?)[,.]`).exec(text) ?? [];
  const tool = generatorFor(name);

  expect(library).toBe(tool === 'websocket' ? 'coder/websocket' : tool);
});
