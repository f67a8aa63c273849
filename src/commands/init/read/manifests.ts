import { contentOf, mapIn, textIn } from '../../../config/yaml/lines.ts';
import type { Manifest, ProposedProcess } from '../services/proposal.ts';
import { fixedPort } from './fixed-port.ts';
import { goManifest } from './go-program.ts';
import { nodeManifest } from './node-program.ts';
import { MADE_UP } from './own-settings.ts';
import {
  baseName,
  fileIn,
  folderOf,
  isBelow,
  pathBelow,
  portFrom,
  type RepositoryFolder,
  textsBelow,
} from './places.ts';
import { portVariable } from './port-variable.ts';
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
  'pom.xml': javaManifest,
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

/** True if a path is that of a build tool's file. */
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

function javaManifest(text: string, place: RepositoryFolder): Manifest {
  const { folder, files } = place;
  const own = text.replace(
    /<(parent|dependencies|dependencyManagement|build|profiles|plugins)>(?:(?!<\1>)[\s\S])*?<\/\1>/g,
    '',
  );
  const { isBoot, hasGrpc, isServer, httpPort } = jvmFacts(text, MAVEN_SERVERS);
  const below = /^[\w./-]+$/.test(folder) ? `${folder}/` : '';
  const reactor = reactorOf(place);
  const top = reactor === undefined ? below : reactor === '' ? '' : `${reactor}/`;
  const module = reactor === undefined ? [] : ['--projects', below.slice(top.length, -1), '--also-make'];
  // Without its settings, which some repositories ignore together with its jar, the wrapper does not start.
  const hasWrapper = ['mvnw', '.mvn/wrapper/maven-wrapper.properties'].every((name) =>
    fileIn(files, reactor ?? folder, name),
  );
  const tool = !hasWrapper ? 'mvn' : `${top === '' ? './' : top}mvnw`;
  const build = [tool, '--quiet', '--file', `${top}pom.xml`, ...module, '-DskipTests', 'package'];
  const processOf = (): ProposedProcess | undefined => {
    if (isBoot) {
      return { build: [build], command: ['sh', '-c', `exec ${JAVA} -Dserver.port="$PORT" -jar ${below}target/*.jar`] };
    }
    if (text.includes('io.quarkus')) {
      const run = `exec ${JAVA} -Dquarkus.http.host="$HOST" -Dquarkus.http.port="$PORT"`;
      return { build: [build], command: ['sh', '-c', `${run} -jar ${below}target/quarkus-app/quarkus-run.jar`] };
    }
    const main = isServer || hasGrpc ? mainClass(place) : undefined;
    const texts = textsBelow(place, /\.(?:java|kt)$/);
    const [port, variable] = [fixedPort(texts), portVariable(texts)];
    const classes = `${below}target/classes:$(cat ${below}target/classpath)`;
    return main === undefined
      ? undefined
      : {
          build: [[...build, 'dependency:build-classpath', '-Dmdep.outputFile=target/classpath']],
          command: ['sh', '-c', `${variable}exec ${JAVA} -cp "${classes}" ${main}`],
          ...(port !== undefined && { port }),
        };
  };
  return {
    name: /<artifactId>\s*([^<\s]+)\s*<\/artifactId>/.exec(own)?.[1],
    httpPort,
    hasGrpc,
    settingsPort: settingsPort(place),
    process: folder !== '' && below === '' ? undefined : processOf(),
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

const MAVEN_SERVERS = /spring-boot-starter-web|quarkus|micronaut|helidon|javalin|dropwizard|jetty|vertx/;

const GRADLE_SERVERS = /spring-boot-starter-web|quarkus|micronaut|javalin|ktor-server|vertx/;

/** Frameworks named in a Maven or Gradle build. */
function jvmFacts(text: string, servers: RegExp) {
  const isBoot = text.includes('org.springframework.boot');
  const hasGrpc = /io\.grpc|grpc-(?:netty|spring|server)/.test(text);
  const isServer = servers.test(text);
  return { isBoot, hasGrpc, isServer, httpPort: isServer || (isBoot && !hasGrpc) ? 8080 : undefined };
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

/** Gradle tasks that build a program which takes its port as an argument, and its start command. */
const GRADLE_PROGRAMS: readonly (readonly [plugin: string, task: string, start: string])[] = [
  ['org.springframework.boot', 'bootJar', '-Dserver.port="$PORT" -jar build/libs/*.jar'],
  [
    'io.quarkus',
    'quarkusBuild',
    '-Dquarkus.http.host="$HOST" -Dquarkus.http.port="$PORT" -jar build/quarkus-app/quarkus-run.jar',
  ],
  ['io.ktor.plugin', 'buildFatJar', '-jar build/libs/*-all.jar -host="$HOST" -port="$PORT"'],
];

function gradleManifest(text: string, { folder, files }: RepositoryFolder): Manifest {
  const { hasGrpc, httpPort } = jvmFacts(text, GRADLE_SERVERS);
  const [, task, start = ''] = GRADLE_PROGRAMS.find(([plugin]) => text.includes(plugin)) ?? [];
  const port = task === 'buildFatJar' ? fixedPort(textsBelow({ folder, files }, /\.kt$/)) : undefined;
  const hasWrapper = ['gradlew', 'gradle/wrapper/gradle-wrapper.jar'].every((name) => fileIn(files, folder, name));
  const tool = !hasWrapper ? 'gradle' : folder === '' ? './gradlew' : `${folder}/gradlew`;
  const at = folder === '' ? [] : ['--project-dir', folder];
  const below = folder === '' ? '' : `${folder}/`;
  return {
    name: undefined,
    httpPort,
    hasGrpc,
    settingsPort: settingsPort({ folder, files }),
    process:
      task !== undefined && /^[\w./-]*$/.test(folder)
        ? {
            build: [[tool, '--quiet', ...at, task]],
            command: ['sh', '-c', `exec ${JAVA} ${start.replace('build/', `${below}build/`)}`],
            ...(port !== undefined && { port }),
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
  const [port, variable] = [fixedPort(texts), portVariable(texts)];
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
            ...(port !== undefined && { port }),
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
    process: undefined,
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
    hasGrpc: false,
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
