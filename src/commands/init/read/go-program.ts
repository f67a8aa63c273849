import type { Manifest, ProposedProcess } from '../services/proposal.ts';
import { nodeManifest } from './node-program.ts';
import { exampleFile } from './own-settings.ts';
import {
  baseName,
  entering,
  fileIn,
  filesBelow,
  folderOf,
  isBelow,
  isPlainPath,
  pathBelow,
  prefixOf,
  type RepositoryFolder,
  textsBelow,
} from './places.ts';
import { fixedPort, portVariable } from './ports.ts';

export function goManifest(text: string, place: RepositoryFolder): Manifest {
  const { folder } = place;
  const module = /^module\s+"?([^\s"]+)/m.exec(text)?.[1]?.replace(/\/v\d+$/, '');
  const hasGrpc = /google\.golang\.org\/grpc|connectrpc\.com\/connect|bufbuild\/connect-go/.test(
    text.replace(/^.*\/\/ indirect$/gm, ''),
  );
  const name = module?.split('/').at(-1);
  const program = goProgram(place, name);
  const at = folder === '' ? [] : ['-C', folder];
  const hasServer = /github\.com\/(gin-gonic\/gin|labstack\/echo|gofiber\/fiber|go-chi\/chi|gorilla\/mux)/.test(text);
  return {
    name,
    httpPort: hasServer || !hasGrpc ? 8080 : undefined,
    hasGrpc,
    process:
      program === undefined
        ? undefined
        : {
            build: [
              ...exampleCopies(place),
              ...embeddedBuilds(place),
              ...stubBuilds(place, module),
              ...certificateBuilds(place),
              ['go', 'build', ...at, '-o', BUILT, ...builtFrom(place, program)],
            ],
            ...goCommand(place, program),
          },
  };
}

/** Flags that take a port, and flags that take an address. */
const PORT_FLAG = /\.(?:String|U?[Ii]nt)\w*\(\s*(?:&[\w.]+,\s*)?"((?:http-?)?port)"/;
const ADDRESS_FLAG = /\.String\w*\(\s*(?:&[\w.]+,\s*)?"((?:http-?)?(?:addr|address|listen|bind)(?:-addr(?:ess)?)?)"/;

/** Flag with another name whose default is an address, other than that of metrics, admin pages or TLS. */
const OTHER_FLAG =
  /\.String\w*\(\s*(?:&[\w.]+,\s*)?"((?!(?:metrics|admin|debug|pprof|secure|tls|https|prod)\b)[a-z][\w-]*-(?:addr|address|listen|bind))",\s*"[\w.]*:\d+"/;

/** A program that does not read PORT gets it by its flag, if it has one. Programs read files of their folder. */
function goCommand({ folder, files }: RepositoryFolder, program: string): Pick<ProposedProcess, 'command' | 'port'> {
  const own = pathBelow(folder, program);
  const all = filesBelow({ folder, files }, GO);
  const source = all
    .filter(({ path }) => folderOf(path) === own)
    .map(({ text }) => text)
    .join('\n');
  const [ofPort, ...addresses] = [PORT_FLAG, ADDRESS_FLAG, OTHER_FLAG].map((flag) => flag.exec(source)?.[1]);
  const variable = portVariable([source]) || portVariable(all.map((file) => file.text));
  const listens = addresses.find((one) => one !== undefined);
  const enter = isPlainPath(folder) ? entering(folder) : '';
  const path = `${isPlainPath(folder) ? '' : prefixOf(folder)}${BUILT}`;
  const isReported = ofPort !== undefined || listens !== undefined || variable !== '';
  if (!isPlainPath(folder) || source.includes('"PORT"') || !isReported) {
    const command = enter === '' ? [path] : ['sh', '-c', `${enter}exec ${path}`];
    return { command, port: fixedPort(all.map(({ text }) => text)) };
  }
  const flag = ofPort === undefined ? listens && ` --${listens} "$HOST:$PORT"` : ` --${ofPort} "$PORT"`;
  const line = flag === undefined ? `${variable}exec ${path}` : `exec ${path}${flag}`;
  return { command: ['sh', '-c', `${enter}${line}`] };
}

const BUILT = '.wiregauge/service';

const GO = /\.go$/;

/** Copies of example files for variables that the program needs at its start and that are not in git. */
function exampleCopies(place: RepositoryFolder): ProposedProcess['build'] {
  const reads = textsBelow(place).some((text) => /\bgodotenv\.(?:Overl|L)oad\(/.test(text));
  const example = exampleFile(place)?.path ?? '';
  const file = `${prefixOf(place.folder)}.env`;
  const isCopied = reads && example !== '' && example !== file && [example, file].every(isPlainPath);
  return isCopied ? [['sh', '-c', `[ -e ${file} ] || cp ${example} ${file}`]] : [];
}

/** Builds of pages embedded in a program: of a Node.js package whose output it embeds. */
function embeddedBuilds({ folder, files }: RepositoryFolder): ProposedProcess['build'] {
  const outputs = filesBelow({ folder, files }, GO).flatMap(({ path, text }) =>
    [...text.matchAll(/^\/\/go:embed (?:all:)?([\w./-]+)/gm)].flatMap(
      ([, at = '']) => pathBelow(folderOf(path), at) ?? [],
    ),
  );
  const folders = outputs.flatMap((path) => /^(.*?)\/?(?:dist|build|out)(?:\/|$)/.exec(path)?.[1] ?? []);
  return [...new Set(folders)].flatMap((at) => {
    const manifest = fileIn(files, at, 'package.json');
    return manifest === undefined ? [] : (nodeManifest(manifest.text, { folder: at, files }).process?.build ?? []);
  });
}

/** Plugins of protoc: their flag, package, version in a go.mod, and whether they are installed even if none is named. */
const PLUGINS = [
  [
    /--go_out\b/,
    'google.golang.org/protobuf/cmd/protoc-gen-go',
    /^[ \t]{0,9}(?:require[ \t]{1,9})?google\.golang\.org\/protobuf[ \t]{1,9}(v[\w.+-]+)/m,
    false,
  ],
  [
    /--go-grpc_out\b/,
    'google.golang.org/grpc/cmd/protoc-gen-go-grpc',
    /^[ \t]{0,9}(?:require[ \t]{1,9})?google\.golang\.org\/grpc\/cmd\/protoc-gen-go-grpc[ \t]{1,9}(v[\w.+-]+)/m,
    // A go.mod seldom lists the plugin.
    true,
  ],
] as const;

const GRPC_MINOR = /^[ \t]{0,9}(?:require[ \t]{1,9})?google\.golang\.org\/grpc[ \t]{1,9}v1\.(\d+)/m;

const GENERATES = /^([\w./-]+)[ \t]*:(?!=).*\n(?:\t.*\n)*?(\t.*\b(?:protoc\s|buf\b.* generate).*)/m;

/** Builds of stubs that the sources import and git lacks, by the Makefile that generates them. */
function stubBuilds({ folder, files }: RepositoryFolder, module = ''): ProposedProcess['build'] {
  const sources = filesBelow({ folder, files }, GO);
  const isLacking = (at: string): boolean =>
    !sources.some(({ path }) => folderOf(path) === at && path.endsWith('.pb.go')) &&
    sources.some(({ text }) => text.includes(`"${module}/${at.slice(prefixOf(folder).length)}"`));
  const makefile = fileIn(files, folder, 'Makefile')?.text.replace(/\\\r?\n/g, ' ') ?? '';
  const [, target, recipe = ''] = GENERATES.exec(makefile) ?? [];
  if (
    !isPlainPath(folder) ||
    target === undefined ||
    module === '' ||
    !filesBelow({ folder, files }, /\.proto$/).some(({ path }) => isLacking(folderOf(path)))
  ) {
    return [];
  }
  const modules = filesBelow({ folder, files }, /(?:^|\/)go\.mod$/);
  // Stubs of v1.5.1 need gRPC 1.64; those of v1.3.0 compile with every version from 1.32 on.
  const isNew = modules.some(({ text }) => Number(GRPC_MINOR.exec(text)?.[1]) >= 64);
  const installed = PLUGINS.flatMap(([flag, plugin, required, isUsual]) => {
    const [version] = modules.flatMap(({ text }) => required.exec(text)?.[1] ?? []);
    const usual = `go install ${plugin}@${isNew ? 'v1.5.1' : 'v1.3.0'}`;
    const install =
      version === undefined
        ? `{ command -v ${baseName(plugin)} >/dev/null || ${usual}; }`
        : `go install ${plugin}@${version}`;
    return flag.test(recipe) && (version !== undefined || isUsual) ? [install] : [];
  });
  const at = folder === '' ? '' : ` -C ${folder}`;
  const own = 'export GOBIN="$PWD/.wiregauge/bin" PATH="$PWD/.wiregauge/bin:$PATH"';
  return [['sh', '-c', [own, ...installed, `make${at} ${target}`].join(' && ')]];
}

const CERTIFICATES =
  /\b(?:ListenAndServeTLS|RunTLS|ServeTLS|LoadX509KeyPair|NewServerTLSFromFile)\(\s*(?:[^()"\n]{0,80}(?:"[^"\n]{0,80}")?\s*,\s*)?"(?:\.\/)?(\w[\w./-]*)",\s*"(?:\.\/)?(\w[\w./-]*)"/;

/** A certificate and its key that a program reads from its folder, if they are not in git. */
function certificateBuilds(place: RepositoryFolder): ProposedProcess['build'] {
  const { folder } = place;
  const found = textsBelow(place, GO).map((text) => CERTIFICATES.exec(text));
  const [, ...paths] = found.find((one) => one !== null) ?? [];
  const [certificate, key] = paths.map((path) => pathBelow(folder, path));
  if (!isPlainPath(folder) || certificate === undefined || key === undefined) {
    return [];
  }
  const made = `openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=localhost -keyout ${key} -out ${certificate}`;
  const folders = [certificate, key].map((path) => folderOf(path) || '.');
  return [['sh', '-c', `[ -e ${certificate} ] || { mkdir -p ${[...new Set(folders)].join(' ')} && ${made}; }`]];
}

const LISTENING = /\bListenAndServe|\bnet\.Listen\(|\bgrpc\.NewServer\(|\.(?:Run|Start|Listen)\(\s*["':]/;

/**
 * Main package of a module: the root, else the only one, or the only one below `cmd`, or there the one named like the module, or for a server or an
 * API; else the only one that listens.
 */
function goProgram({ folder, files }: RepositoryFolder, module: string | undefined): string | undefined {
  // The file with `main` may have any name; examples and build tools have such a file, too.
  const programs = files.filter(
    ({ path, text }) =>
      isBelow(path, folder) &&
      isGoSource(path, text) &&
      ((/^package main\b/m.test(text) && MAIN.test(text)) || baseName(path) === 'main.go'),
  );
  const mains = [...new Set(programs.map(({ path }) => folderOf(path)))];
  const commands = mains.filter((at) => baseName(folderOf(at)) === 'cmd');
  const serving = commands.filter((at) => /serv|api/i.test(baseName(at)));
  const named = commands.filter((at) => baseName(at) === module);
  const listening = mains.filter((at) =>
    programs.some(({ path, text }) => folderOf(path) === at && LISTENING.test(text)),
  );
  const [only] = [mains, commands, named, serving, listening].find(({ length }) => length === 1) ?? [];
  return mains.includes(folder) ? '.' : only && `./${only.slice(prefixOf(folder).length)}`;
}

/** Package to build, or the files of its server if the folder has several programs, such as `server.go` and `client.go`. */
function builtFrom({ folder, files }: RepositoryFolder, program: string): readonly string[] {
  const own = files.filter(({ path, text }) => folderOf(path) === pathBelow(folder, program) && isGoSource(path, text));
  const mains = own.filter(({ text }) => MAIN.test(text));
  const [server, ...others] = mains.filter(({ path, text }) => LISTENING.test(text) && !/client/i.test(baseName(path)));
  if (mains.length < 2 || server === undefined || others.length > 0) {
    return [program];
  }
  return [server, ...own.filter((file) => !mains.includes(file))].map(
    ({ path }) => `./${path.slice(prefixOf(folder).length)}`,
  );
}

const MAIN = /^func main\(\)/m;

function isGoSource(path: string, text: string): boolean {
  return path.endsWith('.go') && !path.endsWith('_test.go') && !/^\/\/go:build ignore/m.test(text);
}
