import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Scaffold } from './new/kind.ts';
import { HELP, readRequest } from './new/request.ts';

// Writes a working service, protocol or suite, to be changed: npm run new -- service greeter
const root = process.cwd();
const argv = process.argv.slice(2);

if (argv.includes('--help') || argv.includes('-h')) {
  console.log(HELP);
} else {
  const read = readRequest(argv, root);
  if ('mistakes' in read) {
    console.error(read.mistakes.map((mistake) => `new: ${mistake}`).join('\n'));
    console.error('`npm run new -- --help` lists the kinds.');
    process.exitCode = 2;
  } else {
    write(read.kind.make(read, root));
  }
}

function write({ written, changed, commands, next }: Scaffold): void {
  for (const [path, text] of [...Object.entries(written), ...Object.entries(changed)]) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  for (const [program, ...args] of commands) {
    execFileSync(program, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const done = [
    ...Object.keys(written).map((path) => `wrote   ${path}`),
    ...Object.keys(changed).map((path) => `changed ${path}`),
  ];
  console.log([...done, '', 'Next:', ...next.map((step) => `  ${step}`)].join('\n'));
}
