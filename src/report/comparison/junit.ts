import { escapeXml } from '../../foundation/text.ts';
import {
  type ComparisonResult,
  type Finding,
  isInconclusive,
  isRegression,
  mayFail,
} from '../../judge/verdict/finding.ts';
import type { CellKey } from '../../model/metric.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { driftClause } from '../stored/drift.ts';
import { answerClause, budgetClause, cellOfAnswer, errorClause, failureClause, lossClause } from './claims.ts';
import { headline } from './headline.ts';
import { rowOf, shiftText, verdictText } from './rows.ts';
import { type ComparisonView, viewComparison } from './view.ts';
import { comparisonLabel } from './words.ts';

/** A test of the file. */
interface Test {
  readonly service: string;
  readonly name: string;
  readonly standing: 'passed' | 'failure' | 'error' | 'skipped';
  readonly message: string;
}

/**
 * A comparison as JUnit XML, which GitLab, Jenkins and others show beside the tests: a suite for each service, a test for everything that
 * may fail a pull request. What failed it is a failure, what is inconclusive or was not seen is skipped, and a comparison without a verdict is
 * an error.
 */
export function junitOf(result: ComparisonResult, run: RunInRounds): string {
  const tests = testsOf(viewComparison(result, run));
  const services = [...new Set(tests.map(({ service }) => service))];
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="wiregauge" ${countsOf(tests)}>`,
    ...services.flatMap((service) => {
      const own = tests.filter((one) => one.service === service);
      return [`  <testsuite name="${escapeXml(service)}" ${countsOf(own)}>`, ...own.flatMap(linesOf), '  </testsuite>'];
    }),
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

function testsOf(view: ComparisonView): readonly Test[] {
  const { result } = view;
  const unjudged: Test = { service: 'wiregauge', name: 'verdict', standing: 'error', message: headline(view) };
  const { service } = view.labels;
  const judged = placedTests(view).map(({ cell, ...test }): Test => ({ service: service(cell.service), ...test }));
  return [...(result.outcome === 'incomplete' ? [unjudged] : []), ...judged];
}

function placedTests(view: ComparisonView): readonly (Omit<Test, 'service'> & { readonly cell: CellKey })[] {
  const { findings, uncompared, errors, budgets, answers, drifts = [] } = view.result;
  const label = ({ cell, metric }: { readonly cell: CellKey; readonly metric?: string | undefined }) =>
    comparisonLabel(view, cell, metric);
  return [
    ...findings.filter(mayFail).map((one) => {
      return { cell: one.cell, name: label(one), standing: standingOf(one), message: messageOf(view, one) };
    }),
    ...uncompared.map((one) => {
      const isFailure = one.reason === 'head-failed';
      const message = isFailure ? failureClause(view, one) : lossClause(view, one);
      return { cell: one.cell, name: label(one) || 'comparison', standing: failureIf(isFailure, 'skipped'), message };
    }),
    ...errors.map((one) => {
      const standing = failureIf(one.verdict === 'regressed', 'passed');
      const name = one.metric === undefined ? `failed requests, ${label(one)}` : label(one);
      return { cell: one.cell, name, standing, message: errorClause(view, one) };
    }),
    ...budgets.map((one) => {
      const standing = failureIf(one.verdict === 'over', 'passed');
      return { cell: one.cell, name: `budget, ${label(one)}`, standing, message: budgetClause(view, one) };
    }),
    ...drifts.map((one) => {
      const message = driftClause(view, one, view.run?.rounds.anchor?.name ?? 'the anchor');
      return {
        cell: one.cell,
        name: `drift, ${label(one)}`,
        standing: failureIf(one.verdict === 'over', 'passed'),
        message,
      };
    }),
    ...answers.map((one) => {
      const name = `answers, ${view.labels.operation(one.operation)}`;
      const standing = failureIf(one.verdict === 'fails', 'skipped');
      return { cell: cellOfAnswer(view, one), name, standing, message: answerClause(view, one) };
    }),
  ];
}

function failureIf(isFailure: boolean, otherwise: 'passed' | 'skipped'): Test['standing'] {
  return isFailure ? 'failure' : otherwise;
}

function standingOf(finding: Finding): Test['standing'] {
  if (isRegression(finding)) {
    return 'failure';
  }
  return isInconclusive(finding) ? 'skipped' : 'passed';
}

function messageOf(view: ComparisonView, finding: Finding): string {
  const row = rowOf(view, finding);
  return `${verdictText(row)}: ${shiftText(row)}, threshold ${row.threshold}, ${row.values}, ${row.rounds} rounds`;
}

function linesOf({ service, name, standing, message }: Test): readonly string[] {
  const head = `    <testcase classname="${escapeXml(service)}" name="${escapeXml(name)}"`;
  return standing === 'passed'
    ? [`${head}/>`]
    : [`${head}>`, `      <${standing} message="${escapeXml(message)}"/>`, '    </testcase>'];
}

function countsOf(tests: readonly Test[]): string {
  const count = (standing: Test['standing']) => tests.filter((one) => one.standing === standing).length;
  return `tests="${tests.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
}
