// `millrace completion`: scripts for shells, made from the command table.
import { type Command, defineCommand } from '../command.ts'
import { usageError } from '../exit-code.ts'
import { optionsOf } from '../help.ts'

export const completionFor = (commands: () => readonly Command[]): Command =>
  defineCommand({
    name: 'completion',
    summary: 'Print a script that completes commands and options in your shell',
    args: ['<shell>'],
    connects: false,
    examples: [
      [
        'bash',
        'mkdir -p ~/.local/share/bash-completion/completions && millrace completion bash > ~/.local/share/bash-completion/completions/millrace',
      ],
      ['zsh', 'mkdir -p ~/.zfunc && millrace completion zsh > ~/.zfunc/_millrace'],
      [
        'fish',
        'mkdir -p ~/.config/fish/completions && millrace completion fish > ~/.config/fish/completions/millrace.fish',
      ],
    ],
    async run({ args, showDocument }) {
      const make = SHELLS[args[0]!]
      if (!make) throw usageError(`The shell is bash, zsh or fish, not "${args[0]}".`)
      const script = make(commands())
      return showDocument({ shell: args[0], script }, () => script)
    },
  })

const SHELLS: Record<string, (commands: readonly Command[]) => string> = { bash, zsh, fish }

/** The words that may come next after those typed so far, and the options at the end. */
function wordsAfter(commands: readonly Command[]): Map<string, Set<string>> {
  const after = new Map<string, Set<string>>()
  const add = (before: string, word: string) => {
    if (!after.has(before)) after.set(before, new Set())
    after.get(before)!.add(word)
  }
  for (const command of commands) {
    const words = command.name.split(' ')
    for (const [i, word] of words.entries()) add(words.slice(0, i).join(' '), word)
    for (const option of Object.keys(optionsOf(command))) add(command.name, `--${option}`)
  }
  return after
}

function bash(commands: readonly Command[]): string {
  const cases = [...wordsAfter(commands)].map(([before, words]) => `    "${before}") next="${[...words].join(' ')}" ;;`)
  return `# bash completion for millrace
_millrace() {
  local word typed="" next=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && continue
    [[ -n $typed ]] && typed+=" "
    typed+=$word
  done
  # Arguments follow the command: the longest beginning that is one counts.
  while :; do
    case "$typed" in
${cases.join('\n')}
    esac
    [[ -n $next || $typed != *" "* ]] && break
    typed="\${typed% *}"
  done
  if [[ \${COMP_WORDS[COMP_CWORD]} != -* && $next == --* ]]; then
    COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
  else
    COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
  fi
}
complete -o filenames -F _millrace millrace
`
}

/** zsh runs the script for bash. */
function zsh(commands: readonly Command[]): string {
  return `#compdef millrace
# zsh completion for millrace
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`
}

function fish(commands: readonly Command[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`
  const lines: string[] = []
  const groups = new Set<string>()
  for (const command of commands) {
    const [first, second] = command.name.split(' ') as [string, string | undefined]
    if (!groups.has(first)) {
      groups.add(first)
      const help = second === undefined ? ` -d ${quoted(command.summary)}` : ''
      lines.push(`complete -c millrace -f -n __fish_use_subcommand -a ${first}${help}`)
    }
    const seen = `__fish_seen_subcommand_from ${first}`
    const siblings = commands.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.split(' ')[1]!] : []))
    if (second !== undefined)
      lines.push(
        `complete -c millrace -f -n '${seen}; and not __fish_seen_subcommand_from ${siblings.join(' ')}' -a ${second} -d ${quoted(command.summary)}`,
      )
    const here = second === undefined ? seen : `${seen}; and __fish_seen_subcommand_from ${second}`
    for (const [name, { type, help }] of Object.entries(optionsOf(command)))
      lines.push(`complete -c millrace -n '${here}' -l ${name}${type === 'flag' ? '' : ' -r'} -d ${quoted(help)}`)
  }
  return `# fish completion for millrace\n${lines.join('\n')}\n`
}
