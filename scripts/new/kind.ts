/** Requested kind, name and options. */
export interface Wish {
  readonly name: string;
  /** Options by name, without dashes. */
  readonly options: Readonly<Record<string, string>>;
}

/** Kind of scaffold. */
export interface Kind {
  /** Description for help. */
  readonly about: string;
  /** Options by name, with their values and descriptions. */
  readonly options: Readonly<Record<string, readonly [takes: string, says: string]>>;
  /** Mistakes in a request, one sentence each. */
  mistakes(wish: Wish, root: string): readonly string[];
  make(wish: Wish, root: string): Scaffold;
}

/** Changes to a repository. */
export interface Scaffold {
  /** Texts of new files, by path from the root. */
  readonly written: Readonly<Record<string, string>>;
  /** The same for existing files. */
  readonly changed: Readonly<Record<string, string>>;
  /** Commands that run afterwards, in the root. */
  readonly commands: readonly (readonly [string, ...string[]])[];
  /** Remaining steps, one line each. */
  readonly next: readonly string[];
}

/** "My service" for "my-service". */
export function titleOf({ name, options }: Wish): string {
  const words = name.replaceAll('-', ' ');
  return options['title'] ?? words.slice(0, 1).toUpperCase() + words.slice(1);
}

const TITLE = /^[A-Za-z][A-Za-z0-9 ._-]{0,39}$/;

/** Mistakes that make a title invalid in code and in YAML. */
export function titleMistakes({ title }: Wish['options']): readonly string[] {
  return title === undefined || TITLE.test(title)
    ? []
    : [`--title is ${JSON.stringify(title)}: it must be 1 to 40 letters, digits, spaces, dots, dashes or underscores`];
}

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const LONGEST = 40;

/** Mistakes that make a name invalid for a folder or a file. */
export function nameMistakes(name: string): readonly string[] {
  return NAME.test(name) && name.length <= LONGEST
    ? []
    : [
        `${JSON.stringify(name)} is not a valid name: write 1 to ${LONGEST} lower-case letters, digits and single dashes, starting with a letter`,
      ];
}
