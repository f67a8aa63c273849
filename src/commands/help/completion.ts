/** Scripts for bash 3.2, zsh and fish 3, or later: `wiregauge __complete` completes words, the shell files. */
const SCRIPTS = {
  bash: `
_wiregauge() {
  local line tab=$'\\t'
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in :*) return ;; esac
    COMPREPLY+=("\${line%%$tab*}")
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # With nothing offered bash would take files.
  compopt +o default 2>/dev/null
}

complete -o default -F _wiregauge wiregauge
`,
  zsh: `
_wiregauge() {
  local line
  local -a offered
  for line in "\${(@f)$("$words[1]" __complete "\${(@)words[2, CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :*) [[ $words[CURRENT] == --*=* ]] && compset -P '*='; _files \${\${(M)line:#:folders}:+-/}; return ;;
      ?*) offered+=("\${line/$'\\t'/:}") ;;
    esac
  done
  _describe wiregauge offered
}

if [ "\${funcstack[1]}" = _wiregauge ]; then
  _wiregauge "$@"
else
  compdef _wiregauge wiregauge
fi
`,
  fish: `
function __wiregauge_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l before (string match -r '^--[^=]*=' -- "$word")
    set -l value (string replace -- "$before" '' "$word")
    for line in ($words[1] __complete $words[2..-1] "$word" 2>/dev/null)
        switch $line
            case ':files'
                printf '%s\\n' "$before"(__fish_complete_path "$value")
            case ':folders'
                printf '%s\\n' "$before"(__fish_complete_directories "$value")
            case '*'
                echo $line
        end
    end
end

complete -c wiregauge -e
complete -c wiregauge -f -a '(__wiregauge_complete)'
`,
} as const;

export type Shell = keyof typeof SCRIPTS;

export const SHELLS = Object.keys(SCRIPTS) as readonly Shell[];

export function completionScript(shell: Shell): string {
  return `${shell === 'zsh' ? '#compdef wiregauge\n' : ''}# ${shell} completion for wiregauge; made by \`wiregauge completion ${shell}\`\n${SCRIPTS[shell]}`;
}
