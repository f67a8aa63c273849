import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isOwnerAlive, pidNamespace } from '../../src/host/machine/proc.ts';
import { containerLabels } from '../../src/runtime/docker/container.ts';
import { connectEngine } from '../../src/runtime/docker/engine.ts';
import { fetchedImage } from '../../src/runtime/docker/images/images.ts';
import { removeOrphanContainers } from '../../src/runtime/docker/runtime.ts';
import { pythonImage } from '../stand-ins/build-args.ts';
import { asRoot, requires } from '../support/requires.ts';

const AS_NOBODY = [...asRoot, 'setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
/** A pid namespace of its own, with its own /proc. */
const APART = [...asRoot, 'unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** Root, in the first pid namespace of the machine, sees the processes of all others. */
const SEES_ALL = process.getuid?.() === 0 && pidNamespace('self') === '4026531836';
const LOCKS = pathToFileURL(join(import.meta.dirname, '../../src/host/locks.ts')).href;
/** As a folder of a dead run is called. */
const LEFT = `wiregauge-${pidNamespace('self')}-999999999-1-AbCdEf`;

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'shared-'));
  chmodSync(temporary, 0o1777);
});
afterEach(() => {
  run([...asRoot, 'rm', '-rf', temporary]);
});

function run([program = '', ...argv]: readonly string[], options: { readonly cwd?: string } = {}): string {
  return execFileSync(program, argv, { encoding: 'utf8', timeout: 60_000, ...options });
}

/** What root's clean-up of the temporary folder prints. */
function cleanAsRoot(): string {
  const module = pathToFileURL(join(import.meta.dirname, '../../src/host/machine/orphans.ts')).href;
  const source = `import { removeOrphans } from '${module}'; await removeOrphans(console.log);`;
  const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', source];
  return run([...asRoot, 'env', `TMPDIR=${temporary}`, ...node]);
}

describe.runIf(requires('root'))("root's clean-up", () => {
  it('ignores a folder of another user that is named like one of ours, with any content', () => {
    const precious = join(temporary, 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'file'), '');
    const folder = join(temporary, LEFT);
    run([...AS_NOBODY, 'sh', '-c', `mkdir '${folder}' '${folder}/entry' && ln -s '${precious}' '${folder}/swapped'`]);

    const printed = cleanAsRoot();

    expect([existsSync(join(folder, 'entry')), existsSync(join(precious, 'file'))]).toEqual([true, true]);
    expect(printed).not.toContain(LEFT);
  });

  it('leaves a link alone that another user has named like a folder of ours', () => {
    const precious = join(temporary, 'precious');
    mkdirSync(precious);
    run([...AS_NOBODY, 'ln', '-s', precious, join(temporary, LEFT)]);

    expect(cleanAsRoot()).not.toContain(LEFT);
    expect(existsSync(precious)).toBe(true);
  });

  it("ends no process that another user has marked, and none of root's next to one", () => {
    const program = join(import.meta.dirname, '../integration/orphans-of-others.ts');

    const printed = run([...APART, 'env', `TMPDIR=${temporary}`, process.execPath, '--import', 'tsx', program]);

    expect(JSON.parse(printed)).toEqual({
      left: {
        'shell with a marked process of another user': true,
        'shell with a hidden one': true,
        'shell with a marked process of root': true,
      },
      // 63 is the one that root itself has marked.
      sleeping: ['61', '62'],
      hidden: true,
      lines: [expect.stringMatching(/^stopping sleep \(pid \d+\), left over from an earlier run$/)],
    });
  });
});

describe.runIf(requires('root'))('a user who holds the lock of the machine for ever', () => {
  const SQUATTER = `import socket, sys, time
taken = socket.socket(socket.AF_UNIX)
taken.bind(b"\\0" + sys.argv[1].encode())
taken.listen()
print("bound", flush=True)
time.sleep(60)`;
  const SOURCE = `
    import { spawn } from 'node:child_process';
    import { once } from 'node:events';
    import { lockMachine } from '${LOCKS}';
    import { socketOfName } from '${pathToFileURL(join(import.meta.dirname, '../../src/host/machine/names.ts')).href}';
    const user = { uid: 65534, gid: 65534 };
    const held = spawn('python3', ['-c', ${JSON.stringify(SQUATTER)}, socketOfName('wiregauge').slice(1)], { ...user, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(held.stdout, 'data');
    const turn = { owner: process.pid + ':1', what: 'wiregauge run', waitSeconds: 0, log: () => undefined };
    const taking = () => lockMachine({ ...turn, signal: new AbortController().signal }).then(() => 'locked', ({ next }) => next);
    const refused = await taking();
    process.env['WIREGAUGE_LOCK'] = 'of-my-own';
    console.log(JSON.stringify([refused, await taking(), await taking()]));
    process.exit();`;

  it('does not keep others from measuring: they take one with a secret name', () => {
    const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', SOURCE];

    const [refused, own, again] = JSON.parse(run([...APART, '--net', '--time', ...node]));

    expect(refused).toContain('WIREGAUGE_LOCK=<any word>');
    expect(own).toBe('locked');
    // Of one user, one program at a time.
    expect(again).toContain('Try again when it has ended');
  });
});

describe.runIf(requires('root'))('two runners in pid and network namespaces of their own', () => {
  const RUNNER = `
    import { lockMachine } from '${LOCKS}';
    const log = (line) => console.log(process.argv[1], line);
    const turn = { owner: process.pid + ':1', what: 'wiregauge run', signal: new AbortController().signal, log };
    await lockMachine({ ...turn, waitSeconds: 0 }).catch(({ message }) => {
      log(message);
      return lockMachine({ ...turn, waitSeconds: 60 });
    });
    log('measures');
    process.stdin.once('data', () => process.exit());`;
  // One machine for both, which is not the one that other tests measure on.
  const MACHINE = `
    import { spawn } from 'node:child_process';
    import { once } from 'node:events';
    const [apart, asNobody, node] = process.argv.slice(1).map((text) => JSON.parse(text));
    const said = [];
    const start = (name, user) => {
      const runner = spawn(apart[0], [...apart.slice(1), '--net', ...user, ...node, name], { stdio: ['pipe', 'pipe', 'inherit'] });
      const says = (word) => new Promise((resolve) => runner.stdout.on('data', (lines) => String(lines).includes(word) && resolve()));
      runner.stdout.on('data', (lines) => said.push(...String(lines).trim().split('\\n')));
      return { runner, isMeasuring: says('measures'), isWaiting: says('waiting') };
    };
    const first = start('first', []);
    await first.isMeasuring;
    const second = start('second', asNobody);
    await Promise.race([second.isWaiting, second.isMeasuring]);
    said.push('the first is killed');
    first.runner.kill('SIGKILL');
    await second.isMeasuring;
    second.runner.stdin.write('!');
    await once(second.runner, 'exit');
    console.log(JSON.stringify(said));`;

  it('measure one after the other, also as different users, and a killed one does not block the others', () => {
    const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e'];
    const lists = [APART, AS_NOBODY, [...node, RUNNER]].map((list) => JSON.stringify(list));

    const said = JSON.parse(run([...asRoot, 'unshare', '--time', '--fork', ...node, MACHINE, ...lists]));

    const holder = 'by a program in another container or network namespace';
    expect(said).toEqual([
      'first measures',
      `second this machine is already being measured ${holder}`,
      `second waiting for this machine: it is being measured ${holder}`,
      'the first is killed',
      'second measures',
    ]);
  });
});

describe.runIf(requires('root') && requires('docker'))('two runners with one engine', () => {
  const module = (name: string) => pathToFileURL(join(import.meta.dirname, '../../src', name)).href;
  /** The other one: it shares nothing but the engine's socket, says what its containers are marked with, and cleans up once it is told to. */
  const RUNNER = `import { once } from 'node:events';
    import { containerLabels } from '${module('runtime/docker/container.ts')}';
    import { isOwnerAlive, ownerOf } from '${module('host/machine/proc.ts')}';
    import { removeOrphanContainers } from '${module('runtime/docker/runtime.ts')}';
    console.log(JSON.stringify(containerLabels(ownerOf(process.pid))));
    await once(process.stdin, 'data');
    const lines = [];
    await removeOrphanContainers(isOwnerAlive, (line) => lines.push(line));
    console.log(JSON.stringify(lines));
    await once(process.stdin, 'data');
    process.exit();`;

  /** A container of a run that is dead, as it looks to the runner that made it. */
  async function left(labels: Record<string, string>): Promise<string> {
    const engine = await connectEngine();
    const Image = await fetchedImage(engine, pythonImage(), new AbortController().signal);
    return (await engine.api.createContainer({ Image, Cmd: ['true'], Labels: labels })).id;
  }
  const isThere = async (id: string) => {
    const { api } = await connectEngine();
    return (await api.listContainers({ all: true })).some(({ Id }) => Id === id);
  };

  it('remove nothing of each other, and each what it has left itself', async () => {
    const [first = '', ...argv] = [
      ...APART,
      '--net',
      process.execPath,
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      RUNNER,
    ];
    const runner = spawn(first, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
    const next = async () => JSON.parse(String((await once(runner.stdout, 'data'))[0]));
    const theirs = await left(await next());
    const ours = await left(containerLabels('4194305:1'));

    runner.stdin.write('clean up\n');
    expect([await next(), await isThere(ours), await isThere(theirs)]).toEqual([[], true, true]);
    await removeOrphanContainers(isOwnerAlive, () => undefined);

    expect([await isThere(theirs), await isThere(ours)]).toEqual([true, false]);
    runner.stdin.end('over\n');
    await once(runner, 'exit');
    await removeOrphanContainers(isOwnerAlive, () => undefined);

    // Now nothing of their namespace is left, which root alone can see.
    expect(await isThere(theirs)).toBe(!SEES_ALL);
    if (!SEES_ALL) {
      await (await connectEngine()).api.getContainer(theirs).remove({ force: true });
    }
  });
});

it('goes by no link and changes nothing behind one while it removes a folder', async () => {
  const { removeTree } = await import('../../src/host/files/own-folders.ts');
  const precious = join(temporary, 'precious');
  mkdirSync(precious);
  writeFileSync(join(precious, 'file'), '');
  chmodSync(precious, 0o555);
  const folder = join(temporary, LEFT);
  mkdirSync(join(folder, 'unwritable', 'inside'), { recursive: true });
  symlinkSync(precious, join(folder, 'unwritable', 'link'));
  chmodSync(join(folder, 'unwritable'), 0o500);

  await removeTree(folder);
  await removeTree(folder);
  symlinkSync(precious, folder);
  await expect(removeTree(folder)).rejects.toThrow();

  expect([existsSync(join(folder, 'unwritable')), existsSync(join(precious, 'file'))]).toEqual([false, true]);
  chmodSync(precious, 0o755);
  rmSync(folder);
});
