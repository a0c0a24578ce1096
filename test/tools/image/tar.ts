/** One member of a tar archive. Times are not among it: every member has the same, so that the same files are the same octets. */
export type TarEntry = TarMeta &
  (
    | { readonly type: 'file'; readonly content: Buffer }
    | { readonly type: 'folder' }
    | { readonly type: 'link'; readonly target: string }
  )

interface TarMeta {
  /** Relative, with `/` between its parts and none at its ends. */
  readonly path: string
  readonly mode: number
  /** 0 where it is not given. */
  readonly uid?: number
  readonly gid?: number
}

const BLOCK = 512
const TYPE_FLAGS = { file: '0', link: '2', folder: '5' } as const

/** The octets of a POSIX archive (ustar, and pax where a name is too long for it), members in the order they come in. */
export function* tarOctets(entries: Iterable<TarEntry>, modifiedSeconds: number): Generator<Buffer> {
  for (const entry of entries) {
    const name = entry.type === 'folder' ? `${entry.path}/` : entry.path
    const target = entry.type === 'link' ? entry.target : ''
    const content = entry.type === 'file' ? entry.content : Buffer.alloc(0)
    const split = splitName(name)
    if (split === undefined || Buffer.byteLength(target) > 100) {
      const records = Buffer.concat([
        paxRecord('path', name),
        ...(target === '' ? [] : [paxRecord('linkpath', target)]),
      ])
      yield header({
        name: 'pax',
        prefix: '',
        target: '',
        flag: 'x',
        size: records.length,
        mode: 0o644,
        modifiedSeconds,
      })
      yield padded(records)
    }
    const { name: shortName, prefix } = split ?? { name: name.slice(-100), prefix: '' }
    yield header({
      name: shortName,
      prefix,
      target: target.slice(0, 100),
      flag: TYPE_FLAGS[entry.type],
      size: content.length,
      mode: entry.mode,
      uid: entry.uid ?? 0,
      gid: entry.gid ?? 0,
      modifiedSeconds,
    })
    if (content.length > 0) yield padded(content)
  }
  yield Buffer.alloc(2 * BLOCK)
}

/** A name of more than 100 octets goes into two fields, cut at a `/`; undefined where no cut makes it fit. */
function splitName(name: string): { readonly name: string; readonly prefix: string } | undefined {
  if (Buffer.byteLength(name) <= 100) return { name, prefix: '' }
  for (let at = name.indexOf('/'); at > 0 && at < name.length - 1; at = name.indexOf('/', at + 1)) {
    const prefix = name.slice(0, at)
    const rest = name.slice(at + 1)
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(rest) <= 100) return { name: rest, prefix }
  }
  return undefined
}

/** `LENGTH KEY=VALUE\n`, where LENGTH counts itself. */
function paxRecord(key: string, value: string): Buffer {
  const body = ` ${key}=${value}\n`
  let length = Buffer.byteLength(body) + 1
  while (String(length).length + Buffer.byteLength(body) !== length)
    length = String(length).length + Buffer.byteLength(body)
  return Buffer.from(`${length}${body}`)
}

interface Header {
  readonly name: string
  readonly prefix: string
  readonly target: string
  readonly flag: string
  readonly size: number
  readonly mode: number
  readonly uid?: number
  readonly gid?: number
  readonly modifiedSeconds: number
}

function header({ name, prefix, target, flag, size, mode, uid = 0, gid = 0, modifiedSeconds }: Header): Buffer {
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, width: number) =>
    block.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at, 'ascii')
  block.write(name, 0, 100)
  octal(mode, 100, 8)
  octal(uid, 108, 8)
  octal(gid, 116, 8)
  octal(size, 124, 12)
  octal(modifiedSeconds, 136, 12)
  block.fill(' ', 148, 156)
  block.write(flag, 156, 'ascii')
  block.write(target, 157, 100)
  block.write('ustar\x0000', 257, 'ascii')
  block.write(prefix, 345, 155)
  const sum = block.reduce((total, octet) => total + octet, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii')
  return block
}

function padded(content: Buffer): Buffer {
  const over = content.length % BLOCK
  return over === 0 ? content : Buffer.concat([content, Buffer.alloc(BLOCK - over)])
}
