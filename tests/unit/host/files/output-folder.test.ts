import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EnvironmentError } from '../../../../src/foundation/errors.ts';
import {
  diskError,
  fullDisk,
  lastingPath,
  onDisk,
  outputFolder,
  writeWholeFile,
} from '../../../../src/host/files/output.ts';

let folder = '';
const mounted: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'output-folder-'));
});

afterEach(() => {
  for (const path of mounted.splice(0)) {
    execFileSync('umount', [path]);
  }
  rmSync(folder, { recursive: true, force: true });
});

/** A file system of one page of 4 KiB or so, read-only or full after a few bytes; false if this user may not mount. */
function mount(path: string, options: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' });
    mounted.push(path);
    return true;
  } catch {
    return false;
  }
}

const mayMount = process.getuid?.() === 0 && existsSync('/bin/mount');

describe('outputFolder', () => {
  it('makes the folder with its parents and gives the path of what it wrote', async () => {
    const output = await outputFolder(join(folder, 'a/b'));

    expect(await output.write('run.json', '{"ü":1}\n')).toBe(join(folder, 'a/b/run.json'));
    expect(readFileSync(join(folder, 'a/b/run.json'), 'utf8')).toBe('{"ü":1}\n');
  });

  it('replaces a file as a whole and leaves no part next to it', async () => {
    const output = await outputFolder(folder);

    await output.write('run.json', 'a'.repeat(100_000));
    await output.write('run.json', 'b');

    expect(readdirSync(folder)).toEqual(['run.json']);
    expect(readFileSync(join(folder, 'run.json'), 'utf8')).toBe('b');
  });

  it('removes parts that killed programs have left, and no others', async () => {
    const output = await outputFolder(folder);
    const parts = ['.run.json.4999999.part', '.report.md.4999999.part', `.run.json.${process.ppid}.part`];
    for (const part of [...parts, '.run.json.4999998.part']) {
      writeFileSync(join(folder, part), '{');
      utimesSync(join(folder, part), 0, part.includes('4999998') ? Date.now() / 1000 : 0);
    }

    await output.write('run.json', '{}');

    expect(readdirSync(folder).sort()).toEqual([...parts.slice(1), '.run.json.4999998.part', 'run.json'].sort());
  });

  it('says which part of the path is in the way', async () => {
    writeFileSync(join(folder, 'file'), '');

    await expect(outputFolder(join(folder, 'file'))).rejects.toThrow(/a file with that name already exists/);
    const refused = outputFolder(join(folder, 'file/out'));
    await expect(refused).rejects.toThrow(EnvironmentError);
    await expect(refused).rejects.toThrow(`${folder}/file/out cannot be written: part of the path is a file (ENOTDIR)`);
  });

  it.each(['/proc/wiregauge', '/proc/wiregauge/out/deep', '/sys/wiregauge/out'])(
    'refuses %s, where no folder can be created, instead of retrying forever',
    async (path) => {
      await expect(outputFolder(path)).rejects.toThrow(EnvironmentError);
      await expect(outputFolder(path)).rejects.toThrow(`${path} cannot be written: `);
    },
  );

  it('lets others make the same folders at the same time', async () => {
    const path = join(folder, 'a/b/c/d');

    await Promise.all(Array.from({ length: 8 }, () => outputFolder(path)));

    expect(readdirSync(path)).toEqual([]);
  });

  it('says that a link that leads nowhere is in the way', async () => {
    symlinkSync(join(folder, 'gone'), join(folder, 'link'));

    await expect(outputFolder(join(folder, 'link/out'))).rejects.toThrow(/link\/out cannot be written: /);
  });

  it.each([
    ['the folder does not exist', () => 'gone/run.json'],
    ['its name is too long', () => 'x'.repeat(300)],
    [
      'too many symbolic links',
      () => {
        symlinkSync(join(folder, 'circle'), join(folder, 'circle'));
        return 'circle/run.json';
      },
    ],
  ])('names a path in its way: %s', async (reason, name) => {
    const path = join(folder, name());

    await expect(onDisk(path, async () => writeFileSync(path, ''))).rejects.toThrow(
      expect.objectContaining({ name: 'EnvironmentError', message: expect.stringContaining(reason) }),
    );
  });

  it.each([
    ['/tmp/wiregauge-4026531836-12-345-Ab3xYz/block-1-0', '/tmp'],
    ['/wiregauge-0-12-345-', '/'],
    ['/home/a/.cache/wiregauge/load-tools/.new-Xy1/.archive.tar', '/home/a/.cache/wiregauge/load-tools'],
    ['/home/a/wiregauge-out/run.json', '/home/a/wiregauge-out/run.json'],
  ])('names no folder that is removed when the program ends: %s', (path, expected) => {
    expect(lastingPath(path)).toBe(expected);
    expect(diskError(Object.assign(new Error('full'), { code: 'ENOSPC' }), path)?.message).toBe(
      `${expected} cannot be written: the disk is full (ENOSPC)`,
    );
  });

  it('reports a full disk for each kind of writer, and no other cause', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

    expect(fullDisk(full)?.message).toBe('a file cannot be written: the disk is full (ENOSPC)');
    expect(fullDisk(Object.assign(full, { path: '/out/a' }))?.message).toMatch(/^\/out\/a cannot be written/);
    expect(fullDisk(Object.assign(new Error('no'), { code: 'ENOENT' }))).toBeUndefined();
    expect(fullDisk('ENOSPC')).toBeUndefined();
  });

  it.runIf(mayMount)(
    'keeps a file that is to be replaced, and what a link leads to, when the disk is full',
    async ({ skip }) => {
      const path = join(folder, 'disk');
      mkdirSync(path);
      skip(!mount(path, 'size=16k'), 'this user may not mount');
      symlinkSync(join(path, 'real.csv'), join(folder, 'link.csv'));
      await writeWholeFile(join(path, 'real.csv'), 'old');

      const refused = writeWholeFile(join(folder, 'link.csv'), 'x'.repeat(64 * 1024));

      await expect(refused).rejects.toThrow('link.csv cannot be written: the disk is full (ENOSPC)');
      expect([readdirSync(path), readFileSync(join(path, 'real.csv'), 'utf8')]).toEqual([['real.csv'], 'old']);
      await writeWholeFile(join(folder, 'link.csv'), 'new');
      expect(readFileSync(join(path, 'real.csv'), 'utf8')).toBe('new');
      await writeWholeFile('/dev/null', 'gone');
      expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
    },
  );

  it('leaves an error of another kind as it is', () => {
    expect(diskError(new Error('other'), folder)).toBeUndefined();
  });

  it.runIf(mayMount)('keeps the old file and names the next step when the disk is full', async ({ skip }) => {
    skip(!mount(folder, 'size=16k'), 'this user may not mount');
    const output = await outputFolder(folder);
    await output.write('run.json', 'old');

    const refused = await output.write('run.json', 'x'.repeat(64 * 1024)).catch((thrown: unknown) => thrown);

    expect(refused).toBeInstanceOf(EnvironmentError);
    expect(refused).toMatchObject({
      message: `${folder}/run.json cannot be written: the disk is full (ENOSPC)`,
      next: 'Free some space, or choose a folder on another disk.',
    });
    expect(readdirSync(folder)).toEqual(['run.json']);
    expect(readFileSync(join(folder, 'run.json'), 'utf8')).toBe('old');
  });

  it.runIf(mayMount)('says that a file system is read-only', async ({ skip }) => {
    skip(!mount(folder, 'ro'), 'this user may not mount');

    await expect((await outputFolder(folder)).write('run.json', 'x')).rejects.toThrow(/read-only \(EROFS\)/);
  });
});
