import { counted, formatDuration, formatMs, formatShare } from '../../foundation/numbers.ts';
import { shortCommit, wordList } from '../../foundation/text.ts';
import { SATURATION } from '../../model/metric.ts';
import { isInRounds } from '../../model/run/comparison.ts';
import type { Run } from '../../model/run/run.ts';
import { runnerClass } from '../../model/runner.ts';
import { networkWords } from '../../model/suite/network.ts';
import { tierTitle } from '../../model/suite/tier-words.ts';
import { percentText } from '../comparison/words.ts';

/** Fact that can shift a number, as plain text without escapes. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** Method of a run: everything that could shift a number. */
export function factsOf(run: Run): readonly Fact[] {
  return [
    ...originFacts(run),
    ...profileFacts(run),
    ...tierFacts(run),
    ...networkFacts(run),
    ...machineFacts(run),
    ...toolFacts(run),
    ...serviceFacts(run),
  ];
}

/** Start time of a run, to the minute, for example "2026-11-21 00:43 UTC". */
export function startOf({ startedAt }: Pick<Run, 'startedAt'>): string {
  const [, day, minute] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}).*Z$/.exec(startedAt) ?? [];
  return day === undefined || minute === undefined ? startedAt : `${day} ${minute} UTC`;
}

/** Measured commit, shortened, and whether files had been changed since. */
export function commitText({ commit }: Pick<Run, 'commit'>): string {
  if (commit.head === undefined) {
    return 'unknown';
  }
  return `${shortCommit(commit.head)}${commit.dirty ? ', with uncommitted changes' : ''}`;
}

/** Machine and runtime of a run, in a few words for below a title. */
export function placeTexts({ runner, runtime }: Pick<Run, 'runner' | 'runtime'>): readonly string[] {
  return [`${runner.cores} cores, ${runner.cpuModel}`, RUNTIME_WORDS[runtime.name]];
}

const RUNTIME_WORDS: Readonly<Record<Run['runtime']['name'], string>> = {
  docker: 'containers',
  process: 'plain processes',
  both: 'containers and plain processes',
  kubernetes: 'pods of a Kubernetes cluster',
};

function originFacts(run: Run): readonly Fact[] {
  return [
    { name: 'Started', value: startOf(run) },
    { name: 'Commit', value: commitText(run) },
    { name: 'Wiregauge', value: run.wiregauge },
    { name: 'Seed', value: `${run.seed}` },
    { name: 'Configuration hash', value: run.configHash },
  ];
}

function profileFacts(run: Run): readonly Fact[] {
  const { profile, plannedSeconds, modes } = run.plan;
  const { totalSeconds, overheadSeconds } = run.spent;
  // The duration of rounds is reported with them.
  const time = `${formatDuration(totalSeconds)} (planned ${formatDuration(plannedSeconds)})`;
  const lengths = [
    `${profile.measureSeconds} s measured after ${profile.warmupSeconds} s of warm-up per tier`,
    `${profile.saturationSeconds} s at saturation${warmupText(run)}`,
    `ramp ${profile.rampScale} times the study's`,
    counted(profile.rounds, 'round'),
  ];
  return [
    { name: 'Profile', value: `${profile.name}, ${lengths.join(', ')}` },
    { name: 'Modes', value: modes.map((mode) => MODES[mode]).join('; ') },
    {
      name: 'Time',
      value: isInRounds(run)
        ? time
        : `${time}, of which ${formatDuration(overheadSeconds)} (${formatShare(run.spent.totalSeconds === 0 ? 0 : run.spent.overheadSeconds / run.spent.totalSeconds)}) were neither warm-up nor measurement`,
    },
  ];
}

function tierFacts(run: Run): readonly Fact[] {
  const all = run.plan.modes.includes('open') ? run.suite.tiers : [];
  const loaded = isInRounds(run) ? all.filter(({ name }) => run.rounds.tiers.includes(name)) : all;
  return loaded.length === 0 ? [] : [{ name: 'Tiers', value: loaded.map(tierTitle).join(', ') }];
}

function warmupText({ suite: { warmupSeconds }, plan: { profile } }: Run): string {
  return warmupSeconds === undefined || profile.name === 'smoke' ? '' : ` after at least ${warmupSeconds} s of warm-up`;
}

const MODES: Record<Run['plan']['modes'][number], string> = {
  open: 'open (fixed arrival rate; latency counts from the scheduled time)',
  saturate: 'saturate (closed loop without think time)',
};

/** Network of the load: the emulated one, "rtt 20 ms, by the load tool", and the measured one; empty without either. */
export function networkFacts({ suite: { tiers, network }, runner: { rttMs } }: NetworkRecord): readonly Fact[] {
  const loads = [...(tiers ?? []), { name: SATURATION, network }];
  const places = loads.map((one) => ({ name: one.name, words: one.network && networkWords(one.network) }));
  const all = [...new Set(places.flatMap(({ words }) => words ?? []))];
  const measured = rttMs === undefined ? [] : [`rtt ${formatMs(rttMs)} from load generator to service, measured`];
  const isEverywhere = all.length === 1 && places.every(({ words }) => words !== undefined);
  const placesOf = (words: string) => wordList(places.filter((one) => one.words === words).map(({ name }) => name));
  const texts = all.map((words) => (isEverywhere ? words : `${words} at ${placesOf(words)}`));
  const parts = [...(texts.length === 0 ? [] : [`${texts.join('; ')}, by the load tool`]), ...measured];
  return parts.length === 0 ? [] : [{ name: 'Network', value: parts.join('; ') }];
}

interface NetworkRecord extends Pick<Run, 'runner'> {
  readonly suite: Partial<Pick<Run['suite'], 'tiers' | 'network'>>;
}

/** Machine, runtime and limits of the services. */
export function machineFacts({ runner, runtime, limits }: Pick<Run, 'runner' | 'runtime' | 'limits'>): readonly Fact[] {
  const engine = runner.engine === undefined ? '' : `, ${runner.engine}`;
  return [
    { name: 'Runtime', value: `${runtime.name}, ${runtime.reason}` },
    { name: 'Limits of a service', value: `${limits.cpus} CPU, ${limits.memoryMiB} MiB` },
    {
      name: 'Runner',
      value: `${runnerClass(runner)}, ${runner.cpuModel}, ${runner.cores} cores, ${gibText(runner.memoryMiB)}`,
    },
    { name: 'System', value: `kernel ${runner.kernel}, cgroup ${runner.cgroup}, Node ${runner.node}${engine}` },
    ...(runner.serviceCore === undefined
      ? []
      : [{ name: 'Cores', value: `service on core ${runner.serviceCore}, load tool on core ${runner.loadCore}` }]),
  ];
}

/** "7.8 GiB", and whole numbers from 10 on. */
function gibText(memoryMiB: number): string {
  const gib = memoryMiB / 1024;
  return `${gib < 9.95 ? Number(gib.toPrecision(2)) : Math.round(gib)} GiB`;
}

/** Load tools. */
export function toolFacts({ tools }: Pick<Run, 'tools'>): readonly Fact[] {
  const versions = Object.entries(tools).map(([tool, version]) => `${tool} ${version}`);
  return versions.length === 0 ? [] : [{ name: 'Load tools', value: versions.join(', ') }];
}

function serviceFacts({ services, suite }: Run): readonly Fact[] {
  const settings = services.flatMap(({ name, title, environment, members = [], ...service }) => [
    {
      name: `Service ${name}`,
      value: [title, ...placeFacts(service), ...(members.length === 0 ? settingTexts(environment) : [])].join(', '),
    },
    ...members.map((member) => ({
      name: `Member ${member.name} of ${name}`,
      value: [
        imageText(member.source),
        `limited to ${member.limits.cpus} CPU, ${member.limits.memoryMiB} MiB`,
        ...settingTexts(member.environment),
      ].join(', '),
    })),
  ]);
  return [{ name: 'Requests', value: mixText(suite) }, ...settings];
}

/** Share of each operation in the requests, by service if they differ. */
export function mixText({ operations, groups }: Pick<Run['suite'], 'operations' | 'groups'>): string {
  const mixOf = (all: typeof operations) => all.map(({ name, share }) => `${percentText(share)} ${name}`).join(', ');
  const parts = groups?.map((group) => `${mixOf(group.operations)} (${wordList(group.services)})`);
  return parts?.join('; ') ?? mixOf(operations);
}

function settingTexts(environment: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(environment).map(([key, value]) => `${key}=${value}`);
}

function placeFacts({ address, limits, cores, needs = [] }: Partial<Run['services'][number]>): readonly string[] {
  return [
    ...(address === undefined ? [] : [`was already running at ${address}, without limits`]),
    ...(limits === undefined ? [] : [`limited to ${limits.cpus} CPU, ${limits.memoryMiB} MiB`]),
    ...(cores === 'each' ? ['each member on its own core, with their use added up'] : []),
    ...(typeof cores === 'number' ? [`on ${cores} cores, with their use added up`] : []),
    ...needs.map(
      ({ name, source, fresh }) =>
        `needs ${name} (${imageText(source)}${fresh === 'run' ? ', kept for the whole run' : ''})`,
    ),
  ];
}

/** Name of an image, with a digest as short as in the engine's own tools: "postgres:17.11@sha256:d74eeac9a635". */
function imageText(source: string): string {
  return source.replace(/(@sha256:[0-9a-f]{12})[0-9a-f]{52}$/, '$1');
}
