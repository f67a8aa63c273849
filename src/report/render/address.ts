import { plainText } from '../../foundation/text.ts';

/** Address of a file next to the report, by its relative path. Nothing in it is a host, a scheme, a query or markup. */
export function relativeAddress(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => encodeURIComponent(plainText(part, 255)).replace(/[!'()*]/g, percentOf))
    .join('/');
}

function percentOf(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}
