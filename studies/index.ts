import type { Studies } from '../src/report/studies.ts';
import { costSection } from './report/cost.ts';
import { effectsClaims, viewEffects } from './report/effects.ts';
import { effectsSections } from './report/effects-section.ts';
import { findingRows, slotFindingRows } from './report/findings.ts';
import { findingsSection } from './report/findings-section.ts';
import { publishedSection } from './report/published.ts';
import { settingsClaims, settingsSections, viewSettings } from './report/settings.ts';
import { sweepSections } from './sweep/document.ts';

export { type MeasuredStudy, studiesDocument, studyFindings } from './report/page.ts';

export const STUDIES: Studies = {
  reading: (run, evidence) => {
    const settings = viewSettings(run, evidence);
    const effects = viewEffects(run, evidence);
    return {
      claims: [...settingsClaims(settings), ...effectsClaims(effects)],
      sections: [...settingsSections(settings), ...effectsSections(effects)],
      findings: findingsSection(findingRows(run, evidence), run.suite.published),
    };
  },
  slots: (view) => ({
    sweep: sweepSections(view),
    findings: findingsSection(slotFindingRows(view), view.run.suite.published),
    published: publishedSection(view),
    cost: costSection(view),
  }),
};
