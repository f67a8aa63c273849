import { contentOf, mapIn, textIn } from '../../../config/yaml/lines.ts';
import type { Manifest, ProposedProcess } from '../services/proposal.ts';
import { goManifest } from './go-program.ts';
import { nodeManifest } from './node-program.ts';
import { MADE_UP } from './own-settings.ts';
import {
  baseName,
  fileIn,
  folderOf,
  isBelow,
  isPlainPath,
  pathBelow,
  portFrom,
  prefixOf,
  type RepositoryFolder,
  textsBelow,
} from './places.ts';
import { fixedPort, portVariable } from './ports.ts';
import { migrationStep, pythonProcess } from './python-process.ts';
import { phpManifest, rubyManifest } from './ruby-php-programs.ts';

const WEBSOCKETS =
  /"(?:ws|express-ws|@fastify\/websocket|@nestjs\/websockets|koa-websocket)"|\b(?:websockets|flask-sock)\b|\/websocket\b|gobwas\/ws|starter-websocket/i;

/** Build files, in the order in which they are read. */
const READERS: Readonly<Record<string, (text: string, place: RepositoryFolder) => Manifest | undefined>> = {
  // Rails and Laravel may have a package.json for their pages.
  Gemfile: rubyManifest,
  'config.ru': rubyManifest,
  'composer.json': phpManifest,
  'package.json': nodeManifest,
  'go.mod': goManifest,
  'pyproject.toml': pythonManifest,
  'requirements.txt': pythonManifest,
  'setup.py': pythonManifest,
  'pom.xml': mavenManifest,
  'build.gradle': gradleManifest,
  'build.gradle.kts': gradleManifest,
  'Cargo.toml': rustManifest,
  'mix.exs': elixirManifest,
};

/** Program described by the first manifest of a folder that describes one; undefined without any. */
export function manifestIn(place: RepositoryFolder): Manifest | undefined {
  for (const [name, read] of Object.entries(READERS)) {
    const file = fileIn(place.files, place.folder, name);
    const manifest = file && read(file.text, place);
    if (manifest !== undefined) {
      return { ...manifest, hasWebSocket: WEBSOCKETS.test(file?.text ?? '') };
    }
  }
  const project = place.files.find(
    ({ path, text }) =>
      folderOf(path) === place.folder && path.endsWith('.csproj') && text.includes('Microsoft.NET.Sdk.Web'),
  );
  return project && dotnetManifest(project.path);
}

export function isManifest(path: string): boolean {
  return Object.hasOwn(READERS, baseName(path)) || path.endsWith('.csproj');
}

const PYTHON_PORTS: readonly (readonly [RegExp, number])[] = [
  [/\b(?:fastapi|starlette|litestar|uvicorn|django|falcon|sanic)\b/i, 8000],
  [/\b(?:flask|quart)\b/i, 5000],
  [/\b(?:aiohttp|tornado|bottle)\b/i, 8080],
];

function pythonManifest(text: string, place: RepositoryFolder): Manifest {
  const requirements = fileIn(place.files, place.folder, 'requirements.txt')?.text ?? '';
  const all = `${text}\n${requirements}`;
  return {
    name: /^\s{0,8}name\s*=\s*["']([^"'\n]+)["']/m.exec(text)?.[1],
    httpPort: PYTHON_PORTS.find(([pattern]) => pattern.test(all))?.[1],
    hasGrpc: /\bgrpcio\b/.test(all),
    process: pythonProcess(place),
    migration: migrationStep(place),
  };
}

/** Started with the heap of a container of the default size: outside a container, the heap would depend on the machine. */
const JAVA = 'java -XX:MaxRAM=512m';

/** Programs that take their port as an argument: their sign in a build file, their Gradle task, and their start. */
const JVM_PROGRAMS: readonly (readonly [sign: string, task: string, start: string])[] = [
  ['org.springframework.boot', 'bootJar', '-Dserver.port="$PORT" -jar build/libs/*.jar'],
  [
    'io.quarkus',
    'quarkusBuild',
    '-Dquarkus.http.host="$HOST" -Dquarkus.http.port="$PORT" -jar build/quarkus-app/quarkus-run.jar',
  ],
  ['io.ktor.plugin', 'buildFatJar', '-jar build/libs/*-all.jar -host="$HOST" -port="$PORT"'],
];

const JVM_SERVERS = /spring-boot-starter-web|quarkus|micronaut|helidon|javalin|dropwizard|jetty|ktor-server|vertx/;

function jvmFacts(text: string, place: RepositoryFolder) {
  const hasGrpc = /io\.grpc|grpc-(?:netty|spring|server)/.test(text);
  const isServer = JVM_SERVERS.test(text) || (text.includes('org.springframework.boot') && !hasGrpc);
  return { httpPort: isServer ? 8080 : undefined, hasGrpc, settingsPort: settingsPort(place) };
}

/** Wrapper of a build tool, if the repository has its settings, without which it does not start; else the installed tool. */
function buildTool(
  { folder, files }: RepositoryFolder,
  installed: string,
  [wrapper, settings]: readonly [string, string],
) {
  const isThere = [wrapper, settings].every((name) => fileIn(files, folder, name));
  return isThere ? `${prefixOf(folder) || './'}${wrapper}` : installed;
}

function mavenManifest(text: string, place: RepositoryFolder): Manifest {
  const own = text.replace(
    /<(parent|dependencies|dependencyManagement|build|profiles|plugins)>(?:(?!<\1>)[\s\S])*?<\/\1>/g,
    '',
  );
  return {
    name: /<artifactId>\s*([^<\s]+)\s*<\/artifactId>/.exec(own)?.[1],
    ...jvmFacts(text, place),
    process: isPlainPath(place.folder) ? mavenProcess(text, place) : undefined,
  };
}

function mavenProcess(text: string, place: RepositoryFolder): ProposedProcess | undefined {
  const { folder, files } = place;
  const reactor = reactorOf(place);
  const top = prefixOf(reactor ?? folder);
  const module = reactor === undefined ? [] : ['--projects', folder.slice(top.length), '--also-make'];
  const wrapper = ['mvnw', '.mvn/wrapper/maven-wrapper.properties'] as const;
  const tool = buildTool({ folder: reactor ?? folder, files }, 'mvn', wrapper);
  const build = [tool, '--quiet', '--file', `${top}pom.xml`, ...module, '-DskipTests', 'package'];
  const target = `${prefixOf(folder)}target`;
  const [, , start] = JVM_PROGRAMS.find(([sign]) => text.includes(sign)) ?? [];
  if (start !== undefined) {
    const line = `exec ${JAVA} ${start.replace(/build(?:\/libs)?/, target)}`;
    return { build: [build], command: ['sh', '-c', line] };
  }
  const { httpPort, hasGrpc } = jvmFacts(text, place);
  const main = httpPort !== undefined || hasGrpc ? mainClass(place) : undefined;
  const texts = textsBelow(place, /\.(?:java|kt)$/);
  const classes = `${target}/classes:$(cat ${target}/classpath)`;
  return main === undefined
    ? undefined
    : {
        build: [[...build, 'dependency:build-classpath', '-Dmdep.outputFile=target/classpath']],
        command: ['sh', '-c', `${portVariable(texts)}exec ${JAVA} -cp "${classes}" ${main}`],
        port: fixedPort(texts),
      };
}

/** Parent folder whose pom.xml builds a folder together with the modules that it needs; undefined if the folder builds alone. */
function reactorOf({ folder, files }: RepositoryFolder): string | undefined {
  for (let above = folder; above !== ''; ) {
    above = folderOf(above);
    const modules = [...(fileIn(files, above, 'pom.xml')?.text.matchAll(/<module>\s*([^<\s]+)\s*<\/module>/g) ?? [])];
    if (modules.some(([, path = '']) => pathBelow(above, path) === folder)) {
      return above;
    }
  }
  return undefined;
}

const SERVES = /\.start\(|\.listen\(|\bServerBuilder\b|\brun\(|HttpServer|awaitTermination/;

/** Class with the `main` of a server in Java or Kotlin; undefined without one. */
function mainClass({ folder, files }: RepositoryFolder): string | undefined {
  const mains = files.flatMap(({ path, text }) => {
    const [, name = '', ending] = /\/(\w+)\.(java|kt)$/.exec(path) ?? [];
    const isMain = ending === 'kt' ? /^(?:suspend )?fun main\(/m : /\bstatic\s+void\s+main\s*\(/;
    return isBelow(path, pathBelow(folder, 'src/main') ?? '') && ending !== undefined && isMain.test(text)
      ? [{ text, name: `${/^package\s+([\w.]+)/m.exec(text)?.[1] ?? ''}.${name}${ending === 'kt' ? 'Kt' : ''}` }]
      : [];
  });
  const servers = mains.filter(({ name, text }) => SERVES.test(text) && !/client|consumer/i.test(name));
  const [found] = [...servers.filter(({ name }) => /server|provider/i.test(name)), ...servers];
  return found?.name.replace(/^\./, '');
}

const SETTINGS_PORT = /^(?:server|quarkus\.http)\.port\s*[=:]\s*(\S+)/m;

function settingsPort(place: RepositoryFolder): number | undefined {
  const texts = textsBelow(place, /(?:^|\/)src\/main\/resources\/application\.(?:properties|ya?ml)$/);
  const values = texts.flatMap((text) => {
    // A YAML file may have one document per profile.
    const documents = text.split(/^---.*$/m).map((one) => mapIn(contentOf(one)));
    const nested = documents.map(
      ({ server, quarkus }) => mapIn(server)['port'] ?? mapIn(mapIn(quarkus)['http'])['port'],
    );
    return [SETTINGS_PORT.exec(text)?.[1], ...nested.map(textIn)];
  });
  const ports = values.map((value) => portFrom(/^["']?(?:\$\{[\w.]+:)?(\d{2,5})\b/.exec(value ?? '')?.[1]));
  return ports.find((port) => port !== undefined);
}

function gradleManifest(text: string, place: RepositoryFolder): Manifest {
  const { folder } = place;
  const [, task, start = ''] = JVM_PROGRAMS.find(([sign]) => text.includes(sign)) ?? [];
  const tool = buildTool(place, 'gradle', ['gradlew', 'gradle/wrapper/gradle-wrapper.jar']);
  const at = folder === '' ? [] : ['--project-dir', folder];
  return {
    ...jvmFacts(text, place),
    process:
      task !== undefined && isPlainPath(folder)
        ? {
            build: [[tool, '--quiet', ...at, task]],
            command: ['sh', '-c', `exec ${JAVA} ${start.replace('build/', `${prefixOf(folder)}build/`)}`],
            port: task === 'buildFatJar' ? fixedPort(textsBelow(place, /\.kt$/)) : undefined,
          }
        : undefined,
  };
}

function rustManifest(text: string, { folder, files }: RepositoryFolder): Manifest {
  const name = /^\[package\][^[]*?^name\s*=\s*"([\w-]+)"/m.exec(text)?.[1];
  const program = /^\[\[bin\]\][^[]*?^name\s*=\s*"([\w-]+)"/m.exec(text)?.[1] ?? name;
  const isProgram = /^\[\[bin\]\]/m.test(text) || fileIn(files, folder, 'src/main.rs') !== undefined;
  const hasGrpc = /^tonic\b/m.test(text);
  const isServer = /^(?:axum|actix-web|rocket|warp|poem|hyper|salvo)\b/m.test(text);
  const texts = textsBelow({ folder, files }, /\.rs$/);
  const variable = portVariable(texts);
  const path = `target/release/${program}`;
  const manifest = folder === '' ? [] : ['--manifest-path', `${folder}/Cargo.toml`];
  return {
    name,
    httpPort: isServer ? 8080 : undefined,
    hasGrpc,
    process:
      program !== undefined && isProgram && (isServer || hasGrpc)
        ? {
            build: [['cargo', 'build', '--release', '--locked', ...manifest, '--target-dir', 'target']],
            command: variable === '' ? [path] : ['sh', '-c', `${variable}exec ${path}`],
            port: fixedPort(texts),
          }
        : undefined,
  };
}

/** Phoenix or Plug program, which only a Dockerfile starts. */
function elixirManifest(text: string): Manifest {
  const isPhoenix = /\{:phoenix,/.test(text);
  return {
    name: /\bapp: :(\w+)/.exec(text)?.[1],
    httpPort: isPhoenix || /\{:(?:bandit|plug_cowboy),/.test(text) ? 4000 : undefined,
    hasGrpc: /\{:grpc,/.test(text),
    ...(isPhoenix && {
      environment: {
        PHX_SERVER: 'true',
        PHX_HOST: 'localhost',
        SECRET_KEY_BASE: `${MADE_UP}-`.repeat(8),
        ...(text.includes('{:postgrex,') && { DATABASE_URL: 'ecto://postgres:postgres@localhost:5432/postgres' }),
      },
    }),
  };
}

function dotnetManifest(path: string): Manifest {
  const name = baseName(path).slice(0, -'.csproj'.length);
  return {
    name,
    httpPort: 8080,
    process: {
      build: [['dotnet', 'publish', path, '--configuration', 'Release', '--output', '.wiregauge/service']],
      command: [
        'sh',
        '-c',
        `exec dotnet '.wiregauge/service/${name.replaceAll("'", '')}.dll' --urls "http://$HOST:$PORT"`,
      ],
    },
  };
}
