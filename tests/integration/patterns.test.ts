import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** Beginnings of patterns whose texts are short, whoever writes them: names of files have 255 bytes, and numbers at most 330 digits. */
const BOUNDED = [
  'src/commands/init/routes/contracts.ts: ^[\\w.-]*(?:openapi|swagger)',
  'src/foundation/numbers.ts: \\B(?=(\\d{3})+$)',
  'src/host/files/scan.ts: ^(?:Dockerfile(?:',
];

interface Pattern {
  readonly place: string;
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

function patternsOf(file: string): readonly Pattern[] {
  const found: Pattern[] = [];
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      const [body, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
      found.push({ place: `${file}:${line}: ${node.text}`, file, source: body, flags });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Characters of every class, and pairs of them that many patterns look for. */
const PUMPS = [
  ...'aA0 \t\n-./"\'()[]{}<>=:_#?*@,;|\\+$&%~é\u001b',
  ...['a ', ' a', 'a.', 'a-', 'a/', '\n ', 'a\n', 'a:', 'a=', 'a(', '("', '",'],
];

/** Texts that repeat one piece: of every class, and of what the pattern itself has. */
function attacksOn({ source }: Pattern): readonly ((length: number) => string)[] {
  const plain = source.replace(/\\[wsdbWSDBpP](?:\{[^}]*\})?/g, ' ').replace(/\\(.)/g, '$1');
  const words = [...new Set([...plain.matchAll(/[\w@.:-]{2,}/g)].map(([word]) => word))];
  const pumps = new Set([...PUMPS, ...source.replaceAll('\\', ''), ...words, ...words.map((word) => `${word}-`)]);
  const starts = ['', ...words.slice(0, 2)];
  return [...pumps].flatMap((pump) =>
    starts.flatMap((start) =>
      ['', '\0'].map((end) => (length: number) => `${start}${pump.repeat(Math.ceil(length / pump.length))}${end}`),
    ),
  );
}

/** Milliseconds of CPU time of a whole search: nothing else that the machine does meanwhile counts. */
function msOf(pattern: RegExp, text: string): number {
  pattern.lastIndex = 0;
  const start = process.cpuUsage();
  if (pattern.global) {
    text.replace(pattern, '');
  } else {
    pattern.exec(text);
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

const SHORT = 2000;
const TIMES = [1, 2, 3];

/** Whether the time of a pattern grows far faster than the text: with its square, four times the text takes 16 times as long. */
function isSuperLinear(pattern: Pattern): boolean {
  const compiled = new RegExp(pattern.source, pattern.flags);
  const takesMore = (text: string, ms: number) => TIMES.every(() => msOf(compiled, text) > ms);
  return attacksOn(pattern).some((attack) => {
    // A search that is linear takes some microseconds.
    if (!takesMore(attack(SHORT), 0.3)) {
      return false;
    }
    const text = attack(2 * SHORT);
    const before = Math.min(...TIMES.map(() => msOf(compiled, text)));
    return takesMore(attack(8 * SHORT), 8 * before);
  });
}

test('no pattern takes a time that grows with the square of a text from outside', { timeout: 300_000 }, () => {
  const files = execFileSync('git', ['ls-files', 'src/*.ts'], { encoding: 'utf8' }).trim().split('\n');
  const patterns = files.flatMap(patternsOf);

  const found = patterns.filter((pattern) => isSuperLinear(pattern));

  expect(patterns.length).toBeGreaterThan(500);
  const isBounded = ({ file, source }: Pattern) => BOUNDED.some((start) => `${file}: ${source}`.startsWith(start));
  expect(found.filter((pattern) => !isBounded(pattern)).map(({ place }) => place)).toEqual([]);
});

// A machine that changes its speed meanwhile can hide that one takes longer.
test('a pattern that takes so long is found', { retry: 3 }, () => {
  const tried = (source: string) => isSuperLinear({ place: '', file: '', source, flags: 'g' });

  expect(['\\beyJ[\\w-]{8,}\\.', '-+$', '(\\w+)\\s*$'].map(tried)).toEqual([true, true, true]);
  expect(['\\beyJ[\\w-]{8,500}\\.', '(?<!-)-+$', '(?<!\\w)(\\w+)\\s*$'].map(tried)).toEqual([false, false, false]);
});
