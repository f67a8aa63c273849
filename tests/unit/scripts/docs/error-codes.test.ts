import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CODES_FILE, codePage, codePageText, codeSections } from '../../../../scripts/docs/error-codes.ts';
import { brokenLinks } from '../../../../scripts/docs/links.ts';
import { COLLECTED } from '../../../../scripts/generated/messages.ts';
import { codesOfMessage } from '../../../../src/commands/help/topics.ts';

it('makes a page of a section, whose links lead to where they led', () => {
  const [section] = codeSections(
    '### WG-104\n\n**A key is unknown.**\n\n- **Meaning**: See [a](a.md#b), [here](#wg-105) and [there](https://x.org/).\n',
  );

  expect(section && codePageText(section)).toBe(
    '# WG-104: A key is unknown\n\n- **Meaning**: See [a](../a.md#b), [here](../errors.md#wg-105) and [there](https://x.org/).\n\n[All codes](../errors.md)\n',
  );
});

it('leads from each page to a document and a heading that are there', () => {
  const texts = new Map(
    codeSections(readFileSync(CODES_FILE, 'utf8')).map((section) => [codePage(section.code), codePageText(section)]),
  );
  const textOf = (path: string) => texts.get(path) ?? readFileSync(path, 'utf8');

  expect(texts.size).toBeGreaterThan(60);
  expect([...texts.keys()].flatMap((page) => brokenLinks(page, { textOf }))).toEqual([]);
});

it('has as examples messages that `explain` finds', () => {
  const examples = codeSections(readFileSync(CODES_FILE, 'utf8')).flatMap(({ code, list }) =>
    [...list.matchAll(/^- \*\*Example\*\*: `(.*)`$/gm)].map(([, message = '']) => ({ code, message })),
  );

  expect(examples.length).toBeGreaterThan(60);
  expect(examples.filter(({ code, message }) => !codesOfMessage(message).includes(code))).toEqual([]);
});

it.each(COLLECTED)('%s "%s" is in the source or in a library', (_code, message) => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const texts = [...sources.map((file) => `src/${file}`), 'node_modules/commander/lib/command.js'].map((file) =>
    readFileSync(file, 'utf8'),
  );

  for (const part of message.split('…').filter((one) => /\p{L}{3}/u.test(one))) {
    expect(texts.some((text) => text.includes(part.replace(/^: /, '').trim()))).toBe(true);
  }
});
