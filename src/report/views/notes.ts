import { counted, formatChange, formatCount, formatDuration, formatShare } from '../../foundation/numbers.ts';
import { wordList } from '../../foundation/text.ts';
import { servicesOfStarts } from '../../judge/counts/figures.ts';
import { uncountedBesides } from '../../judge/counts/notes.ts';
import { FEWEST_ROUNDS } from '../../judge/inference/location.ts';
import { memberNames } from '../../judge/verdict/compared.ts';
import { type Answer, type ComparisonResult, evidenceIn, type Finding } from '../../judge/verdict/finding.ts';
import type { Note } from '../../judge/verdict/note.ts';
import { ALL_OPERATIONS, type CellKey, isCounted, METRICS, type MetricName, SATURATION } from '../../model/metric.ts';
import type { Acceptance, PolicyPlace } from '../../model/policy.ts';
import { budgetFor, fewestRounds, secondsToFirstLook } from '../../model/rounds.ts';
import type { CallsRecord } from '../../model/run/calls.ts';
import { type KeptCell, keptCells, referenceOf } from '../../model/run/comparison.ts';
import { type CountedStart, isTooSlowToCount } from '../../model/run/instructions.ts';
import type { RoundsRecord } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { Sample } from '../../model/run/sample.ts';
import type { Mark } from '../../model/sample/mark.ts';
import { detailText } from '../comparison/sentences.ts';
import { failureText, percentText } from '../comparison/words.ts';
import { reportLabels } from './run-view.ts';
import { coresRemark, sharedCoreNote } from './trust.ts';

const HIDDEN_ALLOCATIONS =
  'Allocations are those of C, C++, Go and CPython: objects of V8 (Node.js), a JVM and .NET are not among them.';

/** Notes on a comparison, each once: those of commands first, then those from the run, then those of the judge. */
export function notesOf({
  result,
  run,
}: {
  readonly result: ComparisonResult;
  readonly run?: RunInRounds | undefined;
}) {
  const said = result.notes.filter((note) => typeof note === 'string');
  const judged = result.notes.filter((note) => typeof note !== 'string');
  const measured = run && notesOfRun(run, evidenceIn(result, 'change'));
  const short = judged.filter((note) => note.kind === 'few-requests');
  const places = wordList([...new Set(short.flatMap(({ cells }) => cells.map(placeNames(run))))]);
  return {
    notes: [...new Set([...said, ...(measured?.notes ?? []), ...judged.flatMap((note) => noteText(note, run))])],
    /** Facts without a warning: metrics left out by design, and the origin of figures. */
    remarks: [
      ...result.remarks,
      ...short
        .slice(0, 1)
        .map(
          ({ fewest }) =>
            `p99 is compared only with at least ${formatCount(fewest)} requests per round and version; too few: ${places}.`,
        ),
      ...(measured?.remarks ?? []),
    ],
  };
}

/** Name of a service in tables. */
type NameOf = (service: string) => string;

function notesOfRun(run: RunInRounds, findings: readonly Finding[]) {
  const cells = run.rounds.profile.looks.length === 0 ? [] : keptCells(run);
  const isOfVersions = run.rounds.versus === undefined;
  const nameOf = reportLabels(run).service;
  return {
    notes: [
      ...notesOfRounds(run, nameOf),
      ...unfilledCores(cells, nameOf),
      ...sharedCoreNote(run.runner),
      ...uncounted(run, nameOf, false),
      ...notesOnWarmUps(run.instructions?.starts ?? [], nameOf),
      ...(isOfVersions ? disagreements(findings, nameOf) : []),
    ],
    remarks: [
      ...growingAnswers(cells, placeNames(run)),
      ...spoiledMemory(cells, nameOf),
      ...(isOfVersions ? changedMembers(cells, nameOf) : []),
      ...coresRemark(run.runner, run.services),
      ...machinesRemark(run),
      ...uncounted(run, nameOf, true),
      ...(run.calls === undefined ? [] : uncountedNeeds(run.calls, nameOf)),
      ...(findings.some(({ metric }) => metric === 'allocationsPerRequest') ? [HIDDEN_ALLOCATIONS] : []),
      ...(run.memoryGrowth?.missing ?? []).map(
        ({ service, ...failure }) => `${nameOf(service)}: memory growth was not measured: ${failureText(failure)}`,
      ),
    ],
  };
}

const ERROR_WORDS = {
  worse: 'regressed',
  better: 'improved',
  same: 'unchanged',
  unclear: 'unchanged',
  unseen: 'unchanged',
} as const;

/** Result for programs: as data, with its notes and the details of losses as sentences. */
export function resultData(result: ComparisonResult, run?: RunInRounds): object {
  const { answers, outcome, exitCode, coverage, isAnchored = false, ...others } = result;
  const listOf = (kind: Answer['by'], verdictOf: (answer: Answer) => string) =>
    answers.filter(({ by }) => by === kind).map((answer) => ({ ...answer.of, verdict: verdictOf(answer) }));
  const limited = ({ fails }: Answer) => (fails ? 'over' : 'within');
  return {
    ...{ outcome, exitCode, findings: evidenceIn(result, 'change') },
    uncompared: evidenceIn(result, 'loss').map((one) => ({ ...one, detail: detailText(one, run) })),
    coverage,
    errors: listOf('errors', ({ verdict }) => ERROR_WORDS[verdict]),
    budgets: listOf('budget', limited),
    answers: listOf('response', ({ fails }) => (fails ? 'fails' : 'warns')),
    ...(isAnchored && {
      drifts: listOf('drift', (one) =>
        one.by === 'drift' && one.of.limit === undefined ? 'not judged' : limited(one),
      ),
    }),
    ...others,
    ...notesOf({ result, run }),
  };
}

/** Sentence for a note of the judge; undefined for a remark. */
export function noteText(note: Note, run?: RunInRounds): readonly string[] {
  switch (note.kind) {
    case 'undated':
      return ['The date of the measurement is unknown, so no acceptance expires.'];
    case 'answers-not-compared':
      return ['No answers of base and head were compared, so `answers: fail` of the policy could not be applied.'];
    case 'unmatched-acceptance':
      return [`${acceptanceName(note.acceptance)} matches no comparison.`];
    case 'expired-acceptance': {
      const effect = note.isNeeded ? 'what it accepted counts as a regression again' : 'remove it';
      return [`${acceptanceName(note.acceptance)} EXPIRED on ${note.acceptance.until}: ${effect}.`];
    }
    case 'exceeded-acceptance': {
      const { acceptance, cell, size } = note;
      // Uses the names of the policy, as the acceptance does.
      const change = `${acceptance.metric} of ${placeNames(undefined)(cell)} changed by ${percentText(size)}`;
      return [`${acceptanceName(acceptance)} is EXCEEDED: ${change}.`];
    }
    case 'unmatched-budget':
      return [`The budget for ${placeOf(note.budget)} matches no figure.`];
    case 'few-errors': {
      const [base, head] = [note.baseRate, note.headRate].map(formatShare);
      return [
        `${placeNames(run)(note.cell)}: ${head} of the head's requests failed and ${base} of the base's, in too few rounds to judge.`,
      ];
    }
    case 'few-requests':
      return [];
  }
}

function acceptanceName(acceptance: Acceptance): string {
  return `The acceptance of ${placeOf(acceptance)} up to ${percentText(acceptance.upTo)} (${acceptance.why})`;
}

function placeOf({ service = '*', operation = '*', tier = '*', metric }: PolicyPlace): string {
  return `${metric} of ${service}/${operation}/${tier}`;
}

function notesOfRounds(run: RunInRounds, nameOf: NameOf): readonly string[] {
  const { ended, rounds, base } = run.rounds;
  const { adopted } = base;
  const isUnplanned = ended === 'interrupted' || ended === 'running';
  const early = 'The comparison ended before its plan or budget: only the interim tests reached until then count.';
  return [
    ...(isUnplanned ? [early] : []),
    ...(adopted === undefined
      ? []
      : [
          `${ADOPTED[adopted]}: its code is built and measured with the configuration of the head, whose policy judges.`,
        ]),
    ...leftOutTiers(run.rounds),
    ...smallBudget(run),
    ...failuresOfBoth(rounds, nameOf),
    ...coldServices(run, nameOf),
  ];
}

/** Services that were still getting faster after the warm-up of most rounds. */
function coldServices({ suite, rounds: { profile, rounds } }: RunInRounds, nameOf: NameOf): readonly string[] {
  if (profile.name === 'smoke') {
    return [];
  }
  const seconds = Math.max(10, 2 * (suite.warmupSeconds ?? 0));
  const kept = rounds.filter(({ outcome }) => outcome === 'kept');
  return [...Map.groupBy(kept, ({ service }) => service)].flatMap(([name, own]) => {
    const cold = own.filter((round) => round.cold !== undefined);
    return cold.length > own.length / 2
      ? [
          `${nameOf(name)} still got faster after its warm-up in ${cold.length} of ${counted(own.length, 'round')}: its CPU time per request is higher than that of a warm service. To warm it up for longer, set \`saturation: { warmupSeconds: ${seconds} }\`.`,
        ]
      : [];
  });
}

const ADOPTED: Readonly<Record<NonNullable<RoundsRecord['base']['adopted']>, string>> = {
  'no-configuration': 'The base has no configuration of Wiregauge',
  'other-configuration': 'The base has no configuration of these services and operations',
};

function leftOutTiers({ leftOut, profile }: RoundsRecord): readonly string[] {
  if (leftOut === undefined) {
    return [];
  }
  const { tiers, seconds } = leftOut;
  const isOne = tiers.length === 1;
  return [
    `The ${isOne ? 'tier' : 'tiers'} ${wordList(tiers)} ${isOne ? 'is' : 'are'} not compared: with ${isOne ? 'it' : 'them'}, ${fewestRounds(profile)} rounds take about ${formatDuration(seconds)}. To compare all tiers, use a budget of ${budgetFor(seconds)}.`,
  ];
}

/** Budget that ended before a verdict, and one that suffices. Left out for shards and `versus`, whose budgets are not those of the command. */
function smallBudget({ rounds: record, spent }: RunInRounds): readonly string[] {
  const { ended, budgetSeconds, profile, rounds, shards, versus } = record;
  const fewest = fewestRounds(profile);
  if (ended !== 'budget' || fewest < FEWEST_ROUNDS || shards !== undefined || versus !== undefined) {
    return [];
  }
  const measured = {
    services: [...new Set(rounds.map(({ service }) => service))],
    rounds,
    spentSeconds: spent.totalSeconds,
  };
  const seconds = secondsToFirstLook(profile, measured) ?? 0;
  const budget = formatDuration(budgetSeconds);
  return seconds > budgetSeconds
    ? [
        `The budget of ${budget} ended before the ${fewest} rounds that a verdict needs. Use a budget of ${budgetFor(seconds)}.`,
      ]
    : [];
}

/** Services that failed occasionally in both versions, which is not a finding about the head. */
function failuresOfBoth(rounds: RoundsRecord['rounds'], nameOf: NameOf): readonly string[] {
  const failed = rounds.filter(({ outcome }) => outcome === 'failed');
  return [...Map.groupBy(failed, ({ service }) => service)].flatMap(([name, own]) => {
    const count = (side: 'base' | 'head') => own.filter(({ failure }) => failure?.side === side).length;
    const [base, head] = [count('base'), count('head')];
    return base > 0 && head > 0
      ? [
          `${nameOf(name)} failed in both versions: ${counted(base, 'time')} in base and ${counted(head, 'time')} in head.`,
        ]
      : [];
  });
}

/** Share of rounds above which a core that was not full is reported. */
const SELDOM = 0.2;

/** Services that did not fill their core in either version, so that a rate at saturation is not their capacity. */
function unfilledCores(cells: readonly KeptCell[], nameOf: NameOf): readonly string[] {
  return cells
    .filter(({ cell }) => cell.tier === SATURATION && cell.operation === ALL_OPERATIONS)
    .flatMap(({ cell, base, head }) => {
      const isIdle = (sample: Sample | undefined) => sample?.marks.includes('not-saturated') ?? false;
      const count = base.filter((sample, round) => isIdle(sample) && isIdle(head[round])).length;
      const workers = base.find((sample) => sample !== undefined)?.workers;
      return count > SELDOM * base.length
        ? [
            `${nameOf(cell.service)} at saturation: neither version filled its core in ${count} of ${base.length} rounds. Its rate and latency are those at ${workers === undefined ? 'this number of requests' : `${workers} requests`} in flight, not its capacity.`,
          ]
        : [];
    });
}

function growingAnswers(cells: readonly KeptCell[], placeName: PlaceName): readonly string[] {
  const names = cells
    .filter(({ cell }) => cell.operation !== ALL_OPERATIONS)
    .filter(({ base, head }) => [...base, ...head].some((sample) => sample?.marks.includes('growing')))
    .map(({ cell }) => placeName(cell));
  return names.length === 0
    ? []
    : [`Answers grew during the load, so figures depend on how long a round lasts: ${wordList(names)}.`];
}

/** Services whose memory grew as long as the load lasted, and those with uncounted programs, in either version. */
function spoiledMemory(cells: readonly KeptCell[], nameOf: NameOf): readonly string[] {
  const services = (mark: Mark): string => {
    const has = ({ base, head }: KeptCell) => [...base, ...head].some((sample) => sample?.marks.includes(mark));
    return wordList([...new Set(cells.filter(has).map(({ cell }) => nameOf(cell.service)))]);
  };
  const [leaking, escaped] = [services('leaking'), services('escaped')];
  return [
    ...(leaking === '' ? [] : [`Memory grew for as long as the load lasted: ${leaking}.`]),
    ...(escaped === '' ? [] : [`A program became a daemon, so its CPU time and memory are not counted: ${escaped}.`]),
  ];
}

type PlaceName = (cell: CellKey) => string;

/** Place of a cell in a sentence, as in tables: "REST GetUser at 100 users". */
function placeNames(run: RunInRounds | undefined): PlaceName {
  const labels = run && reportLabels(run);
  return ({ service, operation, tier }) => {
    const what = operation === ALL_OPERATIONS ? '' : ` ${operation}`;
    return `${labels?.service(service) ?? service}${what} at ${labels?.tier(tier) ?? tier}`;
  };
}

/** Services with members in only one version, which count in the sum and are not compared. */
function changedMembers(cells: readonly KeptCell[], nameOf: NameOf): readonly string[] {
  return [...Map.groupBy(cells, ({ cell }) => cell.service)].flatMap(([service, own]) => {
    const base = new Set(own.flatMap((kept) => kept.base.flatMap(memberNames)));
    const head = new Set(own.flatMap((kept) => kept.head.flatMap(memberNames)));
    const gone = [...base].filter((name) => !head.has(name));
    const added = [...head].filter((name) => !base.has(name));
    const words = [
      ...(gone.length === 0 ? [] : [`only base has ${wordList(gone)}`]),
      ...(added.length === 0 ? [] : [`only head has ${wordList(added)}`]),
    ];
    return words.length === 0 ? [] : [`Of the members of ${nameOf(service)}, ${words.join(', and ')}.`];
  });
}

/** Different machines of the shards: not a warning, since both versions of a service ran on the same one. */
function machinesRemark({ rounds: { shards } }: RunInRounds): readonly string[] {
  const models = Map.groupBy(shards?.kind === 'merged' ? shards.measured : [], ({ runner }) => runner.cpuModel);
  if (models.size < 2) {
    return [];
  }
  const parts = [...models].map(([model, own]) => `${model} (shard ${own.map(({ index }) => index).join(', ')})`);
  return [
    `The shards ran on different machines: ${parts.join('; ')}. Both versions of a service ran on the same one; do not compare services with each other.`,
  ];
}

/** Needs and members that the relay cannot read, or that are reached without it. */
function uncountedNeeds({ starts, failures }: CallsRecord, nameOf: NameOf): readonly string[] {
  const ofStarts = starts.flatMap(({ service, operations, unread }) => {
    const needs = [...new Set(operations.map(({ need }) => need))];
    const isSilent = (name: string) =>
      operations.every(({ need, bytes }) => need !== name || bytes.every((count) => count === 0));
    return [
      ...unread.map(
        ({ need, reason }) => `${nameOf(service)}: queries to ${need} are counted by round trips, since ${reason}.`,
      ),
      ...needs
        .filter(isSilent)
        .map(
          (need) =>
            `${nameOf(service)}: no query to ${need} was seen. It sends none, or its address comes from neither \`\${needs.${need}.port}\` nor \`\${members.${need}.port}\`.`,
        ),
    ];
  });
  return [
    ...new Set([
      ...ofStarts,
      ...failures.map(({ service, side }) => `${nameOf(service)}: queries of ${side} could not be counted.`),
    ]),
  ];
}

/** Services whose instructions were not counted, with the reason; `isDesign` selects those on a runtime that is never counted with rounds. */
function uncounted(run: RunInRounds, nameOf: NameOf, isDesign: boolean): readonly string[] {
  const { versus } = run.rounds;
  return uncountedBesides(run)
    .filter((failure) => isTooSlowToCount(failure) === isDesign)
    .map(({ service, side, message, brief = message }) => {
      // For compared services, a side is one of them.
      const name =
        versus === undefined ? side : side && nameOf(side === 'base' ? referenceOf(versus, service) : service);
      return `${nameOf(service)}: instructions were not counted${name === undefined ? '' : `, ${name}`}: ${brief}. The rounds do not need them.${isDesign ? ALONE : ''}`;
    });
}

/** Services that were still warming up in windows that count. */
export function notesOnWarmUps(starts: readonly CountedStart[], nameOf: NameOf): readonly string[] {
  const cold = servicesOfStarts(starts.filter(({ warmFrom }) => warmFrom === undefined));
  return cold.map(
    (service) =>
      `${nameOf(service)} did not reach a steady number of instructions per request: its last windows are used, and may include some of its warm-up.`,
  );
}

const ALONE = ' To count it alone, use --profile instructions.';

/** Services whose counts and rounds disagree, with both figures and a possible reason. */
function disagreements(findings: readonly Finding[], nameOf: NameOf): readonly string[] {
  const isOfAll = ({ cell }: Finding) => cell.operation === ALL_OPERATIONS;
  const counts = findings.filter((one) => one.metric === 'instructionsPerRequest' && isOfAll(one));
  return counts.flatMap((count) => {
    const { service } = count.cell;
    const timed = findings.filter(({ cell, metric }) => cell.service === service && !isCounted(metric));
    const slower = timed.find(({ family, verdict }) => family === 'gate' && verdict === 'regressed');
    const cpu = timed.find(
      (one) => one.metric === 'cpuMicrosPerRequest' && one.cell.tier === SATURATION && isOfAll(one),
    );
    const isMore = count.verdict === 'regressed';
    const other = isMore ? cpu : slower;
    const isSame = isMore === (slower !== undefined);
    if (isSame || other === undefined || [count, other].some(({ verdict }) => verdict === 'inconclusive')) {
      return [];
    }
    const { title } = METRICS[other.metric as MetricName] ?? { title: other.metric };
    const changes = [count, other].map(({ change }) => formatChange(change.estimate));
    return [
      `${nameOf(service)}: instructions per request ${changes[0]}, but ${title} ${changes[1]}: ${isMore ? ONLY_COUNTS : ONLY_ROUNDS}.`,
    ];
  });
}

const ONLY_COUNTS = 'counts show smaller changes, and instructions are only part of the time';

const ONLY_ROUNDS = 'check kernel time, waiting, locks and cache misses, which are not counted';
