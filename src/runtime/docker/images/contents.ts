import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { hostname, release } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Container, ImageInspectInfo } from 'dockerode';
import { extract, type Header } from 'tar-stream';
import { cleanText } from '../../../foundation/text.ts';
import { hashOf } from '../../../host/files/repository.ts';
import type { Program } from '../../../model/service.ts';
import {
  type BuildSize,
  type BuiltEntries,
  type BuiltEntry,
  type BuiltProgram,
  contentHash,
  type WatchableFiles,
} from '../../built-program.ts';
import { entriesAt } from '../../process/files.ts';
import { withFilesOf } from '../container.ts';
import type { Engine } from '../engine.ts';
import type { ImageOptions } from './images.ts';

/** More mounts make the start of a container slow. */
const MAX_MOUNTS = 100;

const EVERYBODY_READS = 0o004;

/** Files and settings in the container of a program: those of its image, and mounted files of the repository. */
export async function builtImage(
  engine: Engine,
  { owner, root }: Pick<ImageOptions, 'owner' | 'root'>,
  program: Program,
  image: string,
): Promise<BuiltProgram> {
  const inspected = engine.api.getImage(image);
  const { Config: config, RootFS: layers, Architecture: architecture, Size: bytes } = await inspected.inspect();
  const settings = settingsOf(config, architecture);
  const mounted = program.files ?? {};
  const hasMounts = Object.keys(mounted).length > 0;
  return {
    name: program.name,
    size: { bytes, layers: layersOf(await inspected.history()) },
    // Mounts are not in any layer.
    ...(!hasMounts && layers?.Layers !== undefined && { id: hashOf([settings.text, ...layers.Layers]) }),
    async entries(signal) {
      const found = new Map(await exported(engine, { image, owner }, signal));
      found.set('settings', settings);
      for (const [target, path] of Object.entries(mounted)) {
        for (const [below, entry] of await entriesAt(join(root, path), signal)) {
          found.set(`${target}${below}`, entry);
        }
      }
      return found;
    },
    async watchable(paths, signal) {
      const isMounted = paths.some((path) =>
        Object.keys(mounted).some((target) => path === target || path.startsWith(`${target}/`)),
      );
      if (isMounted || paths.length > MAX_MOUNTS || !(await isOfThisMachine(engine))) {
        throw new RangeError(`opens of ${paths[0]} cannot be seen in the container`);
      }
      return await copies({ engine, image, owner, root }, paths, signal);
    },
  };
}

const LONGEST_COMMAND = 120;

function layersOf(history: readonly { readonly CreatedBy: string; readonly Size: number }[]): BuildSize['layers'] {
  return history
    .filter(({ Size: bytes }) => bytes > 0)
    .map(({ CreatedBy: command, Size: bytes }) => ({
      command: cleanText(command.replace(/^\/bin\/sh -c (?:#\(nop\) *)?/, ''), LONGEST_COMMAND),
      bytes,
    }));
}

/** Settings of an image that its program can see, unlike labels, names and times. */
function settingsOf(config: ImageInspectInfo['Config'], architecture: string): BuiltEntry {
  const { StopSignal } = config as { readonly StopSignal?: string };
  const { Env, Cmd, Entrypoint, User, WorkingDir, ExposedPorts, Volumes } = config;
  const seen = [architecture, Env, Cmd, Entrypoint, User, WorkingDir, ExposedPorts, Volumes, StopSignal];
  return { kind: 'other', text: JSON.stringify(seen.map((one) => one ?? null)) };
}

interface Exported {
  readonly image: string;
  readonly owner: string;
}

/** Files of an image with those of all layers, from a container that is never started. */
async function exported(engine: Engine, required: Exported, signal: AbortSignal): Promise<BuiltEntries> {
  return await withFilesOf(engine, required, async (container) => {
    const found = new Map<string, BuiltEntry>();
    for await (const { path, kind, text } of tarEntries(bytesOf(await container.export()))) {
      signal.throwIfAborted();
      // A file with this name in a worktree, which versions are checked out to, refers to a place that no container has.
      if (kind !== 'file' || !path.endsWith('/.git')) {
        found.set(path, { kind, text });
      }
    }
    return found;
  });
}

/** Opened files in a container are visible here if its engine runs on this kernel, and not in a virtual machine. */
async function isOfThisMachine(engine: Engine): Promise<boolean> {
  const { KernelVersion: kernel, Name: name } = await engine.api.info();
  return kernel === release() && name === hostname();
}

/** Copies of files of an image in the folder of the version, to be mounted over them. */
async function copies(
  { engine, root, ...required }: Exported & { readonly engine: Engine; readonly root: string },
  paths: readonly string[],
  signal: AbortSignal,
): Promise<WatchableFiles> {
  const parent = join(root, '.wiregauge');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, 'watched-'));
  return await withFilesOf(engine, required, async (container) => {
    const mounts: Record<string, string> = {};
    const copied: string[] = [];
    for (const [place, path] of paths.entries()) {
      signal.throwIfAborted();
      const copy = join(folder, String(place));
      for await (const file of archivedFiles(container, path)) {
        // The copy has another owner.
        if (file.kind !== 'file' || (file.mode & EVERYBODY_READS) === 0) {
          throw new RangeError(`${path} of the image cannot be copied with its rights`);
        }
        await writeFile(copy, file.content ?? '');
        await chmod(copy, file.mode);
      }
      copied.push(copy);
      mounts[path] = relative(root, copy);
    }
    return { paths: copied, mounts };
  });
}

export async function* archivedFiles(container: Container, path: string): AsyncGenerator<ArchivedEntry> {
  yield* tarEntries(bytesOf(await container.getArchive({ path })), { hasContents: true });
}

/** The engine's client returns streams of bytes. */
function bytesOf(stream: NodeJS.ReadableStream): AsyncIterable<Uint8Array> {
  return stream as AsyncIterable<Uint8Array> & NodeJS.ReadableStream;
}

interface Entry extends AsyncIterable<Uint8Array> {
  readonly header: Header;
}

/** Largest content that is read at once. */
const MAX_READ = 2 ** 26;

export interface ArchivedEntry extends BuiltEntry {
  readonly path: string;
  readonly mode: number;
  readonly content?: Buffer | undefined;
}

const KINDS: Readonly<Record<string, BuiltEntry['kind']>> = { file: 'file', directory: 'folder' };

/** Extended headers without an effect on programs, or that the entry has as a separate field. */
const OTHER_HEADERS = ['path', 'linkpath', 'size', 'mtime', 'atime', 'ctime'];

/** Entries of an archive as the engine writes it, in its order. Throws for a damaged one. */
export async function* tarEntries(
  stream: AsyncIterable<Uint8Array>,
  { hasContents = false } = {},
): AsyncGenerator<ArchivedEntry> {
  const archive = extract();
  const source = Readable.from(stream);
  source.once('error', (error) => archive.destroy(error));
  source.pipe(archive);
  // The types of the library do not declare that the pieces of an entry are bytes.
  for await (const entry of archive as AsyncIterable<unknown> as AsyncIterable<Entry>) {
    const { name, type, mode } = entry.header;
    const path = resolve('/', name);
    const kind = KINDS[type] ?? 'other';
    const content = hasContents ? await contentOf(entry) : undefined;
    const hash = content === undefined ? await contentHashOf(path, entry) : '';
    yield { path, kind, text: `${type} ${rightsOf(entry)} ${hash}`, mode, content };
  }
}

async function contentOf(entry: Entry): Promise<Buffer> {
  if (entry.header.size > MAX_READ) {
    throw new RangeError(`a file of the image has ${entry.header.size} bytes`);
  }
  return await buffer(entry);
}

/** Programs and compiled modules have parts that are ignored. */
async function contentHashOf(path: string, entry: Entry): Promise<string> {
  const { size, mode } = entry.header;
  if ((path.endsWith('.pyc') || (mode & 0o111) !== 0) && size <= MAX_READ) {
    return contentHash(path, await buffer(entry));
  }
  const hash = createHash('sha256');
  for await (const piece of entry) {
    hash.update(piece);
  }
  return hash.digest('hex');
}

function rightsOf({ header }: Entry): string {
  const { mode, uid, gid, linkname, devmajor, devminor, pax } = header;
  const others = Object.entries(pax ?? {}).filter(([name]) => !OTHER_HEADERS.includes(name));
  const text = JSON.stringify([mode.toString(8), uid, gid, linkname, devmajor, devminor, others.sort()]);
  if (text.includes('\uFFFD')) {
    // Attributes may be bytes that are not text, two of which could look equal.
    throw new RangeError(`${header.name} has attributes that cannot be compared`);
  }
  return text;
}
