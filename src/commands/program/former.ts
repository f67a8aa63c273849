/** Former names of commands, with their current ones. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  plan: ['shards', 'plan'],
  merge: ['shards', 'merge'],
  tools: ['cache', 'fetch'],
  clean: ['cache', 'clean'],
  'publish-comment': ['publish', '--to', 'comment'],
  'publish-check': ['publish', '--to', 'check'],
  'publish-note': ['publish', '--to', 'note'],
  'publish-fork-comment': ['github', 'fork-comment'],
};

/** Former options by command, with their current ones. */
const OPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  compare: { '--stored': '--against' },
  github: { '--stored': '--against' },
  run: { '--gate history': '--fail-on regression' },
};

interface Renamed {
  readonly argv: readonly string[];
  readonly changes: readonly (readonly [former: string, current: string])[];
}

/** Command line with former names of commands and options replaced. */
export function renamed(argv: readonly string[]): Renamed {
  const help = argv[0] === 'help' ? ['help'] : [];
  const [name = '', ...rest] = argv.slice(help.length);
  const current = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const words = current === undefined ? argv : [...help, ...current, ...rest];
  const changes = current === undefined ? [] : [[name, current.join(' ')] as const];
  const command = words[help.length] ?? '';
  return Object.entries(Object.hasOwn(OPTIONS, command) ? (OPTIONS[command] ?? {}) : {}).reduce<Renamed>(withOption, {
    argv: words,
    changes,
  });
}

/** Replaces an option given as "--stored FILE" or "--stored=FILE". */
function withOption({ argv, changes }: Renamed, [former, current]: readonly [string, string]): Renamed {
  const [flag = '', value] = former.split(' ');
  const place = argv.findIndex((word, at) =>
    value === undefined
      ? word.split('=')[0] === flag
      : word === former.replace(' ', '=') || (word === flag && argv[at + 1] === value),
  );
  if (place === -1) {
    return { argv, changes };
  }
  const given = argv[place] ?? '';
  const words = value === undefined ? [given.replace(flag, current)] : current.split(' ');
  const taken = value === undefined || given !== flag ? 1 : 2;
  return { argv: argv.toSpliced(place, taken, ...words), changes: [...changes, [former, current]] };
}
