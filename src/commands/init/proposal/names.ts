import { nameFrom } from '../../../config/operations/name-from.ts';

/** Whether a name may stand in `wiregauge.yml` as it is. */
export function isName(text: string): boolean {
  return nameFrom(text) === text;
}

/** The name of a host, made of a text from outside. */
export function hostNameFrom(text: string): string | undefined {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 63)
    .replace(/-+$/, '');
  return name === '' ? undefined : name;
}

const MOST_PORT = 65_535;

/** A port out of a text from outside, like "8080/tcp"; undefined where it is none. */
export function portFrom(text: string | undefined): number | undefined {
  const digits = /^(\d{1,5})(?:-\d{1,5})?(?:\/(?:tcp|TCP))?$/.exec(text?.trim() ?? '')?.[1];
  const port = Number(digits ?? 0);
  return port >= 1 && port <= MOST_PORT ? port : undefined;
}
