/** `npm run picture` takes the committed pictures of the comment and the pages, and writes the text by which a test detects a stale comment. Requires Chromium. */
import { existsSync, writeFileSync } from 'node:fs';
import { PICTURE_TEXT, shownPart, storedComment } from './comment.ts';
import { CHROMIUM, fileOf, openStudio, PICTURES } from './pictures.ts';

if (existsSync(CHROMIUM)) {
  await using studio = await openStudio();
  for (const picture of PICTURES) {
    writeFileSync(fileOf(picture), await studio.take(picture));
  }
  writeFileSync(PICTURE_TEXT, shownPart(storedComment()));
  console.log(`wrote ${PICTURES.length} pictures to docs/images`);
} else {
  console.error(`The pictures were not taken, since ${CHROMIUM} is missing. Install Chromium, and run it again.`);
  process.exitCode = 1;
}
