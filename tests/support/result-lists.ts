import {
  type AnchorDrift,
  type Answer,
  type BudgetFinding,
  type ChangedResponse,
  type ComparisonResult,
  changeAnswer,
  type ErrorFinding,
  evidenceIn,
  type Finding,
  limitAnswer,
  lossAnswer,
  type Uncompared,
} from '../../src/judge/verdict/finding.ts';
import { resultData } from '../../src/report/views/notes.ts';
import { cellAt } from './sample-findings.ts';

/** Answers of a comparison as lists by their evidence, as `--json` has them. */
export interface ResultLists {
  readonly findings: readonly Finding[];
  readonly uncompared: readonly Uncompared[];
  readonly errors: readonly (ErrorFinding & { readonly verdict: 'regressed' | 'unchanged' | 'improved' })[];
  readonly budgets: readonly (BudgetFinding & { readonly verdict: 'over' | 'within' })[];
  readonly answers: readonly (ChangedResponse & { readonly verdict: 'fails' | 'warns' })[];
  readonly drifts: readonly (AnchorDrift & { readonly verdict: 'over' | 'within' | 'not judged' })[];
}

/** Result as `--json` has it. */
export type ResultJson = Omit<ComparisonResult, 'answers'> & ResultLists;

/** Parts of a result for a test. */
export type ResultChange = Partial<ResultJson>;

export function listsOf(result: ComparisonResult): ResultJson {
  const { errors, budgets, answers, drifts = [] } = resultData(result) as ResultLists;
  const [findings, uncompared] = [evidenceIn(result, 'change'), evidenceIn(result, 'loss')];
  return { ...result, findings, uncompared, errors, budgets, answers, drifts };
}

const WORDS = { regressed: 'worse', unchanged: 'same', improved: 'better' } as const;

/** Result with other parts. */
export function withLists(
  before: ComparisonResult,
  { findings, uncompared, errors, budgets, answers, drifts, ...change }: ResultChange,
): ComparisonResult {
  const lists = listsOf(before);
  return {
    ...before,
    ...change,
    answers: [
      ...(uncompared ?? lists.uncompared).map(lossAnswer),
      ...(errors ?? lists.errors).map(({ verdict, ...of }): Answer => {
        const fails = verdict === 'regressed';
        return { by: 'errors', of, cell: of.cell, metric: of.metric, verdict: WORDS[verdict], fails };
      }),
      ...(answers ?? lists.answers).map(({ verdict, ...of }): Answer => {
        const fails = verdict === 'fails';
        const cell = cellAt({ service: of.services[0] ?? '', operation: of.operation, tier: 'all' });
        return { by: 'response', of, cell, verdict: fails ? 'worse' : 'unclear', fails };
      }),
      ...(findings ?? lists.findings).map(changeAnswer),
      ...(budgets ?? lists.budgets).map(({ verdict, ...of }) => limitAnswer('budget', of, verdict === 'over')),
      ...(drifts ?? lists.drifts).map(({ verdict, ...of }) => limitAnswer('drift', of, verdict === 'over')),
    ],
  };
}
