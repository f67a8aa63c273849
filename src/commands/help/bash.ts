import { type CompletedCommand, type CompletionValues, nameOf } from './tree.ts';

/**
 * The script for bash 3.2 and later, which needs no package of completions. What comes from files and branches is never given to
 * `compgen -W`, which would run a command in it, and is offered only in plain letters.
 */
export function bashScript(tree: readonly CompletedCommand[]): string {
  return `# bash completion for wiregauge; made by \`wiregauge completion bash\`

_wiregauge_offer() {
  case $1 in *[!A-Za-z0-9._/@+-]*) return ;; esac
  case $1 in "$value"*) COMPREPLY+=("$before$1") ;; esac
}

_wiregauge_values() {
  local word before=
  case $1 in
    words) for word in "\${@:2}"; do _wiregauge_offer "$word"; done ;;
    suites) for word in suites/*.yml; do word=\${word##*/} && _wiregauge_offer "\${word%.yml}"; done ;;
    services)
      before=\${value%"\${value##*,}"} value=\${value##*,}
      for word in services/*/service.yml; do word=\${word%/*} && _wiregauge_offer "\${word##*/}"; done
      ;;
    refs)
      while IFS= read -r word; do _wiregauge_offer "$word"; done \\
        < <(git for-each-ref --format='%(refname:short)' refs/heads refs/tags refs/remotes 2>/dev/null)
      ;;
  esac
  # With nothing offered bash takes files, which is right for these two only.
  case $1 in files | folders) ;; *) compopt +o default 2>/dev/null ;; esac
}

_wiregauge() {
  local path='' value=\${COMP_WORDS[COMP_CWORD]} flag=\${COMP_WORDS[COMP_CWORD - 1]} place
  COMPREPLY=()
  # "--suite=us" comes as three words.
  if [ "$value" = '=' ]; then
    value=''
  elif [ "$flag" = '=' ]; then
    flag=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((place = 1; place < COMP_CWORD; place++)); do
    case "$path/\${COMP_WORDS[place]}" in
${casesOf(tree.flatMap(steps))}
    esac
  done
  case "$path/$flag" in
${casesOf(tree.flatMap(flagValues))}
  esac
  case "$path/$value" in
${casesOf(tree.map(({ path, flags }) => [`'${path}'/-*`, offered(flags.map(({ flag }) => flag))]))}
${casesOf(tree.map((command) => [`'${command.path}'/*`, followers(command)]))}
  esac
}

complete -o default -F _wiregauge wiregauge
`;
}

type Case = readonly [pattern: string, does: string];

function casesOf(cases: readonly Case[]): string {
  return cases.map(([pattern, does]) => `      ${pattern}) ${does} ;;`).join('\n');
}

function steps({ path, commands }: CompletedCommand): readonly Case[] {
  return commands.map((one) => [`'${path}/${nameOf(one.path)}'`, `path='${one.path}'`]);
}

function flagValues({ path, flags }: CompletedCommand): readonly Case[] {
  return flags.flatMap(({ flag, values }): readonly Case[] =>
    values === undefined ? [] : [[`'${path}/${flag}'`, `${valuesCall(values)}; return`]],
  );
}

function valuesCall(values: CompletionValues): string {
  const words = values.kind === 'words' ? ` ${values.words.map((word) => `'${word}'`).join(' ')}` : '';
  return `_wiregauge_values ${values.kind}${words}`;
}

function offered(words: readonly string[]): string {
  return valuesCall({ kind: 'words', words });
}

function followers({ commands, values }: CompletedCommand): string {
  return commands.length === 0 ? valuesCall(values) : offered(commands.map((one) => nameOf(one.path)));
}
