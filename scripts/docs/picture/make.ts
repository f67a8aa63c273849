/** `npm run picture` makes the picture of a comment from a stored comparison, and the text beside it that tells if it is stale. Needs Chromium. */
import { existsSync, writeFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { BROWSER_ARGUMENTS } from '../../browser-arguments.ts';
import { commentPage, PICTURE, PICTURE_TEXT, PICTURE_WIDTH, shownPart, storedComment } from './comment.ts';

const CHROMIUM = '/usr/bin/chromium';

async function takePicture(comment: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...BROWSER_ARGUMENTS] });
  try {
    const viewport = { width: PICTURE_WIDTH, height: 800 };
    const page = await browser.newPage({ viewport, colorScheme: 'light', locale: 'en-US' });
    await page.setContent(commentPage(comment));
    await page.locator('article').screenshot({ path: PICTURE });
  } finally {
    await browser.close();
  }
}

if (existsSync(CHROMIUM)) {
  const comment = storedComment();
  await takePicture(comment);
  writeFileSync(PICTURE_TEXT, shownPart(comment));
  console.log(`wrote ${PICTURE} and ${PICTURE_TEXT}`);
} else {
  console.error(`${PICTURE} was not made, since ${CHROMIUM} is missing. Install Chromium, and run it again.`);
  process.exitCode = 1;
}
