import type { Fingerprint, KeptCounts } from '../../model/index.ts';
import {
  ENTRY_KINDS,
  ENTRY_OUTCOMES,
  ENTRY_VERDICTS,
  type EntryCommit,
  type EntryImport,
  type EntryLinks,
  type EntryRunner,
  type EntrySettings,
  type EntryVerdict,
  type HistoryEntry,
  type ImportedCommit,
  type ImportedPerson,
  type ImportNote,
  type Series,
} from './entry.ts';
import {
  countField,
  type Fields,
  fieldsOf,
  formerNamesField,
  innerFields,
  LONGEST_NAME,
  LONGEST_TEXT,
  listField,
  MOST_TAGS,
  malformed,
  numberField,
  optionalNumber,
  optionalText,
  seriesField,
  textField,
  timeField,
  wordField,
} from './fields.ts';

const MOST_TOOLS = 100;

const LONGEST_LINK = 2000;

/** Names that JavaScript gives a meaning of its own. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

/** The run in a line, whose columns are known; throws HistoryError. */
export function entryOfFields(fields: Fields, series: readonly Series[]): HistoryEntry {
  const { of } = fields;
  return {
    run: runIn(fields),
    at: timeField(fields, 'at'),
    suite: textField(fields, 'suite', LONGEST_NAME),
    kind: wordField(fields, 'kind', ENTRY_KINDS),
    series,
    values: figuresIn(fields, 'values', series.length),
    spreads: figuresIn(fields, 'spreads', series.length),
    tags: of['tags'] === undefined ? [] : tagsIn(fields),
    tools: toolsIn(fields),
    rounds: countField(fields, 'rounds'),
    verdicts: of['verdicts'] === undefined ? [] : verdictsIn(fields, series.length),
    ...(of['counts'] !== undefined && { counts: countsIn(fields) }),
    ...namesIn(fields),
    ...anchorIn(fields),
    links: linksIn(fields),
    ...originIn(fields),
    ...conditionsIn(fields),
    ...importIn(fields, series.length),
  };
}

const RUN = /^[A-Za-z0-9_.-]{1,80}$/;

/** The id of a run in the field `run`: letters, digits, dots, dashes and underscores. */
export function runIn(fields: Fields): string {
  const run = textField(fields, 'run');
  if (!RUN.test(run)) {
    throw malformed(fields.place, 'run must be 1 to 80 letters, digits, dots, dashes or underscores');
  }
  return run;
}

/** Finite numbers and nulls, one for each series. */
function figuresIn({ of, place }: Fields, name: string, count: number): readonly (number | null)[] {
  const figures = of[name];
  if (!Array.isArray(figures) || figures.length !== count) {
    throw malformed(place, `${name} is not a list of ${count} figures, one for each series of its columns`);
  }
  for (const figure of figures) {
    if (figure !== null && !Number.isFinite(figure)) {
      throw malformed(place, `${name} has a figure that is not a finite number`);
    }
  }
  return figures;
}

function originIn(fields: Fields): Pick<HistoryEntry, 'commit' | 'branch' | 'pullRequest'> {
  const commit = innerFields(fields, 'commit');
  const branch = optionalText(fields, 'branch');
  const pullRequest = fields.of['pullRequest'] === undefined ? undefined : countField(fields, 'pullRequest');
  return {
    ...(commit !== undefined && { commit: commitOf(commit) }),
    ...(branch !== undefined && { branch }),
    ...(pullRequest !== undefined && { pullRequest }),
  };
}

function commitOf(fields: Fields): EntryCommit {
  const subject = optionalText(fields, 'subject');
  return {
    sha: textField(fields, 'sha', LONGEST_NAME),
    ...(subject !== undefined && { subject }),
    ...(fields.of['at'] !== undefined && { at: timeField(fields, 'at') }),
    ...(fields.of['dirty'] === true && { dirty: true as const }),
  };
}

function conditionsIn(fields: Fields): Pick<HistoryEntry, 'runner' | 'settings' | 'controlMs' | 'outcome'> {
  const runner = innerFields(fields, 'runner');
  const settings = innerFields(fields, 'settings');
  const controlMs = optionalNumber(fields, 'controlMs');
  return {
    ...(runner !== undefined && { runner: runnerOf(runner) }),
    ...(settings !== undefined && { settings: settingsOf(settings) }),
    ...(controlMs !== undefined && { controlMs }),
    ...(fields.of['outcome'] !== undefined && { outcome: wordField(fields, 'outcome', ENTRY_OUTCOMES) }),
  };
}

function runnerOf(fields: Fields): EntryRunner {
  const image = optionalText(fields, 'image');
  return {
    cpuModel: textField(fields, 'cpuModel'),
    cores: countField(fields, 'cores'),
    kernel: textField(fields, 'kernel'),
    platform: textField(fields, 'platform'),
    ...(image !== undefined && { image }),
  };
}

function settingsOf(fields: Fields): EntrySettings {
  return {
    runtime: textField(fields, 'runtime'),
    profile: textField(fields, 'profile'),
    configHash: textField(fields, 'configHash'),
  };
}

function tagsIn(fields: Fields): readonly string[] {
  return listField(fields, 'tags', MOST_TAGS).map((tag) => {
    if (typeof tag !== 'string' || tag.length > LONGEST_NAME) {
      throw malformed(fields.place, `tags must contain only texts of at most ${LONGEST_NAME} characters`);
    }
    return tag;
  });
}

function toolsIn(fields: Fields): HistoryEntry['tools'] {
  const tools = innerFields(fields, 'tools');
  if (tools === undefined) {
    return {};
  }
  const names = Object.keys(tools.of);
  const isFit = (name: string) => name.length <= LONGEST_NAME && !RESERVED.has(name);
  if (names.length > MOST_TOOLS || !names.every(isFit)) {
    throw malformed(fields.place, 'tools has too many names, or an invalid one');
  }
  return Object.fromEntries(names.map((name) => [name, textField(tools, name)]));
}

function verdictsIn(fields: Fields, count: number): readonly EntryVerdict[] {
  return listField(fields, 'verdicts', count).map((item) => {
    const verdict = fieldsOf(item, fields.place, 'a verdict');
    const series = seriesField(verdict, count);
    return { series, verdict: wordField(verdict, 'verdict', ENTRY_VERDICTS), ...detailsOf(verdict) };
  });
}

function detailsOf(fields: Fields): Pick<EntryVerdict, 'change' | 'low' | 'high' | 'accepted'> {
  const accepted = optionalText(fields, 'accepted');
  return {
    ...(fields.of['change'] !== undefined && { change: numberField(fields, 'change') }),
    ...(fields.of['low'] !== undefined && { low: numberField(fields, 'low') }),
    ...(fields.of['high'] !== undefined && { high: numberField(fields, 'high') }),
    ...(accepted !== undefined && { accepted }),
  };
}

const MOST_COUNTED = 1000;

/** What was counted of services; nothing is compared with counts that have no fingerprint. */
function countsIn(fields: Fields): readonly KeptCounts[] {
  return listField(fields, 'counts', MOST_COUNTED).map((item) => {
    const counts = fieldsOf(item, fields.place, 'an item of counts');
    return {
      service: textField(counts, 'service', LONGEST_NAME),
      fingerprint: fingerprintIn(fieldsOf(counts.of['fingerprint'], fields.place, 'fingerprint')),
      starts: listField(counts, 'starts', MOST_COUNTED).map((start) => startIn({ of: { start }, place: fields.place })),
    };
  });
}

function startIn(fields: Fields): KeptCounts['starts'][number] {
  return listField(fields, 'start', MOST_COUNTED).map((item) => {
    const counted = fieldsOf(item, fields.place, 'an operation of a start');
    return {
      operation: textField(counted, 'operation', LONGEST_NAME),
      requests: countField(counted, 'requests'),
      instructions: wholeNumbersIn(counted, 'instructions'),
      syscalls: wholeNumbersIn(counted, 'syscalls'),
    };
  });
}

function wholeNumbersIn(fields: Fields, name: string): readonly number[] {
  return listField(fields, name, MOST_COUNTED).map((value) =>
    countField({ of: { [name]: value }, place: fields.place }, name),
  );
}

const FINGERPRINT = ['counter', 'wiregauge', 'runtime', 'environment', 'command', 'requests'] as const;

function fingerprintIn(fields: Fields): Fingerprint {
  const parts = FINGERPRINT.map((part) => [part, textField(fields, part, LONGEST_NAME)] as const);
  const found = Object.fromEntries(parts) as Pick<Fingerprint, (typeof FINGERPRINT)[number]>;
  return { ...found, ...textsIn(fields, ['system', 'runnerImage']) };
}

function namesIn(fields: Fields): Pick<HistoryEntry, 'wasNamed'> {
  const wasNamed = innerFields(fields, 'wasNamed');
  return wasNamed === undefined ? {} : { wasNamed: formerNamesField(wasNamed) };
}

function anchorIn(fields: Fields): Pick<HistoryEntry, 'anchor'> {
  const anchor = innerFields(fields, 'anchor');
  if (anchor === undefined) {
    return {};
  }
  const through = optionalText(anchor, 'through', LONGEST_NAME);
  const [name, commit] = [textField(anchor, 'name', LONGEST_NAME), textField(anchor, 'commit', LONGEST_NAME)];
  const limits = anchor.of['limits'] === undefined ? undefined : countField(anchor, 'limits');
  return {
    anchor: { name, commit, ...(through !== undefined && { through }), ...(limits !== undefined && { limits }) },
  };
}

function linksIn(fields: Fields): EntryLinks {
  const links = innerFields(fields, 'links');
  const run = links === undefined ? undefined : optionalText(links, 'run', LONGEST_LINK);
  const report = links === undefined ? undefined : optionalText(links, 'report', LONGEST_LINK);
  return { ...(run !== undefined && { run }), ...(report !== undefined && { report }) };
}

/** What another tool said of a run, in the field `imported`; throws HistoryError. */
export function importIn(fields: Fields, count: number): Pick<HistoryEntry, 'imported'> {
  const imported = innerFields(fields, 'imported');
  return imported === undefined ? {} : { imported: importOf(imported, count) };
}

function importOf(fields: Fields, count: number): EntryImport {
  const commit = innerFields(fields, 'commit');
  return {
    tool: textField(fields, 'tool', LONGEST_NAME),
    notes: listField(fields, 'notes', count).map((note) => noteOf(fieldsOf(note, fields.place, 'a note'), count)),
    ...(commit !== undefined && { commit: commitOfImport(commit) }),
  };
}

function noteOf(fields: Fields, count: number): ImportNote {
  const range = optionalText(fields, 'range');
  const extra = optionalText(fields, 'extra');
  return {
    series: seriesField(fields, count),
    ...(range !== undefined && { range }),
    ...(extra !== undefined && { extra }),
  };
}

function commitOfImport(fields: Fields): ImportedCommit {
  const { distinct } = fields.of;
  return {
    ...textsIn(fields, ['message', 'timestamp', 'url', 'tree_id'] as const),
    ...(typeof distinct === 'boolean' && { distinct }),
    ...personIn(fields, 'author'),
    ...personIn(fields, 'committer'),
  };
}

function personIn(fields: Fields, role: 'author' | 'committer'): Pick<ImportedCommit, 'author' | 'committer'> {
  const person = innerFields(fields, role);
  return person === undefined
    ? {}
    : { [role]: textsIn(person, ['name', 'username', 'email'] as const) satisfies ImportedPerson };
}

function textsIn<Name extends string>(fields: Fields, names: readonly Name[]): { readonly [name in Name]?: string } {
  const texts = names.flatMap((name) => {
    const text = optionalText(fields, name, LONGEST_TEXT);
    return text === undefined ? [] : [[name, text] as const];
  });
  return Object.fromEntries(texts) as { readonly [name in Name]?: string };
}
