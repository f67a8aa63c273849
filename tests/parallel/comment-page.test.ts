import { describe, expect, it } from 'vitest';
import { commentPage, PICTURE_WIDTH, storedComment } from '../../scripts/docs/pictures/comment.ts';
import { pagesInBrowser } from '../support/browser-pages.ts';
import { requires } from '../support/requires.ts';
import { commentOf, commentOn } from '../support/sample-comment.ts';
import { FINDINGS } from '../support/sample-findings.ts';

/** A phone of 390 px, of which GitHub's margins leave 326 px for a comment, and those of our page 34 px more. */
const WIDTH = 360;

/** Comments whose tables have the shortest and the longest texts. */
const COMMENTS: Readonly<Record<string, () => string>> = {
  'a stored comparison': storedComment,
  'what is inconclusive': () => commentOn({ noise: 2.5, services: ['rest'] }),
  'what is accepted': () => commentOf({ findings: [FINDINGS.accepted, FINDINGS.improved] }),
};

describe.skipIf(!requires('browser'))('the table of a comment', () => {
  const { open } = pagesInBrowser(commentPage);

  /** The width of the table's box and of what is in it. */
  const MEASURED = `(() => {
    const table = document.querySelector('table');
    return { right: table.getBoundingClientRect().right, inner: table.scrollWidth, outer: table.clientWidth };
  })()`;

  interface Measured {
    readonly right: number;
    readonly inner: number;
    readonly outer: number;
  }

  it.each(Object.entries(COMMENTS))('shows all of its columns on a phone: %s', async (_name, commentIn) => {
    const { page } = await open(commentIn(), { width: WIDTH });

    const { right, inner, outer } = await page.evaluate<Measured>(MEASURED);

    expect(right).toBeLessThanOrEqual(WIDTH);
    expect(await page.locator('table').first().locator('th').allTextContents()).toEqual(['', 'change', 'base → head']);
    expect(inner).toBeLessThanOrEqual(outer);
  });

  it('has all of its columns in view on a page of GitHub', async () => {
    const { page } = await open(storedComment(), { width: PICTURE_WIDTH });

    const { inner, outer } = await page.evaluate<Measured>(MEASURED);

    expect(inner).toBeLessThanOrEqual(outer);
  });
});
