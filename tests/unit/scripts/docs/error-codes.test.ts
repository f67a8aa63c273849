import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CODES_FILE, codePage, codePageText, codeSections } from '../../../../scripts/docs/error-codes.ts';
import { brokenLinks } from '../../../../scripts/docs/links.ts';

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
