import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container } from 'dockerode';
import { afterEach, beforeEach } from 'vitest';
import { connectEngine, type Engine } from '../../src/runtime/docker/engine.ts';

/** What an engine does with a request. */
export type Responder = (response: ServerResponse) => unknown;

const VERSION: Responder = (response) => response.end('{"Version":"28.0.1"}');

/** An engine for each test of a file, at a socket in a folder of its own. */
export class FakeEngine {
  folder = '';
  server: Server | undefined;

  constructor() {
    beforeEach(() => {
      this.folder = mkdtempSync(join(tmpdir(), 'engine-test-'));
    });
    afterEach(() => {
      this.stop();
      rmSync(this.folder, { recursive: true });
    });
  }

  /** Gives its address. */
  async start(respond: Responder): Promise<string> {
    const path = join(this.folder, 'engine.sock');
    const server = createServer((_request, response) => {
      respond(response);
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return `unix://${path}`;
  }

  /** Starts one that answers this once it was connected to. */
  async connected(respond: Responder = VERSION): Promise<Engine> {
    const engine = await connectEngine({ DOCKER_HOST: await this.start(VERSION) });
    this.answer(respond);
    return engine;
  }

  async container(respond: Responder): Promise<Container> {
    return (await this.connected(respond)).api.getContainer('shop');
  }

  /** Answers in another way from now on. */
  answer(respond: Responder): void {
    this.server?.removeAllListeners('request').on('request', (_request, response) => respond(response));
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
    this.server = undefined;
  }
}
