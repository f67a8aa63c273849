import { describe, expect, it, test } from 'vitest';
import { certificateCommands, exposedPort, imageSettings } from '../../../../../src/commands/init/read/dockerfile.ts';
import { proposed } from '../services/repositories.ts';

const file = (text: string) => ({ path: 'Dockerfile', text });

describe('what a program has of its image when it is started without one', () => {
  it('is the environment of the last stage, without what belongs to the image', () => {
    const text = `FROM node AS build
ENV ONLY_HERE=1
FROM node
ENV GREETING="good day" \\
    # of the day
    NODE_ENV=production
ENV PATH=/app:$PATH DATA=/data HTTP_PORT=8080 NODE_VERSION=22 PYTHONUNBUFFERED=1
ENV LEVEL info
ARG NOT_THIS=1
`;

    expect(imageSettings(file(text))).toEqual({ GREETING: 'good day', NODE_ENV: 'production', LEVEL: 'info' });
    expect(imageSettings(undefined)).toEqual({});
    expect(imageSettings(file('FROM x\nENV HOSTNAME "0.0.0.0"\n'))).toEqual({ HOSTNAME: '0.0.0.0' });
  });

  it('is written with where it comes from', () => {
    const { service, text } = proposed({
      'go.mod': 'module x/echo\n',
      'main.go': 'package main\n\nfunc main() { os.Getenv("PORT") }\n',
      Dockerfile: 'FROM scratch\nENV TEXT="hello"\nEXPOSE 5678\n',
    });

    expect(service?.environment).toEqual({ TEXT: 'hello' });
    expect(text).toContain('# From Dockerfile.\n');
  });

  it('is nothing for a service that is started in a container only', () => {
    expect(proposed({ Dockerfile: 'FROM scratch\nENV TEXT="hello"\n' }).service?.environment).toEqual({});
  });

  it('is a key and a certificate, made as the image makes them', () => {
    const text = `FROM node
RUN set -ex \\
  # for HTTPS
  && openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out tls/cert.pem -subj "/CN=a b" \\
  && rm -rf /var
`;
    const command = [
      'openssl',
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      'key.pem',
      '-out',
      'tls/cert.pem',
      '-subj',
      '/CN=a b',
    ];

    expect(certificateCommands(file(text))).toEqual([command]);
    const { service } = proposed({
      'go.mod': 'module x/a\n',
      'main.go': 'package main\n\nfunc main() {}\n',
      Dockerfile: text,
    });
    expect(service?.process?.build.at(-1)).toEqual(command);
  });

  it.each([
    'openssl req -x509 -keyout key.pem -out cert.pem',
    'openssl req -x509 -nodes -keyout /etc/key.pem -out cert.pem',
    'openssl req -x509 -nodes -keyout ../key.pem -out cert.pem',
    'openssl req -x509 -nodes -keyout -f -out cert.pem',
    'openssl req -x509 -nodes -keyout $KEY -out cert.pem',
    'openssl req -x509 -nodes -out cert.pem',
    'openssl genrsa -out key.pem',
  ])('is no other command: %s', (command) => {
    expect(certificateCommands(file(`FROM x\nRUN ${command}\n`))).toEqual([]);
  });
});

describe('a Dockerfile that is kept aside', () => {
  const texts = {
    'docker/Dockerfile': 'FROM golang\nEXPOSE 9090\n',
    'cmd/shop/main.go': 'package main\nfunc main() {}\n',
  };

  it('is built in the folder of the program', () => {
    const { service, proposals } = proposed({ ...texts, 'go.mod': 'module shop\n' });

    expect(proposals).toHaveLength(1);
    expect(service?.image).toMatchObject({ context: '.', dockerfile: 'docker/Dockerfile' });
    expect(service?.process?.command).toEqual(['.wiregauge/service']);
  });

  it('is built there however many folders it is kept in', () => {
    const [proposal] = proposed({
      'build/docker/Dockerfile': 'FROM golang\n',
      'cmd/shop/main.go': texts['cmd/shop/main.go'],
      'go.mod': 'module shop\n',
    }).proposals;

    expect(proposal.image).toMatchObject({ context: '.', dockerfile: 'build/docker/Dockerfile' });
  });

  it('shows by what it copies where the program is', () => {
    const { service } = proposed({
      'compose.yml': 'services: { web: { build: { context: ., dockerfile: Dockerfile.app } } }',
      'Dockerfile.app': 'FROM golang\nCOPY ./app/go.mod ./app/go.sum ./app/\n',
      'app/go.mod': 'module app\n',
      'app/main.go': texts['cmd/shop/main.go'],
      'tool/go.mod': 'module tool\n',
    });

    expect(service?.process?.build).toEqual([['go', 'build', '-C', 'app', '-o', '.wiregauge/service', '.']]);
  });

  it('is built in its own folder if that has the program', () => {
    expect(
      proposed({ ...texts, 'docker/go.mod': 'module docker\n', 'go.mod': 'module shop\n' }).proposals[0].image,
    ).toMatchObject({
      context: 'docker',
    });
  });
});

test('values with paths below the working directory of the image fit a plain process, too', () => {
  const { service } = proposed({
    'compose.yaml':
      'services:\n  shop:\n    build: .\n    environment: { A: "sqlite:////app/data/shop.db", B: /app/storage, C: "http://host/app/x", D: /etc/shop }\n',
    Dockerfile: 'FROM node\nWORKDIR /app\n',
    'package.json': '{"scripts":{"start":"node server.js"},"dependencies":{"express":"5"}}',
    'server.js': 'app.get("/items", list)',
  });

  expect(service?.environment).toEqual({
    A: 'sqlite:///./data/shop.db',
    B: './storage',
    C: 'http://host/app/x',
    D: '/etc/shop',
  });
});

describe('the port of a Dockerfile', () => {
  test.each([
    ['FROM a\nEXPOSE 8080\nEXPOSE 8081\n', 8080],
    ['FROM a\nEXPOSE 443\nEXPOSE 80\n', 80],
    ['FROM a\nEXPOSE 443 8080\n', 8080],
    ['FROM a\nEXPOSE 8443\n', 8443],
    ['FROM a AS base\nEXPOSE 3000\nFROM base\nEXPOSE 4000 443\n', 4000],
    ['FROM a AS base\nEXPOSE 3000\nFROM base\n', 3000],
    ['FROM a\nENV PORT=5000\n', 5000],
  ])('is that of HTTP, of the last stage that has one: %j', (text, port) => {
    expect(exposedPort(text)).toBe(port);
  });
});
