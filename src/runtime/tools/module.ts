import { join } from 'node:path';
import { messageOf } from '../../foundation/errors.ts';
import { type ChildEnd, runChild } from '../../host/child.ts';
import { relevantLine } from '../../model/secrets/printed.ts';
import { DRIVER, driverVersion } from '../driver/source.ts';
import { SourceUnavailable, type ToolsRequest } from './places.ts';

const BUILD_SECONDS = 600;

/**
 * Builds the driver from its source in the pinned module, whose checksums Go compares with go.sum, into the folder.
 * Throws SourceUnavailable if Go is missing, too old or cannot get the modules.
 */
export async function driverFromModule(folder: string, request: ToolsRequest): Promise<void> {
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags', `-s -w -X main.source=${driverVersion(request.root)}`];
  const end = await runGo(['go', 'build', ...flags, '-o', `${folder}/`, `./cmd/${DRIVER}`], request);
  if (end.exitCode !== 0) {
    const why = end.timedOut
      ? `it took more than ${BUILD_SECONDS} s`
      : (relevantLine(end.lastLines, process.env) ?? 'it printed nothing');
    throw new SourceUnavailable(`go build of tools/load failed: ${why}`);
  }
}

async function runGo(argv: readonly string[], request: ToolsRequest): Promise<ChildEnd> {
  const environment = {
    ...request.environment,
    CGO_ENABLED: '0',
    GOOS: 'linux',
    GOARCH: request.architecture === 'arm64' ? 'arm64' : 'amd64',
    GOFLAGS: '-mod=readonly',
    GOWORK: 'off',
  };
  try {
    const limits = { signal: request.signal, limitSeconds: BUILD_SECONDS };
    return await runChild({ argv, cwd: join(request.root, 'tools', 'load'), environment }, limits);
  } catch (cause) {
    request.signal.throwIfAborted();
    throw new SourceUnavailable(messageOf(cause));
  }
}
