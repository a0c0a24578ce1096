import { readFile, writeFile } from 'node:fs/promises'

/** The same access by another port of this machine; answers the path of the new file. */
export async function kubeconfigThrough(kubeconfig: string, port: number): Promise<string> {
  const text = await readFile(kubeconfig, 'utf8')
  const file = `${kubeconfig}.${port}`
  await writeFile(file, text.replace(/https:\/\/127\.0\.0\.1:\d+/, `https://127.0.0.1:${port}`), { mode: 0o600 })
  return file
}
