import { type CompletedCommand, type CompletionValues, nameOf } from './tree.ts';

/** The script for zsh, to be a file `_wiregauge` in a folder of fpath, or to be sourced after compinit. */
export function zshScript(tree: readonly CompletedCommand[]): string {
  return `#compdef wiregauge
# zsh completion for wiregauge; made by \`wiregauge completion zsh\`

_wiregauge_values() {
  local kind=$1
  shift
  local -a found
  case $kind in
    words) found=("$@") ;;
    suites) found=(suites/*.yml(N:t:r)) ;;
    services) compset -P '*,' ; found=(services/*/service.yml(N:h:t)) ;;
    refs) found=(\${(f)"$(git for-each-ref --format='%(refname:short)' refs/heads refs/tags refs/remotes 2>/dev/null)"}) ;;
    files) _files; return ;;
    folders) _files -/; return ;;
    free) return ;;
  esac
  compadd -a found
}

_wiregauge() {
  local run='' value=\${words[CURRENT]} flag=\${words[CURRENT - 1]} word
  local -a offered
  if [[ $value == --*=* ]]; then
    flag=\${value%%=*}
    compset -P '*='
  fi
  for word in "\${(@)words[2, CURRENT - 1]}"; do
    case "$run/$word" in
${casesOf(tree.flatMap(steps))}
    esac
  done
  case "$run/$flag" in
${casesOf(tree.flatMap(flagValues))}
  esac
  case "$run/$value" in
${casesOf(tree.map(({ path, flags }) => [`${quoted(path)}/-*`, described(flags.map((one) => [one.flag, one.about]))]))}
${casesOf(tree.map((command) => [`${quoted(command.path)}/*`, followers(command)]))}
  esac
}

if [ "\${funcstack[1]}" = _wiregauge ]; then
  _wiregauge "$@"
else
  compdef _wiregauge wiregauge
fi
`;
}

type Case = readonly [pattern: string, does: string];

function casesOf(cases: readonly Case[]): string {
  return cases.map(([pattern, does]) => `      ${pattern}) ${does} ;;`).join('\n');
}

function steps({ path, commands }: CompletedCommand): readonly Case[] {
  return commands.map((one) => [quoted(`${path}/${nameOf(one.path)}`), `run=${quoted(one.path)}`]);
}

function flagValues({ path, flags }: CompletedCommand): readonly Case[] {
  return flags.flatMap(({ flag, values }): readonly Case[] =>
    values === undefined ? [] : [[quoted(`${path}/${flag}`), `${valuesCall(values)}; return`]],
  );
}

function valuesCall(values: CompletionValues): string {
  const words = values.kind === 'words' ? ` ${values.words.map(quoted).join(' ')}` : '';
  return `_wiregauge_values ${values.kind}${words}`;
}

function followers({ commands, values }: CompletedCommand): string {
  return commands.length === 0 ? valuesCall(values) : described(commands.map((one) => [nameOf(one.path), one.about]));
}

/** Names beside what they are; a colon parts the two. */
function described(items: readonly (readonly [name: string, about: string])[]): string {
  const lines = items.map(([name, about]) => quoted(`${name}:${about.replaceAll(':', '\\:')}`));
  return `offered=(${lines.join(' ')}); _describe wiregauge offered`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
