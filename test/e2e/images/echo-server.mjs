/**
 * What the tests of the cluster itself run in a pod. `/fetch?url=U` answers what U answers, as seen from the pod; `/write?text=T`
 * puts T into the pod's volume; everything else tells who answers, and what stands in the volume and in the mounted Secret.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { hostname } from 'node:os'

const NOTE = '/data/note'
const SECRET = '/secrets/value'

async function answer(/** @type {URL} */ url) {
  const target = url.searchParams.get('url')
  if (url.pathname === '/fetch' && target !== null) return (await fetch(target)).text()
  if (url.pathname === '/write') await writeFile(NOTE, url.searchParams.get('text') ?? '')
  const read = (/** @type {string} */ file) => readFile(file, 'utf8').catch(() => '')
  return JSON.stringify({
    host: hostname(),
    uid: process.getuid?.(),
    note: await read(NOTE),
    secret: await read(SECRET),
  })
}

createServer(async (request, response) => {
  response.setHeader('connection', 'close') // the next request may be another pod's
  try {
    response.end(await answer(new URL(request.url ?? '/', 'http://here')))
  } catch (error) {
    response.writeHead(502).end(String(error))
  }
}).listen(8080, () => console.log('listening'))

process.on('SIGTERM', () => process.exit(0))
