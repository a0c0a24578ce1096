import { type ParseArgsConfig, parseArgs } from 'node:util'

/** The options of a command of ours; one that there is not ends the process with 2, the reason and how to call it. */
export function readOptions<const Options extends NonNullable<ParseArgsConfig['options']>>(
  options: Options,
  usage: string,
): ReturnType<typeof parseArgs<{ options: Options }>>['values'] {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    return refuseOptions(error instanceof Error ? error.message : String(error), usage)
  }
}

export function refuseOptions(message: string, usage: string): never {
  process.stderr.write(`${message}\nusage: ${usage}\n`)
  process.exit(2)
}
