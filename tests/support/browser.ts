import { type Browser, chromium } from 'playwright-core';
import { BROWSER_ARGUMENTS } from '../../scripts/browser-arguments.ts';

let launched: Promise<Browser> | undefined;

/** Chromium, which the files of a worker share, and which ends with it. */
export function sharedBrowser(): Promise<Browser> {
  launched ??= chromium.launch({ executablePath: '/usr/bin/chromium', args: [...BROWSER_ARGUMENTS] });
  return launched;
}
