import { readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  difference,
  fileOf,
  openStudio,
  PICTURES,
  type Picture,
  type Studio,
} from '../../scripts/docs/pictures/pictures.ts';
import { requires } from '../support/requires.ts';

/** Share of pixels within which a picture of another machine stays. */
const MOST = 0.02;

it('are small together', () => {
  const bytes = PICTURES.reduce((sum, picture) => sum + statSync(fileOf(picture)).size, 0);

  expect(bytes).toBeLessThan(1_000_000);
});

describe.skipIf(!requires('browser'))('the committed pictures', () => {
  let studio: Studio;

  beforeAll(async () => {
    studio = await openStudio();
  });

  afterAll(async () => {
    await studio[Symbol.asyncDispose]();
  });

  const differs = async (picture: Picture, style?: string) =>
    difference(studio, [readFileSync(fileOf(picture)), await studio.take(picture, style)]);

  it.each(PICTURES)(
    'show the page: $of at $width pixels, $colorScheme; if not, run `npm run picture`, look at what it wrote, and commit it',
    async (picture) => {
      expect(await differs(picture)).toBeLessThan(MOST);
    },
  );

  it.each([
    ['a run', 'a-run', '.tiles dl { display: block }'],
    ['a comparison', 'a-regression', 'main > section { margin-left: 4rem }'],
    ['a trend page', 'a-trend-page', 'main { padding-top: 3rem }'],
    ['a comment', 'comment', 'td, th { padding: 14px }'],
  ])('differ if the layout of %s breaks', async (_what, of, style) => {
    // Both color schemes have one layout.
    for (const picture of PICTURES.filter((one) => one.of === of && one.colorScheme === 'light')) {
      expect(await differs(picture, style)).toBeGreaterThan(MOST);
    }
  });

  it('differ in the other color scheme', async () => {
    const [light, dark] = PICTURES.filter(({ of }) => of === 'a-run').map((one) => readFileSync(fileOf(one)));

    expect(await difference(studio, [light, dark] as Buffer[])).toBeGreaterThan(0.5);
  });
});
