import type { readMachineFacts } from '../../host/machine/machine.ts';
import { type Diagnosis, ok, warning } from './diagnosis.ts';

/** Facts about a machine; undefined ones could not be read. */
export type MachineFacts = ReturnType<typeof readMachineFacts>;

/** Diagnosis of the machine that measures. */
export function machineDiagnoses(facts: MachineFacts): readonly Diagnosis[] {
  return [cores(facts), governor(facts), steal(facts), cgroup(facts), memory(facts), disk(facts), ports(facts)].flat();
}

/** Diagnosis of another measurement; `holder` is who has the machine lock: "by process 7: ..., since ...". */
export function lockDiagnosis(holder: string | undefined): Diagnosis {
  return holder === undefined
    ? ok('machine lock', 'no other measurement is running')
    : warning(
        'machine lock',
        `this machine is being measured ${holder}`,
        'Wait for it to end, or stop it: two measurements at once distort each other.',
      );
}

/** Facts about a Valgrind. */
export interface CounterFacts {
  readonly version: string;
  /** True if its files are found, which containers get. */
  readonly isForContainers: boolean;
}

/** Diagnosis of what counts instructions; undefined if it is not here. */
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

function cores({ cores: count, cpuModel }: MachineFacts): Diagnosis {
  const says = `${count} of ${cpuModel}`;
  return count < 2
    ? warning(
        'cores',
        `${says}: the service and the load tool share it, so small changes go unnoticed`,
        'Use a machine with 2 cores: `runs-on: ubuntu-24.04` has enough.',
      )
    : ok('cores', says);
}

function governor({ governor: found }: MachineFacts): readonly Diagnosis[] {
  if (found === undefined) {
    // Virtual machines have none.
    return [];
  }
  return found === 'performance'
    ? [ok('CPU governor', found)]
    : [
        warning(
          'CPU governor',
          `${found}: the clock rate follows the load, which adds noise`,
          'On your own machine, run `sudo cpupower frequency-set --governor performance`.',
        ),
      ];
}

/** From here on other machines are seen in most rounds. */
const MUCH_STEAL = 0.02;

function steal({ stealShare }: MachineFacts): readonly Diagnosis[] {
  if (stealShare === undefined) {
    return [];
  }
  const says = `${(stealShare * 100).toFixed(1)}% of the CPU time went to other virtual machines`;
  return stealShare > MUCH_STEAL
    ? [
        warning(
          'CPU steal',
          says,
          'Expect discarded rounds and wide intervals; use another machine, or measure at another time.',
        ),
      ]
    : [ok('CPU steal', says)];
}

function cgroup({ cgroup: version }: MachineFacts): Diagnosis {
  return version === 'none'
    ? warning(
        'control groups',
        'not readable',
        'Memory and CPU time of containers then come from the engine, which is less precise.',
      )
    : ok('control groups', version);
}

/** A service and its needs have 512 MiB each; builds and the load tool need memory, too. */
const ENOUGH_MEMORY_MIB = 1024;
const ENOUGH_DISK_MIB = 2048;

function memory({ freeMemoryMiB }: MachineFacts): readonly Diagnosis[] {
  if (freeMemoryMiB === undefined) {
    return [];
  }
  const says = `${Math.round(freeMemoryMiB)} MiB available`;
  return freeMemoryMiB < ENOUGH_MEMORY_MIB
    ? [
        warning(
          'memory',
          `${says}, and each service may take 512 MiB`,
          'Close other programs, or lower the limit of the services: `limits: { memoryMiB: 256 }`.',
        ),
      ]
    : [ok('memory', says)];
}

function disk({ temporaryFolder, freeDiskMiB }: MachineFacts): readonly Diagnosis[] {
  if (freeDiskMiB === undefined) {
    return [];
  }
  const says = `${Math.round(freeDiskMiB)} MiB are free in ${temporaryFolder}`;
  return freeDiskMiB < ENOUGH_DISK_MIB
    ? [
        warning(
          'disk',
          `${says}, where versions are checked out and built`,
          'Free some space, or set TMPDIR to a folder on another disk.',
        ),
      ]
    : [ok('disk', says)];
}

/** Services are given ports from 10,000 to here. */
const HIGHEST_OF_SERVICES = 32_767;

function ports({ lowestOutgoingPort }: MachineFacts): readonly Diagnosis[] {
  if (lowestOutgoingPort === undefined) {
    return [];
  }
  return lowestOutgoingPort <= HIGHEST_OF_SERVICES
    ? [
        warning(
          'ports',
          `outgoing connections use ports from ${lowestOutgoingPort} on, and may take one that a service needs`,
          'Run `sudo sysctl net.ipv4.ip_local_port_range="32768 60999"`.',
        ),
      ]
    : [ok('ports', `ports up to ${HIGHEST_OF_SERVICES} are reserved for services`)];
}
