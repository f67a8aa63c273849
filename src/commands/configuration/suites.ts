import { PROJECT_SUITE } from '../../config/schema/suite.ts';
import { formatDuration } from '../../foundation/numbers.ts';
import { plainPrograms } from '../../measure/session/runtime.ts';
import { PROFILE_NAMES } from '../../model/profiles.ts';
import { type Program, programsOf } from '../../model/service.ts';
import { tierWords } from '../../model/suite/tier-words.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { OWN_ROOT } from '../../project/own-root.ts';
import { suiteRoot, suitesIn } from '../../project/suite.ts';
import { wrapped } from '../../report/render/lines.ts';
import { printResult, terminalPaint } from '../program/result.ts';
import { lengthOf } from './lengths.ts';

/** `wiregauge suites`: lists the suites of the current folder, else those that come with Wiregauge. Measures nothing. */
export function suites({ json }: { readonly json?: boolean }): void {
  const rows = suitesIn(suiteRoot(process.cwd(), OWN_ROOT)).map(rowOf);
  const { columns } = terminalPaint();
  printResult(
    { command: 'suites', json },
    { suites: rows },
    `${rows.map((row) => textOf(row, columns)).join('\n\n')}\n`,
  );
}

type SuiteRow = ReturnType<typeof rowOf>;

function rowOf(files: SuiteFiles) {
  const { suite } = files;
  const services = [...files.services.values()];
  const programs = programsOf(services);
  return {
    name: suite.name,
    title: suite.title,
    services: suite.services,
    operations: suite.operations.map(({ name }) => name),
    tiers: suite.tiers.map(tierWords),
    // For `run`, once everything is built.
    lengths: PROFILE_NAMES.map((profile) => {
      const { mostSeconds } = lengthOf('run', profile, files);
      return { profile, mostSeconds };
    }),
    // How its programs can be started: in containers, as plain processes, or either way.
    runtimes: [
      ...(programs.every(({ image }) => image !== undefined) ? ['docker' as const] : []),
      ...(plainPrograms(services).every(({ process }) => process !== undefined) ? ['process' as const] : []),
    ],
    commands: distinct(programs.flatMap(installedFor)),
    needs: distinct(services.flatMap(({ needs = [] }) => needs.map(({ name }) => name))),
  };
}

/** Programs that build and start it, except those of the repository itself. */
function installedFor({ process }: Program): readonly string[] {
  const calls = process === undefined ? [] : [...process.build, process.command];
  return calls
    .flatMap((call) => call.find((word) => word !== 'env' && !word.includes('=')) ?? [])
    .filter((word) => !word.includes('/'));
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

const RUNTIME_WORDS = { docker: 'containers', process: 'plain processes' };

function textOf(row: SuiteRow, columns: number): string {
  const lengths = row.lengths.map(({ profile, mostSeconds }) => `${profile} ${formatDuration(mostSeconds)}`);
  const places = row.runtimes.map((one) => RUNTIME_WORDS[one]);
  const commands = row.commands.length === 0 ? '' : ` (${row.commands.join(', ')})`;
  const needs = row.needs.length === 0 ? '' : `; also ${row.needs.join(', ')}`;
  const lines = [
    `services: ${row.services.join(', ')}`,
    `operations: ${row.operations.join(', ')}`,
    `loads: ${[...row.tiers, 'saturation'].join(', ')}`,
    `takes: about ${lengths.join(', ')}, plus builds`,
    `needs: ${places.join(' or ') || 'services that are already running'}${commands}${needs}`,
  ];
  return [
    row.name === PROJECT_SUITE ? row.title : `${row.name}: ${row.title}`,
    ...lines.flatMap((line) => wrapped(line, '    ', columns - 2).map((text) => `  ${text}`)),
  ].join('\n');
}
