import { describe, expect, it } from 'vitest';
import { readDocument } from '../../../../scripts/docs/document.ts';
import { siteDocuments } from '../../../../scripts/docs/links.ts';

// A browser checks the frame and the colors of the site; this is what a document itself can withhold from a screen reader.
describe.each([...siteDocuments()])('%s', (_file, text) => {
  const { tokens, headings } = readDocument(text);

  it('has one title, and leaves out no level of headings', () => {
    const jumps = headings.filter(({ level }, place) => level > (headings[place - 1]?.level ?? 0) + 1);

    expect(headings.filter(({ level }) => level === 1)).toHaveLength(1);
    expect(jumps).toEqual([]);
  });

  it('names every column of its tables', () => {
    const names = tokens.flatMap(({ type }, place) => (type === 'th_open' ? [tokens[place + 1]?.content] : []));

    expect(names).not.toContain('');
  });

  it('says what its pictures show', () => {
    const pictures = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'image');

    expect(pictures.filter(({ content }) => content.trim() === '')).toEqual([]);
  });
});
