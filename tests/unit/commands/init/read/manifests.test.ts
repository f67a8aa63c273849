import { describe, expect, it } from 'vitest';
import { proposed, type Texts } from '../services/repositories.ts';

const GO = (body: string): string => `package main\n\nfunc main() {\n\t${body}\n}\n`;

describe('how a program is built and started', () => {
  it.each<[string, Texts, object]>([
    [
      'Django, by its own server',
      {
        'requirements.txt': 'django==5.2',
        'manage.py': 'from django.core.management import execute_from_command_line',
      },
      { port: 8000, process: { command: ['sh', '-c', 'exec python3 manage.py runserver --noreload "$HOST:$PORT"'] } },
    ],
    [
      'Django, whose database in a file has no tables yet',
      {
        'requirements.txt': 'django==5.2',
        'manage.py': 'from django.core.management import execute_from_command_line',
        'shop/settings.py': "DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3'}}",
      },
      {
        process: {
          command: [
            'sh',
            '-c',
            'python3 manage.py migrate --noinput && exec python3 manage.py runserver --noreload "$HOST:$PORT"',
          ],
        },
      },
    ],
    [
      'Python as its Procfile starts it',
      {
        'api/requirements.txt': 'flask',
        'api/Procfile': 'release: migrate\nweb: gunicorn shop:app\n',
        'api/shop.py': 'app = make_app()',
      },
      { process: { command: ['sh', '-c', 'cd api && exec gunicorn shop:app'] } },
    ],
    [
      'services in Python, each in an environment of its own',
      { 'api/requirements.txt': 'flask==2', 'api/app.py': 'app = Flask(__name__)', 'web/requirements.txt': 'flask==3' },
      {
        process: {
          build: [
            ['uv', 'venv', '--allow-existing', 'api/.wiregauge/venv'],
            ['uv', 'pip', 'install', '--python', 'api/.wiregauge/venv', '--requirement', 'api/requirements.txt'],
          ],
          command: [
            'sh',
            '-c',
            'cd api && export PATH="$PWD/.wiregauge/venv/bin:$PATH" && exec env FLASK_APP=app:app python3 -m flask run --host "$HOST" --port "$PORT"',
          ],
        },
      },
    ],
    [
      'Python with nothing but a setup.py, and a server that it does not name',
      {
        'setup.py': "setup(\n    name='echo',\n    install_requires=['flask'],\n)",
        'echo.py': 'app = Flask(__name__)',
        Procfile: 'web: gunicorn echo:app\n',
      },
      {
        process: {
          build: [
            ['uv', 'venv', '--allow-existing', '.wiregauge/venv'],
            ['uv', 'pip', 'install', '--python', '.wiregauge/venv', '--requirement', 'setup.py'],
            ['uv', 'pip', 'install', '--python', '.wiregauge/venv', 'gunicorn'],
          ],
        },
      },
    ],
    [
      'an application that a function makes',
      {
        'requirements.txt': 'fastapi',
        'shop/web.py': 'from .core import x\napp: FastAPI = get_application()',
        'shop/core.py': 'a = [FastAPI()]',
      },
      { process: { command: ['sh', '-c', 'exec python3 -m uvicorn shop.web:app --host "$HOST" --port "$PORT"'] } },
    ],
    [
      'Spring Boot with the version of Maven that the repository asks for',
      {
        'shop/pom.xml': '<project>org.springframework.boot<artifactId>shop</artifactId></project>',
        'shop/mvnw': '',
        'shop/.mvn/wrapper/maven-wrapper.properties': '',
      },
      { process: { build: [['shop/mvnw', '--quiet', '--file', 'shop/pom.xml', '-DskipTests', 'package']] } },
    ],
    [
      'a module together with those that it needs',
      {
        'pom.xml': '<project><modules><module>parts/shop</module><module>stock</module></modules></project>',
        'parts/shop/pom.xml': '<project>org.springframework.boot<artifactId>shop</artifactId></project>',
      },
      {
        process: {
          build: [
            [
              'mvn',
              '--quiet',
              '--file',
              'pom.xml',
              '--projects',
              'parts/shop',
              '--also-make',
              '-DskipTests',
              'package',
            ],
          ],
          command: ['sh', '-c', 'exec java -XX:MaxRAM=512m -Dserver.port="$PORT" -jar parts/shop/target/*.jar'],
        },
      },
    ],
    [
      'Go with stubs that its Makefile makes, and a certificate that nobody has',
      {
        'go.mod':
          'module example.com/shop\nrequire (\n\tgoogle.golang.org/grpc v1.73.0\n\tgoogle.golang.org/protobuf v1.36.6\n)\n',
        'main.go': `package main\n\nimport "example.com/shop/api"\n\nfunc main() {\n\tgrpc.NewServer()\n\thttp.ListenAndServeTLS(":8443", "./certs/a.crt", "./certs/a.key", nil)\n}\n`,
        'api/shop.proto': 'syntax = "proto3"; service Shop { rpc Get (Order) returns (Order); } message Order {}',
        Makefile:
          'tools:\n\tgo install protoc-gen-go@latest\n\n.PHONY: stubs\nstubs: tools\n\tprotoc -I . \\\n\t--go_out=. --go-grpc_out=. \\\n\tapi/shop.proto\n',
      },
      {
        process: {
          build: [
            [
              'sh',
              '-c',
              'export GOBIN="$PWD/.wiregauge/bin" PATH="$PWD/.wiregauge/bin:$PATH" && go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.6 && { command -v protoc-gen-go-grpc >/dev/null || go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.5.1; } && make stubs',
            ],
            [
              'sh',
              '-c',
              '[ -e certs/a.crt ] || { mkdir -p certs && openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=localhost -keyout certs/a.key -out certs/a.crt; }',
            ],
            ['go', 'build', '-o', '.wiregauge/service', '.'],
          ],
        },
      },
    ],
    [
      'Quarkus, which has no class with a main',
      { 'shop/pom.xml': '<project><groupId>io.quarkus</groupId><artifactId>shop</artifactId></project>' },
      {
        process: {
          build: [['mvn', '--quiet', '--file', 'shop/pom.xml', '-DskipTests', 'package']],
          command: [
            'sh',
            '-c',
            'exec java -XX:MaxRAM=512m -Dquarkus.http.host="$HOST" -Dquarkus.http.port="$PORT" -jar shop/target/quarkus-app/quarkus-run.jar',
          ],
        },
      },
    ],
    [
      'the server of two programs in Go that share a folder',
      {
        'api/go.mod': 'module a.test/api\nrequire google.golang.org/grpc v1.70.0\n',
        'api/server.go': GO('grpc.NewServer()'),
        'api/client.go': GO('grpc.Dial("localhost:6000")'),
        'api/shared.go': 'package main\n',
        'api/server_test.go': 'package main\n',
      },
      {
        process: {
          build: [['go', 'build', '-C', 'api', '-o', '.wiregauge/service', './server.go', './shared.go']],
        },
      },
    ],
    [
      'Go with the file of variables that it does not start without',
      {
        'go.mod': 'module a.test/shop\n',
        'main.go': GO('godotenv.Load()'),
        'example.env': 'LEVEL=debug\n',
      },
      {
        process: {
          build: [
            ['sh', '-c', '[ -e .env ] || cp example.env .env'],
            ['go', 'build', '-o', '.wiregauge/service', '.'],
          ],
        },
      },
    ],
    [
      'a package of a workspace of npm, with all others',
      {
        'package.json': '{ "workspaces": ["api", "lib"], "scripts": { "build": "tsc --build" } }',
        'package-lock.json': '{ "lockfileVersion": 3',
        'api/package.json':
          '{ "scripts": { "start": "node dist/server" }, "dependencies": { "express": "5.0.0", "lib": "*" } }',
      },
      {
        process: {
          build: [
            ['npm', 'ci'],
            ['npm', 'run', 'build'],
          ],
        },
      },
    ],
    [
      'Go after the pages that it embeds',
      {
        'go.mod': 'module a.test/shop\n',
        'main.go': GO('http.ListenAndServe(":80", nil)'),
        'ui/pages.go': 'package ui\n\n//go:embed build/*\nvar pages embed.FS\n',
        'ui/package.json':
          '{ "scripts": { "start": "vite", "build": "vite build" }, "dependencies": { "react": "19.0.0" } }',
      },
      {
        process: {
          build: [
            ['npm', '--prefix', 'ui', 'install'],
            ['npm', '--prefix', 'ui', 'run', 'build'],
            ['go', 'build', '-o', '.wiregauge/service', '.'],
          ],
        },
      },
    ],
    [
      'Ktor built by Maven, by the class that serves',
      {
        'pom.xml': '<project><artifactId>shop</artifactId><artifactId>ktor-server-netty</artifactId></project>',
        'src/main/kotlin/Shop.kt':
          'package shop\n\nfun main() {\n  embeddedServer(Netty, System.getenv("PORT").toInt()).start(true)\n}\n',
      },
      {
        process: {
          command: ['sh', '-c', 'exec java -XX:MaxRAM=512m -cp "target/classes:$(cat target/classpath)" shop.ShopKt'],
        },
      },
    ],
    [
      'Java without Spring, by the class that serves',
      {
        'pom.xml': '<project><artifactId>shop</artifactId><artifactId>grpc-netty</artifactId></project>',
        'src/main/java/a/Shop.java':
          'package a;\nclass Shop { public static void main(String[] args) { ServerBuilder.forPort(6000).build().start(); } }',
        'src/main/java/a/ShopClient.java':
          'package a;\nclass ShopClient { public static void main(String[] args) { client.start(); } }',
      },
      {
        process: {
          build: [
            [
              'mvn',
              '--quiet',
              '--file',
              'pom.xml',
              '-DskipTests',
              'package',
              'dependency:build-classpath',
              '-Dmdep.outputFile=target/classpath',
            ],
          ],
          command: ['sh', '-c', 'exec java -XX:MaxRAM=512m -cp "target/classes:$(cat target/classpath)" a.Shop'],
          port: 6000,
        },
      },
    ],
    [
      'Spring Boot without the settings of its wrapper',
      { 'pom.xml': '<project>org.springframework.boot<artifactId>shop</artifactId></project>', mvnw: '' },
      { process: { build: [['mvn', '--quiet', '--file', 'pom.xml', '-DskipTests', 'package']] } },
    ],
    [
      'Ktor with Gradle, which takes its port as an argument',
      { 'build.gradle.kts': 'plugins { id("io.ktor.plugin") version "3" }\nio.ktor:ktor-server-netty' },
      {
        port: 8080,
        process: {
          build: [['gradle', '--quiet', 'buildFatJar']],
          command: ['sh', '-c', 'exec java -XX:MaxRAM=512m -jar build/libs/*-all.jar -host="$HOST" -port="$PORT"'],
        },
      },
    ],
    [
      'Spring Boot with Gradle',
      {
        'build.gradle': "plugins { id 'org.springframework.boot' }",
        gradlew: '',
        'gradle/wrapper/gradle-wrapper.jar': '',
      },
      { port: 8080, process: { build: [['./gradlew', '--quiet', 'bootJar']] } },
    ],
    [
      'Go, whose program is in a file of another name and reads no PORT',
      { 'go.mod': 'module x/whoami\n', 'app.go': GO('flag.StringVar(&port, "port", "80", "")') },
      { process: { command: ['sh', '-c', 'exec .wiregauge/service --port "$PORT"'] } },
    ],
    [
      'Go with an address',
      { 'go.mod': 'module x/echo\n', 'main.go': GO('listen = flag.String("listen", ":5678", "")') },
      { process: { command: ['sh', '-c', 'exec .wiregauge/service --listen "$HOST:$PORT"'] } },
    ],
    [
      'Go that reads PORT',
      { 'go.mod': 'module x/echo\n', 'main.go': GO('flag.Int("port", 80, ""); os.Getenv("PORT")') },
      { process: { command: ['.wiregauge/service'] } },
    ],
    [
      'Go that reads its port from another variable',
      { 'go.mod': 'module x/echo\n', 'main.go': GO('os.Getenv("DB_PORT"); os.Getenv("SERVER_PORT")') },
      { process: { command: ['sh', '-c', 'SERVER_PORT="$PORT" exec .wiregauge/service'] } },
    ],
    [
      'Go that reads its address from a variable',
      { 'go.mod': 'module x/echo\n', 'main.go': GO('os.LookupEnv("LISTEN_ADDR")') },
      { process: { command: ['sh', '-c', 'LISTEN_ADDR="$HOST:$PORT" exec .wiregauge/service'] } },
    ],
    [
      'Node.js without a start script, by its main file',
      {
        'package.json': JSON.stringify({ main: 'lib/web', dependencies: { express: '5' } }),
        'lib/web.js': 'app.listen(process.env.PORT || 3000)',
        'server.js': '',
      },
      { process: { command: ['node', 'lib/web.js'] } },
    ],
    [
      'Node.js without a start script or a main file, below a folder',
      { 'api/package.json': JSON.stringify({ main: 'none.js', dependencies: { koa: '3' } }), 'api/src/index.js': '' },
      { process: { command: ['node', 'api/src/index.js'] } },
    ],
    [
      'Node.js that reads its port from another variable',
      {
        'package.json': JSON.stringify({ scripts: { start: 'node app.js' }, dependencies: { express: '5' } }),
        'app.js': "app.listen(process.env['APP_PORT'], process.env.DB_PORT)",
      },
      { process: { command: ['sh', '-c', 'APP_PORT="$PORT" exec node app.js'] } },
    ],
    [
      'Go with several programs, one of which has the name of the module',
      { 'go.mod': 'module x/podinfo\n', 'cmd/podcli/main.go': GO(''), 'cmd/podinfo/main.go': GO('') },
      { process: { build: [['go', 'build', '-o', '.wiregauge/service', './cmd/podinfo']] } },
    ],
    [
      'Node.js whose start script names a port',
      {
        'package.json': JSON.stringify({
          scripts: { start: 'json-graphql-server data.json --port 3000' },
          dependencies: { 'json-graphql-server': '3.3.2' },
        }),
      },
      {
        process: {
          command: [
            'sh',
            '-c',
            'PATH="$PWD/node_modules/.bin:$PATH" exec json-graphql-server data.json --port "$PORT"',
          ],
        },
      },
    ],
    [
      'Node.js whose start script names its port by a longer flag, beside another number',
      { 'package.json': JSON.stringify({ scripts: { start: 'ganache --report 5 --server.port 8545' } }) },
      {
        process: {
          command: ['sh', '-c', 'PATH="$PWD/node_modules/.bin:$PATH" exec ganache --report 5 --server.port "$PORT"'],
        },
      },
    ],
    [
      'Node.js below a folder, by a short flag',
      {
        'web/package.json': JSON.stringify({ scripts: { start: 'next start -p 8080' }, dependencies: { next: '15' } }),
      },
      {
        process: { command: ['sh', '-c', 'cd web && PATH="$PWD/node_modules/.bin:$PATH" exec next start -p "$PORT"'] },
      },
    ],
    [
      'Node.js whose start script needs a shell',
      {
        'package.json': JSON.stringify({
          scripts: { start: 'npm run build && node server.js --port 3000' },
          dependencies: { express: '5' },
        }),
      },
      { process: { command: ['npm', 'start'] } },
    ],
    [
      'Rust',
      { 'Cargo.toml': '[package]\nname = "stock"\n[dependencies]\naxum = "0.8"\n', 'src/main.rs': 'fn main() {}' },
      { name: 'stock', process: { command: ['target/release/stock'] } },
    ],
    [
      'ASP.NET',
      { 'Todo.Api/Todo.Api.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web">' },
      {
        name: 'Todo.Api',
        process: { command: ['sh', '-c', `exec dotnet '.wiregauge/service/Todo.Api.dll' --urls "http://$HOST:$PORT"`] },
      },
    ],
  ])('%s', (_, texts, required) => {
    expect(proposed(texts).service).toMatchObject(required);
  });

  it.each([
    ['google.golang.org/grpc v1.60.1', '{ command -v protoc-gen-go-grpc >/dev/null || go install %@v1.3.0; }'],
    ['google.golang.org/grpc v1.64.0', '{ command -v protoc-gen-go-grpc >/dev/null || go install %@v1.5.1; }'],
    ['google.golang.org/grpc/cmd/protoc-gen-go-grpc v1.2.0', 'go install %@v1.2.0'],
  ])('makes stubs of Go that fit %s', (required, install) => {
    const { service } = proposed({
      'go.mod': `module example.com/shop\nrequire ${required}\n`,
      'main.go': 'package main\n\nimport "example.com/shop/api"\n\nfunc main() {\n\tgrpc.NewServer()\n}\n',
      'api/shop.proto': 'syntax = "proto3"; service Shop { rpc Get (Order) returns (Order); } message Order {}',
      Makefile: 'stubs:\n\tprotoc --go-grpc_out=. api/shop.proto\n',
    });

    expect(service?.process?.build?.[0]?.at(-1)).toContain(
      `:$PATH" && ${install.replace('%', 'google.golang.org/grpc/cmd/protoc-gen-go-grpc')} && make stubs`,
    );
  });

  it('gives no folder name of a Go module to a shell that would run it', () => {
    const at = 'a;touch x';
    const build = proposed({
      [`${at}/go.mod`]: 'module example.com/shop\nrequire google.golang.org/protobuf v1.36.6\n',
      [`${at}/main.go`]: `package main\n\nimport "example.com/shop/api"\n${GO('http.ListenAndServeTLS(":8443", "a.crt", "a.key", nil)').slice(13)}`,
      [`${at}/api/shop.proto`]: 'syntax = "proto3"; service Shop { rpc Get (A) returns (A); } message A {}',
      [`${at}/Makefile`]: 'stubs:\n\tprotoc --go_out=. api/shop.proto\n',
    }).service?.process?.build;

    expect(build).toEqual([['go', 'build', '-C', at, '-o', '.wiregauge/service', '.']]);
  });

  it('speaks HTTP if it has routes besides a contract', () => {
    const routes = ['/', '/api', '/bench', '/data'].map((path) => `http.HandleFunc("${path}", x)`);
    const texts = {
      'go.mod': 'module x/whoami\nrequire google.golang.org/grpc v1.70.0\n',
      'app.go': GO(routes.join('\n\t')),
      'whoami.proto': 'syntax = "proto3";\npackage whoami;\nmessage A {}\nservice Whoami { rpc Get(A) returns (A); }\n',
    };

    expect(proposed(texts).service?.protocol).toBe('rest');
    expect(proposed({ ...texts, 'app.go': GO(routes[0] ?? '') }).service?.protocol).toBe('grpc');
  });

  it.each([
    ['properties', 'server.port=${APP_PORT:9090}\n'],
    ['yml', 'server:\n  servlet:\n    context-path: /a\n  port: 9090\n'],
  ])('takes the port of Spring from its %s', (ending, text) => {
    const { service } = proposed({
      Dockerfile: 'FROM java\n',
      'pom.xml': '<project>org.springframework.boot<artifactId>shop</artifactId>spring-boot-starter-web</project>',
      [`src/main/resources/application.${ending}`]: text,
    });

    expect(service).toMatchObject({ port: 9090, process: { command: ['sh', '-c', expect.stringContaining('-jar')] } });
  });
});

it.each<[string, string, number]>([
  ['application.properties', 'server.port = 8081\n', 8081],
  ['application.yml', 'server:\n\n  port: 8081\n', 8081],
  ['application.yml', 'server:\n# c\n  port: ${PORT:8081}\n', 8081],
  ['application.yaml', 'spring: {}\n---\nserver: { ssl: { port: 1 }, port: "8081" }\n', 8081],
  ['application.yml', 'server.port: 8081\n', 8081],
  ['application.yml', 'quarkus:\n  http:\n    port: 8085\n', 8085],
  ['application.yml', 'management:\n  server:\n    port: 8085\n', 8080],
  ['application.yml', 'server: [', 8080],
])('the port in the settings of a JVM framework is found: %s %s', (name, text, port) => {
  const { service } = proposed({
    'pom.xml': '<project>org.springframework.boot<artifactId>shop</artifactId></project>',
    [`src/main/resources/${name}`]: text,
  });

  expect(service?.port).toBe(port);
});
