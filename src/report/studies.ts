import type { StudyEvidence } from '../judge/study/versus.ts';
import type { Run } from '../model/run/run.ts';
import type { Section } from './document.ts';
import type { RunView } from './views/run-view.ts';

/** Part of a report that the folder studies/ makes, for suites with variants, factors, a sweep or published findings. */
export interface Studies {
  /** Measured ratios between services, in rounds or slots. */
  readonly reading: (run: Run, evidence: StudyEvidence) => StudyReading;
  /** Content that only slots have; findings are empty if rounds test them. */
  readonly slots: (view: RunView) => {
    readonly sweep: readonly Section[];
    readonly findings: Section;
    readonly published: Section;
    readonly cost: Section;
  };
}

/** Recommended settings, the effects of factors, and the tested findings of a study. */
export interface StudyReading {
  /** Sentences for the summary, the most important first. */
  readonly claims: readonly string[];
  readonly sections: readonly Section[];
  readonly findings: Section;
}
