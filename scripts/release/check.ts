// Prints the plan of the release that VERSION names, or the reason that it cannot be made; changes nothing.
import { plannedRelease } from './inputs.ts';

const { tag, majorTag, isPrerelease, isLatest, channel, notes } = plannedRelease(process.env);
const kind = isPrerelease ? 'a pre-release' : isLatest ? 'the latest release' : 'not the latest release';
console.log(
  `tag: ${tag}, ${kind}\nmajor tag: ${majorTag === undefined ? 'stays where it is' : `${majorTag} moves here`}\nnpm and image: ${channel}`,
);
console.log(`notes:\n\n${notes}`);
