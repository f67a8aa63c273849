import { describe, expect, it } from 'vitest';
import { kneeDocument } from '../../src/report/knee/document.ts';
import { htmlOf } from '../../src/report/render/html.ts';
import { pagesInBrowser } from '../support/browser-pages.ts';
import { requires } from '../support/requires.ts';
import { kneeIn, saturateRecord } from '../support/sample-saturate.ts';
import { searched, seenOf } from '../support/simulated-service.ts';
import { accessibilityFindings } from './accessibility.ts';

const RECORD = saturateRecord([
  kneeIn(
    searched((rate) => seenOf({ capacityRps: 4000, baseMs: 1 }, rate)),
    { name: 'rest' },
  ),
  kneeIn(
    searched((rate) => seenOf({ capacityRps: 8000, baseMs: 0.6, toolEndsFrom: 6000 }, rate)),
    { name: 'grpc' },
  ),
]);

describe.skipIf(!requires('browser'))('the page of a search for knees', () => {
  const { open } = pagesInBrowser((record: typeof RECORD) => htmlOf(kneeDocument(record)));

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('can be read by everybody and never scrolls sideways: %s, %i wide', async (colorScheme, width) => {
    const { page, complaints } = await open(RECORD, { colorScheme, width });

    const findings = await accessibilityFindings(page);
    const widest = await page.evaluate<number>('document.documentElement.scrollWidth');

    expect(findings).toEqual([]);
    expect(widest).toBeLessThanOrEqual(width);
    expect(complaints).toEqual([]);
    expect(await page.locator('.chart svg').count()).toBe(2);
  });
});
