import { execFile } from 'node:child_process'

/** Runs a program to its end and resolves with its standard output; rejects with what it complained of. */
export function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const { cwd, env } = options
  return new Promise((resolve, reject) => {
    const inherited = { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 }
    execFile(program, args, inherited, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${program} ${args.join(' ')}: ${stderr || error.message}`))
    })
  })
}
