import packageFile from '../../../package.json' with { type: 'json' };
import { readProc } from '../../host/files/reader.ts';
import { hashOf } from '../../host/files/repository.ts';
import type { Fingerprint, InstructionsRecord } from '../../model/run/instructions.ts';
import { type Program, programsOf } from '../../model/service.ts';
import { suiteFor } from '../../model/suite/groups.ts';
import type { Suite } from '../../model/suite/suite.ts';
import type { Runtime } from '../../runtime/port.ts';
import type { BuiltVersion } from '../plans/versions.ts';
import { sharedOperations } from '../trial/load/blocks.ts';

/**
 * Of a version of a service, what its counts follow from besides its code, if the operations of a suite are asked for. Names are those that
 * the version itself has, as they were when it was counted.
 */
export function fingerprintOf(
  { runtime, suite: own, services, ownNames }: BuiltVersion,
  counter: InstructionsRecord['counter'],
  { suite, service }: { readonly suite: Suite; readonly service: string },
): Fingerprint {
  const present = services.get(service);
  const found = present && { ...present, name: ownNames?.services.get(present.name) ?? present.name };
  const programs = found === undefined ? [] : programsOf([found]);
  const operations = sharedOperations(suiteFor(own, service), suiteFor(suite, service)).map(
    ({ name, share, arguments: rows, bindings }) => {
      const binding = found && bindings[found.protocol];
      // Shares of a suite whose operations were chosen add up to 1 again, but for the last digits.
      return [ownNames?.operations.get(name) ?? name, share.toFixed(SHARE_DIGITS), rows, binding];
    },
  );
  return {
    counter: `${counter.name} ${counter.version} ${counter.architecture}`,
    wiregauge: packageFile.version,
    runtime: runtime.name,
    ...systemOf(runtime),
    environment: shortHash(programs.map(({ name, environment }) => [name, environment])),
    command: shortHash(programs.map(startOfProgram)),
    requests: shortHash([operations, found?.headers, found?.metadata, found?.connection]),
  };
}

/** All that is said of how a program is started, but its environment. */
function startOfProgram({ name, image, process, port, ports, command, limits, user, files, tmpfs }: Program): unknown {
  return { name, image, process, port, ports, command, limits, user, files, tmpfs };
}

const SHARE_DIGITS = 6;

const HASH_LENGTH = 16;

/** Equal for what is written equally as JSON. */
function shortHash(value: unknown): string {
  return hashOf([JSON.stringify(value)]).slice(0, HASH_LENGTH);
}

/** Where a plain process finds its libraries and interpreters. */
function systemOf({ name, runner: { image } }: Runtime): Pick<Fingerprint, 'system' | 'runnerImage'> {
  if (name === 'docker') {
    return {};
  }
  return {
    system: systemIn(readProc('/etc/os-release') ?? ''),
    ...(image !== undefined && { runnerImage: image }),
  };
}

/** "debian 12", of the text of /etc/os-release. */
export function systemIn(release: string): string {
  const read = (key: string): string => new RegExp(`^${key}="?([^"\\n]*)`, 'm').exec(release)?.[1]?.slice(0, 100) ?? '';
  return `${read('ID')} ${read('VERSION_ID')}`.trim() || 'unknown';
}
