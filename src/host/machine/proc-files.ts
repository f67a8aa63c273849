export interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** User and system time of the process with all its threads, including ended ones, and of reaped children. */
  readonly cpuTicks: number;
  /** Part of `cpuTicks` of reaped children. */
  readonly reapedTicks: number;
  /** Since boot; unique together with the pid until the next boot. */
  readonly startTicks: number;
}

/** Ticks in the text of `/proc/stat`. Busy leaves out idle, iowait and steal; user and nice contain guest time already. */
export function parseHostTicks(stat: string): { readonly busy: number; readonly steal: number } {
  const [label, ...columns] = (stat.split('\n', 1)[0] ?? '').split(/\s+/);
  if (label !== 'cpu' || columns.length < 4) {
    throw new Error(`/proc/stat does not start with the line of all CPUs: ${stat.slice(0, 80)}`);
  }
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = columns.map(countOf);
  return { busy: user + nice + system + irq + softirq, steal };
}

/** Kernel counter of up to 20 digits; 0 if missing or invalid. */
function countOf(text: string | undefined): number {
  return /^\d{1,20}$/.test(text ?? '') ? Number(text) : 0;
}

/** Seconds in which some task waited for a CPU, in the text of `/proc/pressure/cpu`; undefined if it has no such line. */
export function parsePressureSeconds(pressure: string): number | undefined {
  const found = /^some .*\btotal=(\d{1,20})/m.exec(pressure)?.[1];
  return found === undefined ? undefined : Number(found) / 1e6;
}

/** Bytes sent over the loopback interface, IP headers included, in the text of `/proc/<pid>/net/dev`; 0 without one. */
export function parseLoopbackBytes(dev: string): number {
  const columns = /^[\t ]*lo:[\t ]*(.*)$/m.exec(dev)?.[1]?.split(/\s+/);
  return countOf(columns?.[8]);
}

/** Bytes received and sent over all interfaces but loopback, headers included, in the text of `/proc/<pid>/net/dev`. */
export function parseNetworkBytes(dev: string): { readonly received: number; readonly sent: number } {
  const interfaces = [...dev.matchAll(/^[\t ]*([^\s:]+):[\t ]*(.*)$/gm)]
    .filter(([, name]) => name !== 'lo')
    .map(([, , columns = '']) => columns.split(/\s+/));
  const sum = (column: number) => interfaces.reduce((total, columns) => total + countOf(columns[column]), 0);
  return { received: sum(0), sent: sum(8) };
}

/** Connections that met a full listen queue, in the text of `/proc/<pid>/net/netstat`; 0 if not counted. */
export function parseListenOverflows(netstat: string): number {
  const [names, values] = netstat
    .split('\n')
    .filter((line) => line.startsWith('TcpExt:'))
    .map((line) => line.split(/\s+/));
  return countOf(values?.[names?.indexOf('ListenOverflows') ?? -1]);
}

export function parseTimeWaitSockets(sockstat: string): number {
  return countOf(/^TCP:.*\btw (\d+)/m.exec(sockstat)?.[1]);
}

/** Process in the text of `/proc/<pid>/stat` (proc_pid_stat(5)); undefined if the text is truncated. */
export function parseProcessStat(stat: string): ProcessStat | undefined {
  // The name is in parentheses and may itself contain spaces and parentheses.
  const open = stat.indexOf('(');
  const close = stat.lastIndexOf(')');
  const [state, ...columns] = stat.slice(close + 2).split(' ');
  if (open < 0 || close < open || state === undefined || columns.length < 19) {
    return undefined;
  }
  const field = (number: number) => countOf(columns[number - 4]);
  const reapedTicks = field(16) + field(17);
  return {
    pid: countOf(stat.slice(0, open).trim()),
    name: stat.slice(open + 1, close),
    state,
    parent: field(4),
    group: field(5),
    session: field(6),
    cpuTicks: field(14) + field(15) + reapedTicks,
    reapedTicks,
    startTicks: field(22),
  };
}

export function parseMemoryMiB(text: string, name: string): number | undefined {
  const found = new RegExp(`^${name}:\\s+(\\d{1,20}) kB`, 'm').exec(text)?.[1];
  return found === undefined ? undefined : Number(found) / 1024;
}

export function parseUsers(status: string): readonly [real: number, effective: number] | undefined {
  const [, real, effective] = /^Uid:\t(\d{1,10})\t(\d{1,10})/m.exec(status) ?? [];
  return real === undefined || effective === undefined ? undefined : [Number(real), Number(effective)];
}

export function parseOpenFilesLimit(limits: string): number {
  const found = /^Max open files\s+(\d{1,20})/m.exec(limits)?.[1];
  return found === undefined ? Number.POSITIVE_INFINITY : Number(found);
}

/** Soft limit of CPU time of a real-time process, in a text of `/proc/<pid>/limits`: "unlimited", or microseconds. */
export function parseRealTimeLimit(limits: string): string | undefined {
  return /^Max realtime timeout\s+(\d{1,20}|unlimited)\s/m.exec(limits)?.[1];
}

export function parseEnvironment(environ: string, name: string): string | undefined {
  const found = environ.split('\0').find((entry) => entry.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

export function parseChildren(lists: readonly string[]): readonly number[] {
  return lists.flatMap((list) => list.split(/\s+/).map(countOf)).filter((pid) => pid > 0);
}

const LISTENING = '0A';

/** Any address, 127.0.0.0/8, ::1, and 127.0.0.0/8 as IPv6; the kernel reverses each group of four bytes. */
const LOCAL = /^(0{8}|0{32}|[0-9A-F]{6}7F|0{24}01000000|0{16}FFFF0000[0-9A-F]{6}7F)$/;

/** Listening sockets in the text of `/proc/<pid>/net/tcp` or `tcp6`, by default those that a local address reaches. */
export function parseListeners(
  table: string,
  addresses = LOCAL,
): readonly { readonly port: number; readonly inode: string }[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    const [address = '', hexPort = ''] = local.split(':');
    const isMeant = state === LISTENING && addresses.test(address);
    return isMeant && inode !== undefined ? [{ port: Number.parseInt(hexPort, 16), inode }] : [];
  });
}
