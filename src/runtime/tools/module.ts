import { join } from 'node:path';
import { messageOf } from '../../foundation/index.ts';
import { type ChildEnd, runChild } from '../../host/index.ts';
import { DRIVER, driverVersion } from '../../load/index.ts';
import { tellingLine } from '../../secrets/index.ts';
import { LOAD_TOOL_VERSIONS, SourceUnavailable, type ToolsRequest } from './places.ts';

const BUILD_SECONDS = 600;

/**
 * Builds ghz and vegeta from the pinned module, whose checksums Go compares with go.sum, into the folder.
 * Throws SourceUnavailable if Go is missing, too old or cannot get the modules.
 */
export async function generatorsFromModule(folder: string, request: ToolsRequest): Promise<void> {
  const { ghz, vegeta } = LOAD_TOOL_VERSIONS;
  const packages = ['github.com/bojand/ghz/cmd/ghz', 'github.com/tsenart/vegeta/v12'];
  // Each of the two variables exists in one of the programs only; the linker passes over the other.
  await build({ folder, packages, variables: `-X main.version=${ghz} -X main.Version=${vegeta}` }, request);
}

/** Builds the driver from its source in the pinned module, as generatorsFromModule does. */
export async function driverFromModule(folder: string, request: ToolsRequest): Promise<void> {
  const variables = `-X main.source=${driverVersion(request.root)}`;
  await build({ folder, packages: [`./cmd/${DRIVER}`], variables }, request);
}

interface Build {
  readonly folder: string;
  readonly packages: readonly string[];
  /** What the linker sets, as its flags. */
  readonly variables: string;
}

async function build({ folder, packages, variables }: Build, request: ToolsRequest): Promise<void> {
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags', `-s -w ${variables}`];
  const end = await runGo(['go', 'build', ...flags, '-o', `${folder}/`, ...packages], request);
  if (end.exitCode !== 0) {
    const why = end.timedOut
      ? `it took more than ${BUILD_SECONDS} s`
      : (tellingLine(end.lastLines, process.env) ?? 'it printed nothing');
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
