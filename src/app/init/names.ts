/** A name as `wiregauge.yml` takes it, made of a text from outside; undefined where nothing of it is left. */
export function nameFrom(text: string | undefined): string | undefined {
  const name = (text ?? '')
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 80)
    .replace(/[-.]+$/, '');
  return name === '' ? undefined : name;
}

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

/** The values with names of their own: the second `api` is `api-2`. */
export function withOwnNames<Named extends { readonly name: string }>(values: readonly Named[]): readonly Named[] {
  const taken = new Set<string>();
  return values.map((value) => {
    let name = value.name;
    for (let count = 2; taken.has(name); count += 1) {
      name = `${value.name.slice(0, 55)}-${count}`;
    }
    taken.add(name);
    return { ...value, name };
  });
}

const MOST_PORT = 65_535;

/** A port out of a text from outside, like "8080/tcp"; undefined where it is none. */
export function portFrom(text: string | undefined): number | undefined {
  const digits = /^(\d{1,5})(?:-\d{1,5})?(?:\/(?:tcp|TCP))?$/.exec(text?.trim() ?? '')?.[1];
  const port = Number(digits ?? 0);
  return port >= 1 && port <= MOST_PORT ? port : undefined;
}
