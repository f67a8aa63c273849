import { documentAddress } from '../../foundation/text.ts';
import type { readMachineFacts } from '../../host/machine/machine.ts';
import type { DockerAnswer } from '../../runtime/docker/engine.ts';
import type { buildFacts } from '../../runtime/docker/images/plain.ts';
import type { toolsState } from '../../runtime/tools/tools.ts';
import { type Diagnosis, ok, problem, warning, warningIf } from './diagnosis.ts';

export function machineDiagnoses(facts: ReturnType<typeof readMachineFacts>): readonly Diagnosis[] {
  const { cores, cpuModel, cgroup, temporaryFolder } = facts;
  return [
    warningIf(
      cores < 2,
      'cores',
      `${cores} of ${cpuModel}`,
      ': the service and the load tool share it, so small changes go unnoticed',
      'Use a machine with 2 cores: `runs-on: ubuntu-24.04` has enough.',
    ),
    // Virtual machines have none.
    ...ifKnown(facts.governor, (governor) => {
      const details = ': the clock rate follows the load, which adds noise';
      const next = 'On your own machine, run `sudo cpupower frequency-set --governor performance`.';
      return warningIf(governor !== 'performance', 'CPU governor', governor, details, next);
    }),
    ...ifKnown(facts.stealShare, (share) => {
      const says = `${(share * 100).toFixed(1)}% of the CPU time went to other virtual machines`;
      const next = 'Expect discarded rounds and wide intervals; use another machine, or measure at another time.';
      return warningIf(share > MUCH_STEAL, 'CPU steal', says, '', next);
    }),
    warningIf(
      cgroup === 'none',
      'control groups',
      cgroup === 'none' ? 'not readable' : cgroup,
      '',
      'Memory and CPU time of containers then come from the engine, which is less precise.',
    ),
    ...ifKnown(facts.freeMemoryMiB, (free) => {
      const says = `${Math.round(free)} MiB available`;
      const next = 'Close other programs, or lower the limit of the services: `limits: { memoryMiB: 256 }`.';
      return warningIf(free < ENOUGH_MEMORY_MIB, 'memory', says, ', and each service may take 512 MiB', next);
    }),
    ...ifKnown(facts.freeDiskMiB, (free) => {
      const says = `${Math.round(free)} MiB are free in ${temporaryFolder}`;
      const next = 'Free some space, or set TMPDIR to a folder on another disk.';
      return warningIf(free < ENOUGH_DISK_MIB, 'disk', says, ', where versions are checked out and built', next);
    }),
    ...ifKnown(facts.lowestOutgoingPort, (lowest) =>
      lowest > HIGHEST_OF_SERVICES
        ? ok('ports', `ports up to ${HIGHEST_OF_SERVICES} are reserved for services`)
        : warning(
            'ports',
            `outgoing connections use ports from ${lowest} on, and may take one that a service needs`,
            'Run `sudo sysctl net.ipv4.ip_local_port_range="32768 60999"`.',
          ),
    ),
  ];
}

/** Share of steal from which other machines affect most rounds. */
const MUCH_STEAL = 0.02;

/** Free memory that suffices: a service and its needs have 512 MiB each; builds and the load tool also need some. */
const ENOUGH_MEMORY_MIB = 1024;
const ENOUGH_DISK_MIB = 2048;

/** Highest port for services; the lowest is 10,000. */
const HIGHEST_OF_SERVICES = 32_767;

function ifKnown<Fact>(fact: Fact | undefined, diagnosisOf: (fact: Fact) => Diagnosis): readonly Diagnosis[] {
  return fact === undefined ? [] : [diagnosisOf(fact)];
}

/** Diagnosis of another measurement; `holder` describes the process with the machine lock: "by process 7: ..., since ...". */
export function lockDiagnosis(holder: string | undefined): Diagnosis {
  return holder === undefined
    ? ok('machine lock', 'no other measurement is running')
    : warning(
        'machine lock',
        `this machine is being measured ${holder}`,
        'Wait for it to end, or stop it: two measurements at once distort each other.',
      );
}

interface CounterFacts {
  readonly version: string;
  /** True if its files, which containers get, are found. */
  readonly isForContainers: boolean;
}

/** Diagnosis of Valgrind, which counts instructions; undefined if it is missing. */
export function counterDiagnosis(counter: CounterFacts | undefined): Diagnosis {
  if (counter === undefined) {
    return warning(
      'instructions',
      'Valgrind is not installed, so `wiregauge compare --profile instructions` does not work; everything else does',
      'On Debian and Ubuntu: `sudo apt-get install -y valgrind`.',
    );
  }
  const { version, isForContainers } = counter;
  return isForContainers
    ? ok('instructions', `Valgrind ${version} can count them for plain processes and in containers`)
    : warning(
        'instructions',
        `Valgrind ${version} can count them for plain processes, but not in containers: it does not report where its tools are`,
        'Install it from a package: `sudo apt-get install -y valgrind` on Debian and Ubuntu.',
      );
}

/** Diagnosis of an unused engine: plain processes are selected. */
export function uncheckedEngineDiagnosis([first]: readonly string[]): Diagnosis {
  return first === undefined
    ? ok('Docker engine', 'not checked: plain processes are measured (--runtime process)')
    : problem(
        'Docker engine',
        `--runtime process: ${first} can be started in a container only`,
        `Add a \`process\` with a \`command\` to ${first}, or measure with --runtime docker.`,
      );
}

/** Diagnosis of the engine; `containersOnly` are names of programs that need a container, `isSelected`: --runtime docker. */
export function engineDiagnosis(
  answer: DockerAnswer,
  containersOnly: readonly string[],
  isSelected: boolean,
): Diagnosis {
  if (answer.ok) {
    return ok('Docker engine', `version ${answer.version} answers`);
  }
  if (isSelected) {
    return problem('Docker engine', `--runtime docker: ${answer.why}`, answer.next);
  }
  const [first] = containersOnly;
  return first === undefined
    ? warning('Docker engine', `${answer.why}; plain processes are used`, answer.next)
    : problem('Docker engine', `${answer.why}, and ${first} can be started in a container only`, answer.start);
}

type BuildFacts = Awaited<ReturnType<typeof buildFacts>>;

const LACKING = {
  'no program': 'the program docker is not on PATH',
  'no buildx': 'the program docker has no buildx',
} as const;

export function buildDiagnoses(facts: BuildFacts): readonly Diagnosis[] {
  const { folder, freeDiskMiB } = facts;
  const next =
    'Run `wiregauge cache clean` to remove its old images, or `docker system prune` to remove everything unused.';
  const space = ifKnown(freeDiskMiB, (free) => {
    const says = `${Math.round(free)} MiB are free in ${folder}`;
    return warningIf(free < ENOUGH_DISK_MIB, 'image space', says, ', where images are kept', next);
  });
  return [builderDiagnosis(facts), ...space];
}

/** States of a usable builder; an inactive one starts with the first build. */
const USABLE = ['running', 'inactive'];

function builderDiagnosis({ builder, usesBuildKit }: BuildFacts): Diagnosis {
  if (typeof builder === 'string') {
    const isRefused = builder === 'no buildx' && usesBuildKit;
    const then = isRefused
      ? 'and with DOCKER_BUILDKIT=1 it cannot build from version 23 on'
      : 'so the older builder is used, which does not support `RUN --mount`';
    return warning(
      'image builds',
      `${LACKING[builder]}, ${then}`,
      'Install the package docker-buildx-plugin (of Docker) or docker-buildx (of the distribution).',
    );
  }
  const { name, driver, state } = builder;
  const says = `BuildKit, with the builder ${name} (${driver})`;
  const next = `Run \`docker buildx inspect ${name}\` for details.`;
  return warningIf(!USABLE.includes(state), 'image builds', says, `, which is ${state}`, next);
}

/** Diagnosis of the load driver; `go` is the version of Go, undefined if it is missing. */
export function toolsDiagnosis(
  { title, state, folder }: Awaited<ReturnType<typeof toolsState>>,
  go: string | undefined,
): Diagnosis {
  if (state === 'good') {
    return ok('load tools', `${title} in ${folder}`);
  }
  const built = go === undefined ? 'Go, which could build it, is missing' : `otherwise ${go} builds it`;
  const why =
    state === 'damaged' ? `${title} in ${folder} was changed after it was installed` : `${title} is not in the cache`;
  return warning(
    'load tools',
    `${why}: the next start downloads it; ${built}`,
    `Run \`wiregauge cache fetch\` to download it now. Without network: ${documentAddress('docs/runners.md#without-network')}`,
  );
}
