import { execFile } from 'node:child_process'

/** kubectl ended with another code than 0. */
class KubectlError extends Error {
  readonly code: number
  readonly stderr: string

  constructor(args: readonly string[], code: number, stderr: string) {
    super(`kubectl ${args.join(' ')}: ${stderr}`)
    this.code = code
    this.stderr = stderr
  }
}

export interface KubectlOptions {
  readonly program: string
  readonly kubeconfig: string
  /** Where it keeps what it learned about the API server. */
  readonly cacheFolder: string
}

/** Runs kubectl and resolves with its standard output; rejects with {@link KubectlError}. */
export function runKubectl(options: KubectlOptions, args: readonly string[], input = ''): Promise<string> {
  const env = { ...process.env, KUBECONFIG: options.kubeconfig, KUBECACHEDIR: options.cacheFolder }
  return new Promise((resolve, reject) => {
    const child = execFile(options.program, args, { env, maxBuffer: 256 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new KubectlError(args, typeof error.code === 'number' ? error.code : -1, stderr || error.message))
    })
    child.stdin?.on('error', () => {}) // it need not read all of it
    child.stdin?.end(input)
  })
}
