import { describe, expect, it } from 'vitest';
import { proposed, type Texts } from './repositories.ts';

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
      'Python as its Procfile starts it',
      {
        'api/requirements.txt': 'flask',
        'api/Procfile': 'release: migrate\nweb: gunicorn shop:app\n',
        'api/shop.py': 'app = make_app()',
      },
      { process: { command: ['sh', '-c', 'cd api && exec gunicorn shop:app'] } },
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
      'Spring Boot with Gradle',
      { 'build.gradle': "plugins { id 'org.springframework.boot' }", gradlew: '' },
      { port: 8080, process: { build: [['./gradlew', '--quiet', 'bootJar']] } },
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
  ])('%s', (_, texts, wanted) => {
    expect(proposed(texts).service).toMatchObject(wanted);
  });
});
