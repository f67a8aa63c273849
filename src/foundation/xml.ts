import { escapeHtml } from './escape.ts';

/** Text for XML, in an element or a quoted attribute, on one line and with nothing that XML cannot hold. */
export function escapeXml(text: string): string {
  return escapeHtml(text.replace(/[\p{Surrogate}\ufffe\uffff]/gu, '\ufffd'));
}
