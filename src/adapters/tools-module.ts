import { join } from 'node:path';
import { messageOf } from '../core/errors.ts';
import { type ChildEnd, runChild } from './child.ts';
import { LOAD_TOOL_VERSIONS } from './tools-pins.ts';
import { SourceUnavailable, type ToolsRequest } from './tools-source.ts';

const PACKAGES = ['github.com/bojand/ghz/cmd/ghz', 'github.com/tsenart/vegeta/v12'];
const BUILD_SECONDS = 600;

/**
 * Builds the tools from the pinned module, whose checksums Go compares with go.sum, into the folder.
 * Throws SourceUnavailable where Go is missing, too old or cannot get the modules.
 */
export async function fromModule(folder: string, request: ToolsRequest): Promise<void> {
  const { ghz, vegeta } = LOAD_TOOL_VERSIONS;
  // Each of the two variables exists in one of the programs only; the linker passes over the other.
  const flags = `-s -w -X main.version=${ghz} -X main.Version=${vegeta}`;
  const argv = ['go', 'build', '-trimpath', '-buildvcs=false', '-ldflags', flags, '-o', `${folder}/`, ...PACKAGES];
  const end = await build(argv, request);
  if (end.exitCode !== 0) {
    const why = end.timedOut ? `it took over ${BUILD_SECONDS} s` : end.lastLines.slice(-500);
    throw new SourceUnavailable(`go build of tools/load failed: ${why}`);
  }
}

async function build(argv: readonly string[], request: ToolsRequest): Promise<ChildEnd> {
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
