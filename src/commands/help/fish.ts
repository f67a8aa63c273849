import { type CompletedCommand, type CompletionValues, nameOf } from './tree.ts';

/** The script for fish 3 and later. */
export function fishScript(tree: readonly CompletedCommand[]): string {
  const lines = tree.flatMap((command) => [...commandLines(command), ...flagLines(command), ...argumentLines(command)]);
  return `# fish completion for wiregauge; made by \`wiregauge completion fish\`

function __wiregauge_path
    set -l path ''
    for word in (commandline -opc)[2..-1]
        switch "$path/$word"
${tree.flatMap(steps).join('\n')}
        end
    end
    echo "$path"
end

function __wiregauge_suites
    for file in suites/*.yml
        string replace -r '.*/(.*)\\.yml$' '$1' -- $file
    end
end

function __wiregauge_services
    set -l word (commandline -ct | string replace -r '^--[^=]*=' '')
    set -l before (string replace -r '[^,]*$' '' -- "$word")
    for file in services/*/service.yml
        printf '%s\\n' $before(string split -f 2 / -- $file)
    end
end

function __wiregauge_refs
    git for-each-ref --format='%(refname:short)' refs/heads refs/tags refs/remotes 2>/dev/null
end

complete -c wiregauge -e
complete -c wiregauge -f
${lines.join('\n')}
`;
}

function steps({ path, commands }: CompletedCommand): readonly string[] {
  return commands.map(
    (one) => `            case ${quoted(`${path}/${nameOf(one.path)}`)}\n                set path ${quoted(one.path)}`,
  );
}

function commandLines({ path, commands }: CompletedCommand): readonly string[] {
  return commands.map((one) => `${at(path)} -a ${quoted(nameOf(one.path))} -d ${quoted(one.about)}`);
}

function flagLines({ path, flags }: CompletedCommand): readonly string[] {
  return flags.map(
    ({ flag, about, values }) =>
      `${at(path)} -l ${flag.replace(/^--/, '')} -d ${quoted(about)}${values === undefined ? '' : ` ${valuesText(values)}`}`,
  );
}

function argumentLines({ path, commands, values }: CompletedCommand): readonly string[] {
  if (commands.length > 0 || values.kind === 'free') {
    return [];
  }
  return [`${at(path)} ${valuesText(values).replace(/^-x/, '-f').replace(/^-r/, '')}`];
}

function at(path: string): string {
  return `complete -c wiregauge -n "test (__wiregauge_path) = '${path}'"`;
}

function valuesText(values: CompletionValues): string {
  switch (values.kind) {
    case 'words':
      return `-x -a ${quoted(values.words.join(' '))}`;
    case 'suites':
    case 'services':
    case 'refs':
      return `-x -a '(__wiregauge_${values.kind})'`;
    case 'folders':
      return `-x -a '(__fish_complete_directories)'`;
    case 'files':
      return '-r -F';
    case 'free':
      return '-x';
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
