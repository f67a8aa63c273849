import { escapeXml } from '../../foundation/text.ts';
import { type Answer, type ComparisonResult, mayFail } from '../../judge/verdict/finding.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { rowOf } from './rows.ts';
import { clauseOf, headline } from './sentences.ts';
import { type ComparisonView, viewComparison } from './view.ts';
import { comparisonLabel } from './words.ts';

interface Test {
  readonly service: string;
  readonly name: string;
  readonly status: 'passed' | 'failure' | 'error' | 'skipped';
  readonly message: string;
}

/**
 * Comparison as JUnit XML, which GitLab, Jenkins and others show with the tests: a suite for each service, a test for each gating comparison. A
 * regression is a failure, an inconclusive or hidden one is skipped, and a comparison without a verdict is an error.
 */
export function junitOf(result: ComparisonResult, run: RunInRounds): string {
  const tests = testsOf(viewComparison(result, run));
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="wiregauge" ${countsOf(tests)}>`,
    ...[...Map.groupBy(tests, ({ service }) => service)].flatMap(([service, own]) => [
      `  <testsuite name="${escapeXml(service)}" ${countsOf(own)}>`,
      ...own.flatMap(linesOf),
      '  </testsuite>',
    ]),
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

function testsOf(view: ComparisonView): readonly Test[] {
  const { result } = view;
  const unjudged: Test = { service: 'wiregauge', name: 'verdict', status: 'error', message: headline(view) };
  const judged = result.answers
    .filter((one) => one.by !== 'change' || mayFail(one.of))
    .map((one): Test => {
      const isOpen = one.verdict === 'unclear' || one.verdict === 'unseen';
      const row = one.by === 'change' ? rowOf(view, one.of) : undefined;
      return {
        service: view.labels.service(one.cell.service),
        name: nameOf(view, one),
        status: one.fails ? 'failure' : isOpen ? 'skipped' : 'passed',
        message:
          row === undefined
            ? clauseOf(view, one)
            : `${row.judged}: ${row.shift}, threshold ${row.threshold}, ${row.values}, ${row.rounds} rounds`,
      };
    });
  return [...(result.outcome === 'incomplete' ? [unjudged] : []), ...judged];
}

const KINDS: Partial<Readonly<Record<Answer['by'], string>>> = {
  errors: 'failed requests',
  budget: 'budget',
  drift: 'drift',
  response: 'answers',
};

function nameOf({ labels }: ComparisonView, { by, cell, metric }: Answer): string {
  const kind = by === 'errors' && metric !== undefined ? [] : [KINDS[by] ?? []].flat();
  const label = by === 'response' ? labels.operation(cell.operation) : comparisonLabel({ labels }, cell, metric);
  return [...kind, label].join(', ') || 'comparison';
}

function linesOf({ service, name, status, message }: Test): readonly string[] {
  const head = `    <testcase classname="${escapeXml(service)}" name="${escapeXml(name)}"`;
  return status === 'passed'
    ? [`${head}/>`]
    : [`${head}>`, `      <${status} message="${escapeXml(message)}"/>`, '    </testcase>'];
}

function countsOf(tests: readonly Test[]): string {
  const count = (status: Test['status']) => tests.filter((one) => one.status === status).length;
  return `tests="${tests.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
}
