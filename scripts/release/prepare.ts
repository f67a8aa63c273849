// Prepares the release of the given version: dates "Unreleased" in CHANGELOG.md, and sets the version in package.json and package-lock.json. Commits
// nothing: `npm run release -- 1.2.3`.
import { readFileSync, writeFileSync } from 'node:fs';
import { preparedFiles } from './prepared.ts';

const [version = ''] = process.argv.slice(2);
const read = (path: string): string => readFileSync(path, 'utf8');
const files = { changelog: read('CHANGELOG.md'), manifest: read('package.json'), lock: read('package-lock.json') };
const prepared = preparedFiles(files, { version, date: new Date().toISOString().slice(0, 10) });
if (prepared.kind === 'refused') {
  console.error(prepared.problem);
  process.exit(2);
}
writeFileSync('CHANGELOG.md', prepared.files.changelog);
writeFileSync('package.json', prepared.files.manifest);
writeFileSync('package-lock.json', prepared.files.lock);
console.log(
  `CHANGELOG.md, package.json and package-lock.json name ${version}. Now: npm run build, npm run readme, commit, and start the workflow \`release\`.`,
);
