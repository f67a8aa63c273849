import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { causeFirst, relevantLine, relevantLines } from '../../../../src/model/secrets/printed.ts';

const lines = (text: string) => relevantLines(text, {}).split('\n');

const noise = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

describe('the informative lines of a log', () => {
  test.each([
    ['panic: runtime error: index out of range [3] with length 3'],
    ['panic: boom [recovered]'],
    ['fatal error: all goroutines are asleep - deadlock!'],
    ['Exception in thread "main" java.lang.IllegalStateException: no driver'],
    ['Caused by: java.net.ConnectException: Connection refused'],
    ["ModuleNotFoundError: No module named 'shop'"],
    ['TypeError: items.sort is not a function'],
    ["thread 'main' panicked at src/main.rs:4:5:"],
    ['src/shop.ts(3,5): error TS2322: Type string is not assignable to type number.'],
    ['error[E0308]: mismatched types'],
    ['java.lang.OutOfMemoryError: Java heap space'],
    ['FATAL: password file is not there'],
    ['Killed'],
    ['npm error code EUSAGE'],
    ['npm ERR! code ERESOLVE'],
    ['0.532 npm error Missing: left-pad@1.3.0 from lock file'],
    [' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"'],
    ['  × No solution found when resolving dependencies:'],
    ['cmd/shop/main.go:56:17: undefined: price'],
    ['go: updates to go.mod needed'],
    ['[ERROR] Failed to execute goal compile'],
  ])('begin with %s, however much is printed after it', (cause) => {
    const found = lines([...noise(3), cause, ...noise(100)].join('\n'));

    expect(found[0]).toBe(cause);
    expect(found).toHaveLength(20);
    expect(found.at(-1)).toBe('line 100');
  });

  test('are not the fields that Node.js prints of an error', () => {
    expect(relevantLine('Error: connect ECONNREFUSED 127.0.0.1:3306\n  port: 3306,\n  fatal: true\n}', {})).toBe(
      'Error: connect ECONNREFUSED 127.0.0.1:3306',
    );
  });

  test('are the last ones where no line says what went wrong', () => {
    expect(lines(noise(30).join('\n'))).toEqual(noise(30).slice(10));
  });

  test('stay as they stand where they begin with the cause', () => {
    expect(lines('panic: boom\n\ngoroutine 1 [running]:\nmain.main()')).toEqual([
      'panic: boom',
      'goroutine 1 [running]:',
      'main.main()',
    ]);
  });

  test('have no color, no title of a window and no line that was overwritten', () => {
    expect(lines('\u001b[31mred\u001b[0m\n\u001b]0;title\u0007plain\n10%\r55%\r100%')).toEqual([
      'red',
      'plain',
      '100%',
    ]);
  });

  test('are few and short, for any output', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 900 }), { maxLength: 60 }), (printed) => {
        const found = lines(printed.join('\n'));
        expect(found.length).toBeLessThanOrEqual(20);
        expect(Math.max(...found.map((line) => line.length))).toBeLessThanOrEqual(301);
      }),
      { numRuns: 50 },
    );
  });
});

/** As `npm ci` prints it. */
const NPM = [
  'npm error code EUSAGE',
  'npm error',
  'npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.',
  'npm error Missing: left-pad@1.3.0 from lock file',
  ...Array.from({ length: 60 }, (_, index) => `npm error   --flag-${index}`),
  'npm error A complete log of this run can be found in: /home/shop/.npm/_logs/1.log',
];

const TRACEBACK = [
  'Traceback (most recent call last):',
  ...Array.from(
    { length: 30 },
    (_, index) => `  File "<frozen importlib._bootstrap>", line ${index}, in _load_unlocked`,
  ),
  'shop.settings.Absent: DATABASE_URL',
];

describe('the most informative line', () => {
  test.each([
    ['an exception at the end of a traceback, whatever its name', TRACEBACK, 'shop.settings.Absent: DATABASE_URL'],
    [
      'the last error of several',
      ['Error: retrying', 'Error: no licence', '    at start (shop.js:1:1)'],
      'Error: no licence',
    ],
    [
      'the message of Ruby, above the calls that led to it',
      ["builder.rb:92:in `load_file': no longer supported: /config.ru (RuntimeError)", "\tfrom server.rb:5:in `start'"],
      "builder.rb:92:in `load_file': no longer supported: /config.ru (RuntimeError)",
    ],
    ['the last line, if none tells of an error', ['serving', '  out of handles'], 'out of handles'],
  ])('is %s', (_what, printed, line) => {
    expect(relevantLine(printed.join('\n'), {})).toBe(line);
  });

  test('is the first of a build, whose first mistake leads to the others', () => {
    expect(relevantLine(NPM.join('\n'), {}, 'first')).toBe('npm error code EUSAGE');
    expect(relevantLine('a.go:1:2: no\na.go:2:3: nor this', {}, 'first')).toBe('a.go:1:2: no');
  });

  test('is short, without secrets, and none if nothing was printed', () => {
    expect(relevantLine(`Error: token=${'a1B2'.repeat(9)} ${'word '.repeat(200)}`, {})).toMatch(
      /^Error: token=\*\*\* .{200,300}…$/,
    );
    expect(relevantLine('\n', {})).toBeUndefined();
    expect(relevantLine('no .env here\nexit status 1\n', {})).toBe('no .env here');
    expect(relevantLine('a.OperationalError: no file\nERROR:    Application startup failed. Exiting.\n', {})).toBe(
      'a.OperationalError: no file',
    );
  });
});

test('what a build printed begins with its first mistakes, not with the help behind them', () => {
  const [first, second, third, gap, ...rest] = relevantLines(NPM.join('\n'), {}, 'first').split('\n');

  expect([first, second, third, gap]).toEqual([NPM[0], NPM[2], NPM[3], '…']);
  expect(rest.at(-1)).toBe(NPM.at(-1));
});

describe('the last lines, the cause first', () => {
  test('have it first, however far above it stands', () => {
    expect(causeFirst(['panic: boom', ...noise(20)].join('\n'), 4)).toEqual(['panic: boom', '…', 'line 19', 'line 20']);
    expect(causeFirst(TRACEBACK.join('\n'), 3)).toEqual([TRACEBACK.at(-1), '…', TRACEBACK.at(-2)]);
  });

  test('are unchanged if none reports an error', () => {
    expect(causeFirst(noise(20).join('\n'), 2)).toEqual(['line 19', 'line 20']);
  });
});

describe('what looks like a secret', () => {
  test.each([
    ['the token of a workflow', `ghs_${'a1B2'.repeat(9)}`],
    ['a personal token', `github_pat_${'a1B2'.repeat(9)}`],
    ['a key of AWS', 'AKIAIOSFODNN7EXAMPLE'],
    ['a token of npm', `npm_${'a1B2'.repeat(9)}`],
    ['a JSON web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N'],
    ['the password in an address', 'hunter22@db.example', 'postgres://shop:hunter22@db.example/shop'],
    ['what stands behind a name', 'hunter22', 'DB_PASSWORD=hunter22'],
    ['a bearer', 'abcdef0123456789', 'Authorization: Bearer abcdef0123456789'],
    [
      'a private key',
      'MIIEvQIBADANBgkqhkiG9w0BAQ',
      '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\n-----END PRIVATE KEY-----',
    ],
  ])('is not there: %s', (_what, secret, printed = `the value is ${secret}.`) => {
    const found = relevantLines(printed, {});

    expect(found).not.toContain(secret);
    expect(found).toContain('***');
  });

  test('is looked for in a time that grows with the text: a square of this one would take minutes', () => {
    expect(relevantLines(`${'eyJ-'.repeat(2 ** 17)}\nthe end`, {})).toMatch(/the end$/);
  });

  test('is what a variable with the name of a secret holds', () => {
    const environment = { DEPLOY_TOKEN: 'correct-horse', NPM_PASSWORD: 'battery staple', HOME: '/home/shop' };

    expect(relevantLines('sent correct-horse from /home/shop\nand battery staple', environment)).toBe(
      'sent *** from /home/shop\nand ***',
    );
  });
});
