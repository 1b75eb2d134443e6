import { Argument, type Command } from 'commander'

/** Scripts by shell: each asks the hidden command `complete` with the words before the cursor. */
const SCRIPTS = {
  bash: `_holdfast() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(holdfast complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _holdfast holdfast`,
  zsh: `#compdef holdfast
_holdfast() {
  local -a found
  found=(\${(f)"$(holdfast complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null | sed 's/:/\\\\:/g; s/\\t/:/')"})
  if (( $#found )); then _describe holdfast found; else _files; fi
}
compdef _holdfast holdfast`,
  fish: `function __holdfast
  set -l found (holdfast complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c holdfast -f -a '(__holdfast)'`,
}

/**
 * Adds `completion`, which prints the script of a shell, and the command that the scripts ask.
 *
 * @param print Prints a line of the result.
 */
export function addCompletion(program: Command, print: (line: string) => Promise<void>): void {
  program
    .command('completion')
    .description('print a script that completes commands and options, for the startup file of a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS) => print(SCRIPTS[shell]))
  program
    .command('complete [words...]', { hidden: true })
    .description('print what can follow some words, for the scripts of "completion"')
    .action(async (words: string[]) => {
      for (const [name, description] of candidates(program, words)) await print(`${name}\t${description}`)
    })
}

/** Returns the commands or options that the last word may become; none where the shell completes files. */
function candidates(program: Command, words: readonly string[]): [name: string, description: string][] {
  const help = program.createHelp()
  let command = program
  for (const word of words.slice(0, -1))
    command = command.commands.find((each) => each.name() === word) ?? command
  const last = words.at(-1) ?? ''
  const found: [string, string][] = last.startsWith('-')
    ? help.visibleOptions(command).map(({ long, description }) => [long ?? '', description])
    : help.visibleCommands(command).map((each) => [each.name(), each.description()])
  return found.filter(([name]) => name.startsWith(last))
}
