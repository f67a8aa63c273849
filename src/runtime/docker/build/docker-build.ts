import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { EnvironmentError, type KnownError, MeasurementError } from '../../../foundation/errors.ts';
import { buildByEngine } from './docker-build-api.ts';
import { buildByCli, cliArguments } from './docker-build-cli.ts';
import type { Engine } from '../docker-engine.ts';
import { type ImageRequest, imageName } from './docker-image.ts';

/**
 * Builds an image, or finds all of it in the engine's cache, and gives its id. It is tagged `wiregauge/<target>:<start of its id>`,
 * so that builds of two versions live side by side and neither is pruned. Throws MeasurementError where the build fails,
 * EnvironmentError where it cannot fetch what it needs or the disk is full; an abort ends it and rejects with the signal's reason.
 */
export async function buildImage(engine: Engine, request: ImageRequest, signal: AbortSignal): Promise<string> {
  // The command line tool builds with BuildKit where that is installed; the engine's API without a session cannot.
  const build = isOnPath('docker') ? buildByCli : buildByEngine;
  const end = await build(engine, request, signal);
  if (!end.built) {
    throw buildFailure(request, end.lastLines);
  }
  await engine.api.getImage(end.image).tag({ repo: `wiregauge/${imageName(request.source)}`, tag: tagOf(end.image) });
  if (end.builtAs !== undefined) {
    // Only the name goes: the image has another by now.
    await engine.api.getImage(end.builtAs).remove();
  }
  return end.image;
}

function tagOf(image: string): string {
  return image.replace(/^sha256:/, '').slice(0, 12);
}

const OUTSIDE =
  /no space left on device|pull access denied|failed to resolve source metadata|toomanyrequests|no such host|Temporary failure in name resolution|dial tcp|i\/o timeout|TLS handshake|connection refused|Cannot connect to the Docker daemon/i;

function buildFailure(request: ImageRequest, lastLines: string): KnownError {
  const Failure = OUTSIDE.test(lastLines) ? EnvironmentError : MeasurementError;
  return new Failure(
    `the image ${imageName(request.source)} of ${request.source.dockerfile} cannot be built; the build's last lines:\n${lastLines}`,
    { next: `Repeat it by hand in ${request.root}: docker ${cliArguments(request).map(quoted).join(' ')}` },
  );
}

function quoted(argument: string): string {
  return /^[\w./:=@%+,-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}
