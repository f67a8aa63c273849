import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What axe finds wrong with a page, or a part of it, as it stands: for each rule that is broken its name and the first element that breaks it. */
export function accessibilityFindings(page: Page, part = 'html'): Promise<readonly string[]> {
  return findings(page, part);
}

/** The same of colors alone, in which dark mode differs from the light one. */
export function contrastFindings(page: Page, part = 'html'): Promise<readonly string[]> {
  return findings(page, part, ['color-contrast']);
}

async function findings(page: Page, part: string, runOnly?: string[]): Promise<readonly string[]> {
  // What is right is not listed, and nothing is carried to a second page, which only frames need: large tables take a third of the time.
  // The rows of a table are alike: the first three stand for the others.
  const axe = new AxeBuilder({ page })
    .include(part)
    .exclude('tbody tr:nth-child(n + 4)')
    .setLegacyMode()
    .options({ resultTypes: ['violations'], ...(runOnly && { runOnly }) });
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
}
